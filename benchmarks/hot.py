"""What `python -m benchmarks.instructions` counts: twelve hot functions, each with all it needs, on fixed pages.

`python -m benchmarks.hot LIBRARY`, under callgrind, counts the instructions of `CALLS` calls of each; the library is
what benchmarks/counting.c is compiled to. With --bytes instead it tells how much of Python's memory each call takes.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.catalogue import Catalogue
from gwc_crawler import detect_charset, strip_tags
from gwc_crawler.extract.condenser import Condenser
from gwc_crawler.extract.record import extract_target
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Link, Page
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.modes import Strip
from gwc_crawler.page.reader import PageReader
from gwc_crawler.page.text import content_signature
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.urls import join_url, normalize_url, site_of, url_key

CALLS = 10
WARM_UP = 2
HOST = "http://shop.example"
CATALOGUE = Catalogue(1_000)
KNOWLEDGE = Path(__file__).with_name("hot_knowledge.json")
"""What `scrapy learn` made of this catalogue, at that host."""

Function = Callable[[int], Any]
"""Does its work once; the number of the call says with which page."""


def functions(scratch: Path) -> dict[str, Function]:
    """Return name → function, with pages read and frontiers filled."""
    knowledge = Knowledge.load(KNOWLEDGE)
    reader = PageReader(knowledge, sites=(site_of(HOST),))
    numbers = range(100, 100 + CALLS + WARM_UP)
    bodies = [_body(f"/product/{number}") for number in numbers]
    urls = [f"{HOST}/product/{number}" for number in numbers]
    read = partial(_read, reader)
    pages = [read(url, body) for url, body in zip(urls, bodies, strict=True)]
    texts = [page.text for page in pages]
    condensed = [read(url, body) for url, body in zip(urls, bodies, strict=True)]
    chinese = "".join(f"<p>{chr(0x4E00 + number * 7 % 3000) * 3}，的是在不了有和人这</p>" for number in range(2_000))
    gbk = f"<html><body>{chinese}</body></html>".encode("gbk", "ignore")
    paths = [f"/product/{number}" for number in range(200, 250)]
    links = [Link(HOST + path, 0, 1) for path in paths]
    frontier = _frontier(scratch, links)
    keywords = Keywords.parse('"recycled card" && (oak || garden) && !zebra')
    condenser = Condenser(Strip.ALL)
    return {
        "a page read: charset, tree, links, kind, text": lambda n: reader.read(urls[n], bodies[n], "text/html", 200),
        "a record extracted": lambda n: extract_target(pages[n], knowledge, 1.0),
        "its signature": lambda n: content_signature(pages[n]),
        "tags stripped from a parsed page": lambda n: condenser.condense(condensed[n]),
        "tags stripped from bytes": lambda n: strip_tags(bodies[n]),
        "the charset of 40 KB that declare none": lambda n: detect_charset(gbk[n:], "text/html"),
        "keywords looked for in a page": lambda n: keywords.matches(texts[n]),
        "50 links joined": lambda n: [join_url(urls[n], path) for path in paths],
        "50 URLs normalised": lambda n: [normalize_url(link.url) for link in links],
        "50 keys of URLs": lambda n: [url_key(link.url) for link in links],
        "50 known links offered to the frontier": lambda n: frontier.add(links),
        "16 URLs leased and released": lambda n: frontier.release(frontier.lease(16, "bench")),
    }


def _body(path: str) -> bytes:
    body = CATALOGUE.render(path)
    assert body is not None
    return body


def _read(reader: PageReader, url: str, body: bytes) -> Page:
    return reader.read(url, body, "text/html; charset=utf-8", 200)


def _frontier(scratch: Path, links: Sequence[Link]) -> SqliteFrontier:
    frontier = SqliteFrontier(CrawlDatabase(scratch / "crawl.db"), clock=lambda: 1.0)
    frontier.add(links)
    return frontier


def count_instructions(every: dict[str, Function], library: str) -> None:
    """Call each, warm, between what begins and ends the counting; callgrind writes a file after each."""
    counting = ctypes.CDLL(library)
    for function in every.values():
        for number in range(WARM_UP):
            function(number)
        gc.collect()
        gc.disable()
        counting.count_begin()
        for number in range(WARM_UP, WARM_UP + CALLS):
            function(number)
        counting.count_end()
        gc.enable()


def count_bytes(every: dict[str, Function]) -> dict[str, int]:
    """Return name → the most bytes of Python's memory that a call has at a time beyond what was there before."""
    found = {}
    for name, function in every.items():
        for number in range(WARM_UP):
            function(number)
        gc.collect()
        gc.disable()
        tracemalloc.start()
        peaks = []
        for number in range(WARM_UP, WARM_UP + CALLS):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            kept = function(number)
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
            del kept
        tracemalloc.stop()
        gc.enable()
        found[name] = sorted(peaks)[len(peaks) // 2]
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="bench-hot-") as folder:
        everything = functions(Path(folder))
        if sys.argv[1] == "--bytes":
            print(json.dumps(count_bytes(everything)))
        else:
            count_instructions(everything, sys.argv[1])
            print(json.dumps(list(everything)))
