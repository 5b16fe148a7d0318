"""A corpus on disk as its server serves it, and pre-crawls of it without a network.

In: a corpus directory. Out: the `StoredPage`s that a real pre-crawl would keep. Pages are read by the crawl's own
reader; what it finds is kept in a directory outside the repository, since the same pages are read again and again.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import tempfile
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.gwc.stored_site import ServedFiles
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.precrawl.judge import Judge
from gwc_crawler.learn.precrawl.watch import next_look
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.regex import url_regex
from gwc_crawler.page.reader import PageReader
from tests.eval.corpora import ARCHIVES, corpora_root, further_root, read_rows
from tests.eval.orders.directed import DirectedTurns
from tests.learn.memory_crawl import Order, WeightOrder, precrawl_memory


class Answer(NamedTuple):
    """What the server gives: the URL after redirects, and the body."""

    url: str
    body: bytes


@dataclass(frozen=True)
class OfflineSite:
    """One corpus; `entry` is the address its crawl begins at."""

    name: str
    entry: str

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return self.entry[: self.entry.index("/", 8)]

    @cached_property
    def root(self) -> Path:
        """The directory that is served."""
        return corpora_root() / self.name / "site"

    @cached_property
    def _served(self) -> ServedFiles:
        return ServedFiles(self.root, self.origin)

    def fetch(self, url: str) -> Answer | None:
        """Answer as the corpora's server does; None for what is no page."""
        answer = self._served.answer(url)
        return None if answer is None else Answer(answer.url, answer.file.read_bytes())

    def tasks(self) -> list[dict[str, Any]]:
        """The ready-made jobs of the corpus."""
        rows: list[dict[str, Any]] = json.loads((self.root.parent / "tasks.json").read_text(encoding="utf-8"))
        return rows

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Read one of the corpus' JSON-lines files."""
        return read_rows(f"{self.name}/{name}.jsonl")


@cache
def offline_site(name: str) -> OfflineSite:
    """The corpus called *name*, at the address it is served at."""
    beside = further_root(name) / "sites.json"
    rows = json.loads((beside if beside.is_file() else ARCHIVES / "sites.json").read_text(encoding="utf-8"))
    return OfflineSite(name, next(row["entry"] for row in rows if row["name"] == name))


class _Read(NamedTuple):
    """What the reader says of one page: its codec, and its links on the site in page order."""

    charset: str
    links: list[str]


class Pages:
    """The pages of one site as the crawl's reader reads them, each read once and for all."""

    def __init__(self, site: OfflineSite) -> None:
        self.site = site
        self._reader = PageReader(None)
        self._file = _cache_directory() / f"{site.name}.db"
        self._known: dict[str, _Read] = {}
        with closing(sqlite3.connect(self._file)) as database:
            database.execute("CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, digest TEXT, found BLOB)")
        self._new: list[tuple[str, str, bytes]] = []

    def read(self, answer: Answer) -> _Read:
        """The page's charset and links."""
        digest = hashlib.md5(answer.body, usedforsecurity=False).hexdigest()
        if not self._known:
            with closing(sqlite3.connect(self._file)) as database:
                rows = database.execute("SELECT url, digest, found FROM pages").fetchall()
            self._known = {url + mark: _Read(*json.loads(zlib.decompress(found))) for url, mark, found in rows}
        known = self._known.get(answer.url + digest)
        if known is None:
            page = self._reader.read(answer.url, answer.body, "text/html")
            known = self._known[answer.url + digest] = _Read(page.charset, list(page.links))
            self._new.append((answer.url, digest, zlib.compress(json.dumps(known).encode())))
        return known

    def keep(self) -> None:
        """Write what was read anew."""
        with closing(sqlite3.connect(self._file)) as database, database:
            database.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", self._new)
        self._new = []


def precrawl(
    pages: Pages, samples: Sequence[str], count: int, order: Order | None = None, judge: Judge | None = None
) -> list[StoredPage]:
    """Fetch *count* pages as a pre-crawl without keywords does, by weight alone unless there is an *order*.

    With a *judge*, whose order is a `DirectedTurns`, it ends when that has no doubt any more.
    """
    order = order or WeightOrder()
    look_at = next_look(0, count)

    def fetch(url: str) -> tuple[str, bytes, str] | None:
        answer = pages.site.fetch(url)
        return None if answer is None else (answer.url, answer.body, "text/html")

    def is_enough(stored: Sequence[StoredPage]) -> bool:
        nonlocal look_at
        if judge is None or len(stored) != look_at:
            return False
        verdict = judge.judge(stored)
        look_at = verdict.next_at
        if verdict.doubt and isinstance(order, DirectedTurns):
            order.want(verdict.wanted)
        return not verdict.doubt

    stored = precrawl_memory(
        fetch, [pages.site.entry, *samples], _LikeSamples(pages, samples), pages=count, order=order, is_enough=is_enough
    )
    pages.keep()
    return stored


class _Told(NamedTuple):
    charset: str
    relevant: bool
    links: list[str]


class _LikeSamples:
    """Reads pages as a crawl without keywords: what looks like a sample's address, or links to such, is relevant."""

    def __init__(self, pages: Pages, samples: Sequence[str]) -> None:
        self._pages = pages
        self._wanted = re.compile(url_regex(samples)).fullmatch

    def read(self, url: str, body: bytes, _content_type: str, /) -> _Told:
        charset, links = self._pages.read(Answer(url, body))
        return _Told(charset, self._wanted(url) is not None or any(map(self._wanted, links)), links)


def enough_pages(pages: Pages, task: LearnTask, most: int) -> list[StoredPage]:
    """Fetch as many pages as a pre-crawl with `[learn] stop = "stable"` does."""
    samples = [url for url, _ in task.samples]
    return precrawl(pages, samples, most, DirectedTurns(samples), Judge(task))


def _cache_directory() -> Path:
    directory = Path(tempfile.gettempdir()) / "gwc-crawler-read-pages"
    directory.mkdir(exist_ok=True)
    return directory
