"""Who takes what: the cases of `answers`, fetched by Scrapy's download handlers as they are by ours.

`python -m tests.conformance.handlers --write` crawls by each of them and makes docs/conformance/handlers.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import version

from tests.conformance import answers
from tests.conformance.answer_parts import PAGE_COMES, REDIRECT
from tests.conformance.table import PAGES, Case, cell

PAGE = PAGES / "handlers.md"
_SCRAPYS = "scrapy.core.downloader.handlers"
HANDLERS = {
    "http11": f"{_SCRAPYS}.http11.HTTP11DownloadHandler",
    "httpx": f"{_SCRAPYS}._httpx.HttpxDownloadHandler",
    "aiohttp": f"{_SCRAPYS}._aiohttp.AiohttpDownloadHandler",
}
LIBRARIES = ("Scrapy", "Twisted", "httpx2", "aiohttp")
ABOUT = """
The {count} cases of [odd and broken answers](answers.md), where it stands how they are made, and what our client makes
of each: what a user expects. Here the same crawls go through Scrapy's download handlers: `http11` over Twisted, its
default, to which our client leaves requests through an HTTP proxy; `httpx` over httpx2, which fetches https where
`GWC_HTTP2` is set; `aiohttp` over aiohttp. Its `H2DownloadHandler` speaks HTTP/2 alone and would take none. All the
rest is ours in these crawls: robots.txt, decoding, redirects, retries. Only what became of the page is looked at, not
the reason that is given.

With {versions}.
Made by `python -m tests.conformance.handlers --write`, checked by `make test` where these versions are installed.
"""
BY_NAME: Mapping[str, Case] = {case.name: case for case in answers.CASES}

SAME, LOST, UNNOTICED, OTHERWISE = "as expected", "a page is lost", "damage is not noticed", "otherwise"
VERDICTS = (SAME, LOST, UNNOTICED, OTHERWISE)

Differing = Mapping[str, Mapping[str, str]]
"""Handler → case → what came of it, of cases that came to something else than expected."""


def differing(handler: str) -> dict[str, str]:
    """Crawl by a handler and return what came to something else than expected."""
    with answers.serving(HANDLERS[handler]) as env:
        got = {name: answers.came_to(case, env) for name, case in BY_NAME.items()}
    return {name: text for name, text in got.items() if text != BY_NAME[name].expected}


def verdict(expected: str, got: str) -> str:
    """Say what kind of difference there is."""
    if got == expected:
        return SAME
    if got.startswith("page") and "exception" not in got:
        return UNNOTICED
    return LOST if expected in (PAGE_COMES, REDIRECT) else OTHERWISE


def versions() -> str:
    return ", ".join(f"{name} {version(name)}" for name in LIBRARIES)


def page(found: Differing) -> str:
    """Return the page in the docs."""
    counts = {
        name: Counter(verdict(case.expected, found[name].get(case.name, case.expected)) for case in BY_NAME.values())
        for name in found
    }
    odd = [case for case in BY_NAME.values() if any(case.name in got for got in found.values())]
    lines = [
        "# Who takes what",
        "",
        ABOUT.strip().format(count=len(BY_NAME), versions=versions()),
        "",
        f"| handler | {' | '.join(VERDICTS)} |",
        f"|---|{'---|' * len(VERDICTS)}",
        f"| ours | {len(BY_NAME)} | 0 | 0 | 0 |",
        *(f"| {name} | {' | '.join(str(count[one]) for one in VERDICTS)} |" for name, count in counts.items()),
        "",
        f"The other {len(BY_NAME) - len(odd)} cases come to the same with all of them. An empty cell: as expected.",
        "",
        f"| case | expected, and ours | {' | '.join(found)} |",
        f"|---|---|{'---|' * len(found)}",
    ]
    for case in odd:
        cells = (cell(got.get(case.name, "")) for got in found.values())
        lines.append(f"| {cell(case.name)} | {cell(case.expected)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def written() -> dict[str, dict[str, str]]:
    """Read the page in the docs."""
    rows = [
        [one.strip() for one in line.split(" | ")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    start = next(number for number, row in enumerate(rows) if row[0] == "| case")
    names = {cell(name): name for name in BY_NAME}
    found: dict[str, dict[str, str]] = {name: {} for name in HANDLERS}
    for first, _, *cells in rows[start + 2 :]:
        for handler, text in zip(HANDLERS, cells, strict=True):
            if said := text.removesuffix("|").strip():
                found[handler][names[first.removeprefix("| ")]] = said
    return found


def main() -> None:
    """Crawl by each handler and show the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.handlers", description=main.__doc__)
    parser.add_argument("--write", action="store_true", help="put the page into docs/conformance/")
    write = parser.parse_args().write
    text = page({handler: differing(handler) for handler in HANDLERS})
    if write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
