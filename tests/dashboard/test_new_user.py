"""Somebody new, who clicks or types and nothing else: an address, a crawl, records; what is wrong said right once."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from gwc_crawler.demo import Mall, MallServer
from tests.conftest import Project
from tests.dashboard.windows import Window, begin_dashboard
from tests.terminal import Terminal

ENDED_MS = 180_000
SIZE = 30


@pytest.fixture
def mall() -> Iterator[MallServer]:
    """The bundled mall, small."""
    with MallServer(Mall(1, SIZE)) as server:
        yield server


def brands(project: Project, mall: MallServer) -> tuple[dict[str, str], dict[str, object]]:
    """The brands as they are stored, and as they are."""
    found = project.rows("SELECT url, brand FROM records_mall", name="mall")
    true = {path: record["brand"] for path, record in mall.mall.truth.records.items()}
    return {url.removeprefix(mall.url): brand for url, brand in found}, true


def test_by_clicking_alone(project: Project, mall: MallServer, browser: object) -> None:
    """In *New site* the name of each thing is clicked for its brand; in *Records* its brand is clicked once."""
    with browser.new_context() as context:  # type: ignore[attr-defined]
        address = begin_dashboard(project)
        window = Window(context.new_page(), address.partition("/?")[0])
        shown = window.page
        shown.goto(address)
        window.press("New site", role="link")
        shown.fill("[name=url]", f"{mall.url}/")
        window.press("Propose a site file")
        shown.locator("fieldset:has(input[value=brand]) [name=remove]").check()
        window.press("Keep changes")
        window.told("kept")
        shown.locator("#foreign .heading").first.click()
        shown.fill("#pick [name=name]", "brand")
        window.press("This value")
        window.told("brand was taken")
        window.press("Keep, and try on further pages")
        shown.fill("[name=name]", "mall")
        window.press("Save, and crawl")
        shown.get_by_text("ended well").first.wait_for(timeout=ENDED_MS)
        stored, true = brands(project, mall)
        assert len(stored) == SIZE
        assert not any(stored[path] == brand for path, brand in true.items())
        window.press("Records", role="link")
        window.press("Show", role="link")
        shown.locator("h3:has-text('brand')").get_by_role("link", name="Wrong?").click()
        path = parse_qs(urlsplit(shown.url).query)["url"][0].removeprefix(mall.url)
        shown.locator("#foreign").get_by_text(str(true[path]), exact=True).last.click()
        window.press("This value")
        window.shows("The site file gets these samples:")
        assert brands(project, mall)[0] == stored
        window.press("Apply it")
        reading = shown.locator("section", has_text="Read the stored pages again").get_by_text("ended well")
        reading.wait_for(timeout=ENDED_MS)
        stored, true = brands(project, mall)
        assert stored == true
        assert window.sins == []


def test_by_keyboard_alone(project: Project, mall: MallServer) -> None:
    """The same in a terminal: `new`, the site file mended wrongly, `learn`, `crawl`, `fix`."""
    assert Terminal(project, "new", f"{mall.url}/", "--name", "mall").to_the_end()[0] == 0
    path = project.directory / "sites" / "mall.toml"
    said = [one["fields"] for one in tomllib.loads(path.read_text("utf-8"))["samples"]]
    text = path.read_text("utf-8")
    for fields in said:
        text = text.replace(f'brand = "{fields["brand"]}"', f'brand = "{fields["title"]}"')
    path.write_text(text, "utf-8")
    for command in ("learn", "crawl"):
        code, told = Terminal(project, command, "mall", *["--yes"] * (command == "learn")).to_the_end()
        assert code == 0, told
    stored, true = brands(project, mall)
    assert len(stored) == SIZE
    assert stored != true
    wrong = next(path for path in stored if stored[path] != true[path])
    terminal = Terminal(project, "fix", "mall", f"{mall.url}{wrong}", f"brand={true[wrong]}")
    terminal.until(b"Accept? [Y/n] ")
    terminal.answer(b"\n")
    code, told = terminal.to_the_end()
    assert code == 0, told
    assert brands(project, mall)[0] == true
