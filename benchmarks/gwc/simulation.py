"""Pre-crawl and crawl of a stored site, page by page as the spiders do it, without a network.

Pages are read by the crawl's own reader and weighed by its own rules; what is left out is fetching, politeness and the
store.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchmarks.gwc.stored_site import StoredSite
from gwc_crawler.frontier.order import is_followed, page_weight
from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.page.reader import PageReader, ReadOptions
from tests.learn.memory_crawl import precrawl_memory


def precrawl(site: StoredSite, starts: Iterable[str], options: ReadOptions, most: int) -> list[StoredPage]:
    """Fetch up to *most* pages from the entry and *starts* on: lowest weight first, then first come first served.

    Args:
        options: the keywords, or the regex that stands in for them; they say which pages are relevant.
    """

    def fetch(url: str) -> tuple[str, bytes, str] | None:
        answer = site.answer(url)
        return None if answer is None else (answer.url, answer.file.read_bytes(), "text/html")

    reader = PageReader(None, options=options)
    return precrawl_memory(fetch, [site.entry, *starts], reader, pages=most)


@dataclass(frozen=True, slots=True)
class Read:
    """What a crawl needs of a page; `links` are those that pass a filter."""

    url: str
    file: Path
    is_target: bool
    relevant: bool
    links: tuple[str, ...]


class ReadPages:
    """The pages of a site as a crawl with some knowledge reads them, each read once: several crawls share them."""

    def __init__(self, site: StoredSite, knowledge: Knowledge) -> None:
        self.site = site
        self._reader = PageReader(knowledge)
        self._known: dict[str, Read] = {}

    def read(self, url: str) -> Read | None:
        """The page at *url*, None where there is none."""
        answer = self.site.answer(url)
        if answer is None:
            return None
        if (known := self._known.get(answer.url)) is None:
            page = self._reader.read(answer.url, answer.file.read_bytes(), "text/html")
            is_target = page.kind is PageKind.TARGET
            known = self._known[answer.url] = Read(page.url, answer.file, is_target, page.relevant, page.admitted)
        return known


@dataclass(frozen=True, slots=True)
class Crawled:
    """What a crawl brought home: pages fetched, of these those taken for targets, and the files that hold them."""

    pages: int
    taken: int
    files: frozenset[Path]


def crawl(pages: ReadPages, starts: Iterable[str], max_weight: int | None) -> Crawled:
    """Crawl from *starts*, following the links of pages whose weight is below *max_weight* (None: of all).

    A page that is found again by a better way is weighed anew, and so are those that its links lead to.
    """
    order = count()
    least = dict.fromkeys(starts, 0)
    first = frozenset(least)
    queue = [(0, next(order), url) for url in least]
    done: dict[str, Read] = {}
    while queue:
        arrival, _, url = heapq.heappop(queue)
        if least[url] < arrival or (read := pages.read(url)) is None:
            continue
        done[read.url] = read
        weight = page_weight(arrival, relevant=read.relevant, start=url in first)
        for link in read.links if is_followed(weight, max_weight) else ():
            if link not in least or weight < least[link]:
                least[link] = weight
                heapq.heappush(queue, (weight, next(order), link))
    targets = [read for read in done.values() if read.is_target]
    return Crawled(len(done), len(targets), frozenset(read.file for read in targets))
