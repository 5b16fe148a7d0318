"""Whatever the order of leases, commits, failures and crashes: each page is fetched once and ends with the same weight.

The expectation is computed from the whole graph at once (GWC, *Crawl*): the least fixpoint of "a page's weight is 0 if
it is relevant or a start, else one more than the least weight of the followed pages that lead to it".
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler.database import Database
from gwc_crawler.frontier import SqliteFrontier
from gwc_crawler.items import Done, Failure, Lease, Link, PageKind, UrlState
from tests.frontier.behaviour import Clock


@dataclass(frozen=True)
class Graph:
    """Pages 0 … n-1. `moved` maps a page to the one it redirects to, always one with a higher number."""

    links: tuple[tuple[int, ...], ...]
    relevant: frozenset[int]
    starts: tuple[int, ...]
    moved: dict[int, int]
    max_weight: int | None

    def weights(self) -> dict[int, int]:
        """Page → weight, of the pages a crawl must fetch."""
        threshold = math.inf if self.max_weight is None else self.max_weight
        arrival = dict.fromkeys(self.starts, 0)
        starts = set(self.starts)
        for _ in range(len(self.links) * len(self.links) + 1):
            for page in list(arrival):
                if page in self.moved:
                    reached = [(self.moved[page], arrival[page])]
                    starts |= {self.moved[page]} if page in starts else set()
                else:
                    weight = self.page_weight(page, arrival[page], starts)
                    reached = [(link, weight) for link in self.links[page] if weight < threshold]
                for link, weight in reached:
                    arrival[link] = min(arrival.get(link, weight), weight)
        return {page: self.page_weight(page, weight, starts) for page, weight in arrival.items()}

    def page_weight(self, page: int, arrival: int, starts: set[int]) -> int:
        if page in self.moved:
            return arrival
        return 0 if page in self.relevant or page in starts else arrival + 1


def random_graph(random: Random) -> Graph:
    """Long thin graphs: relevance is rare, so weights rise, and better ways are found late."""
    size = random.randint(3, 24)
    pages = range(size)
    return Graph(
        tuple(tuple(random.choices(pages, k=random.randint(0, 3))) for _ in pages),
        frozenset(page for page in pages if random.random() < 0.15),
        tuple(random.sample(pages, random.choice((1, 1, 2)))),
        {page: random.randrange(page + 1, size) for page in pages[:-1] if random.random() < 0.15},
        random.choice((None, 1, 2, 3, 4)),
    )


class Crawl:
    """Works a graph off in an order that `choose` decides."""

    def __init__(self, graph: Graph, directory: Path) -> None:
        self.graph = graph
        self.path = directory / "crawl.db"
        self.clock = Clock()
        self.held: list[tuple[Lease, Done]] = []
        self.fetched: Counter[int] = Counter()
        self.open()
        self.frontier.add([Link(url(start)) for start in graph.starts])

    def open(self) -> None:
        self.database = Database(self.path)
        self.frontier = SqliteFrontier(
            self.database, max_weight=self.graph.max_weight, max_lost_leases=10_000, clock=self.clock
        )

    def close(self) -> None:
        self.frontier.close()
        self.database.close()

    def act(self, choice: int) -> None:
        """One step of a worker's life, or of its death."""
        actions = (self.fetch, self.fetch, self.commit, self.commit, self.retry, self.release, self.expire, self.crash)
        actions[choice % len(actions)](choice // len(actions) + 1)

    def fetch(self, n: int) -> None:
        for lease in self.frontier.lease(n, "worker"):
            done = self.visit(lease)
            self.held.insert(n % (len(self.held) + 1), (lease, done))

    def visit(self, lease: Lease) -> Done:
        number = page = page_of(lease.url)
        while page in self.graph.moved:
            page = self.graph.moved[page]
            if not self.frontier.redirect(lease, url(page)):
                return Done(lease, url(page), PageKind.REDIRECT, False)
        assert page == number or page in self.graph.moved.values()
        links = tuple(map(url, self.graph.links[page]))
        return Done(lease, url(page), PageKind.INDEX, page in self.graph.relevant, links)

    def commit(self, n: int) -> None:
        batch, self.held = self.held[:n], self.held[n:]
        self.frontier.complete([done for _, done in batch])
        for _, done in batch:
            if done.kind is not PageKind.REDIRECT:
                self.fetched[page_of(done.url)] += 1

    def retry(self, n: int) -> None:
        if self.held:
            lease, _ = self.held.pop(n % len(self.held))
            self.frontier.fail(lease, Failure("HTTP 503", retry_at=self.clock() + n))

    def release(self, n: int) -> None:
        self.frontier.release([lease for lease, _ in self.held[:n]])
        self.held = self.held[n:]

    def expire(self, n: int) -> None:
        """All leases run out; some late completions come in all the same."""
        self.clock.now += 601
        leased_again = self.frontier.lease(n, "other")
        taken = {lease.url for lease in leased_again}
        self.frontier.complete([done for lease, done in self.held if lease.url in taken])
        self.held = []
        self.frontier.release(leased_again)

    def crash(self, _: int) -> None:
        self.held = []
        self.close()
        self.open()

    def drain(self) -> None:
        while not self.frontier.counts().finished:
            self.fetch(3)
            self.commit(2)
            if not self.held:
                self.clock.now += 5


def url(page: int) -> str:
    return f"http://h{page % 3}.example/{page}"


def page_of(url: str) -> int:
    return int(url.rpartition("/")[2])


@settings(deadline=None, max_examples=200)
@given(seed=st.integers(0, 2**32))
def test_the_end_is_the_fixpoint_in_any_order(seed: int) -> None:
    random = Random(seed)
    graph = random_graph(random)
    with tempfile.TemporaryDirectory() as directory:
        crawl = Crawl(graph, Path(directory))
        for _ in range(random.randint(0, 60)):
            crawl.act(random.randrange(32))
        crawl.drain()
        rows = crawl.database.connection.execute("SELECT url, state, weight FROM urls WHERE state IS NOT NULL")
        found = rows.fetchall()
        crawl.close()
    assert {page_of(address): weight for address, _, weight in found} == graph.weights()
    assert {state for _, state, _ in found} == {UrlState.COMPLETE}
    assert set(crawl.fetched.values()) <= {1}
