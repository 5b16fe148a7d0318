"""`make pictures`: crawl the bundled mall, and take a sheet of each view of the dashboard into docs/pictures.

A sheet shows one view four times: light, dark, in Chinese, and on a phone. Meanwhile the mall is slowly crawled again,
so that there is something to see. Chromium takes and lays out the pictures; they are JPEG, so that all of them together
are small.
"""

from __future__ import annotations

import argparse
import base64
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer, mall_site_toml

ROOT = Path(__file__).resolve().parent.parent
WIDE = {"width": 1200, "height": 1000}
PHONE = {"width": 390, "height": 1000}
LOOKS = (("light", "en-US", WIDE), ("dark", "en-US", WIDE), ("light", "zh-CN", WIDE), ("dark", "en-US", PHONE))
QUALITY = 60
WATCHED_MS = 20_000
LOOKS_AT_MOST = 60
COUNTING = re.compile("being counted|正在统计")
SHEET = """<style>body { margin: 0; padding: 12px; background: #888; display: flex; gap: 12px; align-items: start }
img { height: 600px }</style>"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Take all sheets; 1 where a program is missing or the crawl fails."""
    parser = argparse.ArgumentParser(prog="python -m scripts.pictures", description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "pictures", help="the directory they are written to")
    into: Path = parser.parse_args(arguments).to
    chromium = shutil.which("chromium")
    if chromium is None:
        print("Chromium takes the pictures and is not installed: make chromium", file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, MallServer(Mall(1, 120)) as mall, sync_playwright() as running:
        project = Path(made)
        (project / "sites").mkdir()
        (project / "sites" / "mall.toml").write_text(mall_site_toml(mall.mall, mall.url), encoding="utf-8")
        if _scrapy(project, "crawl", "mall", "-L", "ERROR").wait():
            print("the mall could not be crawled; what it said stands above", file=sys.stderr)
            return 1
        _scrapy(project, "schedule", "mall", "03:00").wait()
        again = ("-a", "recrawl=all", "-s", "DOWNLOAD_DELAY=0.6", "-s", "GWC_PROGRESS=off")
        with _running(_scrapy(project, "crawl", "mall", "-L", "ERROR", *again)), _dashboard(project) as address:
            browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            _take_all(browser, address, mall.url, into)
            browser.close()
    return 0


def _take_all(browser: Any, address: str, mall: str, into: Path) -> None:
    taken: dict[str, list[bytes]] = {}
    with browser.new_page() as watching:  # for a line of the pace
        watching.goto(address)
        watching.goto(f"{address.partition('/?')[0]}/sites/mall")
        watching.wait_for_timeout(WATCHED_MS)
    for scheme, language, size in LOOKS:
        with browser.new_context(color_scheme=scheme, locale=language, viewport=size) as context:
            page = context.new_page()
            page.goto(address)
            for name, view in _views(page, address, mall):
                _open(page, view)
                taken.setdefault(name, []).append(page.screenshot())
    page = browser.new_page(viewport={"width": 2460, "height": 624})
    for name, pictures in taken.items():
        shown = (f'<img src="data:image/png;base64,{base64.b64encode(one).decode()}">' for one in pictures)
        page.set_content(SHEET + "".join(shown))
        page.evaluate("Promise.all([...document.images].map(one => one.decode()))")
        path = into / f"{name}.jpg"
        page.locator("body").screenshot(path=path, type="jpeg", quality=QUALITY)
        print(f"{path.name}: {path.stat().st_size // 1024} KB")


def _open(page: Any, view: str) -> None:
    """Open a view; again where its figures are still being counted."""
    for _ in range(LOOKS_AT_MOST):
        page.goto(view)
        if not COUNTING.search(page.inner_text("body")):
            return
        page.wait_for_timeout(500)


def _views(page: Any, address: str, mall: str) -> list[tuple[str, str]]:
    """Name and address of each view."""
    origin = address.partition("/?")[0]
    page.goto(f"{origin}/sites/mall/records")
    record = page.locator("main a[href*='/record?']").first.get_attribute("href")
    tabs = ("queue", "records", "fields", "learned", "links", "change")
    return [
        ("sites", f"{origin}/"),
        ("overview", f"{origin}/sites/mall"),
        *((tab, f"{origin}/sites/mall/{tab}") for tab in tabs),
        ("record", origin + record),
        ("schedules", f"{origin}/schedules"),
        ("new-site", _new_site(page, origin, mall)),
    ]


def _new_site(page: Any, origin: str, mall: str) -> str:
    """Have a site proposed; the page that shows what is proposed."""
    page.goto(f"{origin}/new")
    page.fill("[name=url]", f"{mall}/")
    page.locator("main form button").first.click()
    page.wait_for_url("**/new/*")
    page.locator("#foreign [data-e]").first.wait_for()
    return str(page.url)


@contextmanager
def _dashboard(project: Path) -> Iterator[str]:
    with _running(_scrapy(project, "dashboard", "--port", "0", stdout=subprocess.PIPE, text=True)) as process:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        if found is None:
            raise SystemExit("the dashboard did not start")
        yield found[0]


@contextmanager
def _running(process: subprocess.Popen[Any]) -> Iterator[subprocess.Popen[Any]]:
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _scrapy(project: Path, *command: str, **popen: Any) -> subprocess.Popen[Any]:
    places = {"GWC_SITES_DIR": project / "sites", "GWC_DATA_DIR": project / "data", "GWC_ALLOW_PRIVATE": "127.0.0.1"}
    given = [word for name, value in places.items() for word in ("-s", f"{name}={value}")]
    return subprocess.Popen([sys.executable, "-m", "scrapy", *command, *given], cwd=ROOT, **popen)


if __name__ == "__main__":
    sys.exit(main())
