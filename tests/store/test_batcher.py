"""The page store: when a batch is full, and that a failed commit moves nothing and can be tried again."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Done, Lease, Link, Page, PageKind, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sink import RecordSinks, SinkConfig
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink

HOME = "http://shop.example/"


class Log:
    """A sink and a frontier that only write down who was called; the sink can be told to fail."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.broken = False

    def write(self, visits: Sequence[Visit]) -> None:
        if self.broken:
            raise StoreError("disk full")
        self.calls.append(f"write {len(visits)}")

    def complete(self, done: Sequence[Done]) -> None:
        self.calls.append(f"complete {len(done)}")

    def close(self) -> None:
        """Nothing is open."""


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def visit_and_done(lease: Lease, links: tuple[str, ...] = (), size: int = 10) -> tuple[Visit, Done]:
    page = Page(lease.url, 200, b"x" * size, "text/html", "utf-8", PageKind.INDEX, False, text="y" * size, links=links)
    return Visit(lease, page, None, 0, 0.0), Done(lease, lease.url, PageKind.INDEX, False, links)


LEASE = Lease(HOME, 1, 0, 0, 1, "w", 1, 0.0)


def test_a_batch_is_full_by_number_or_by_age() -> None:
    clock = Clock()
    store = Batcher(Log(), Log(), max_pages=2, max_seconds=1.0, clock=clock)
    assert (store.full, len(store)) == (False, 0)
    store.add(*visit_and_done(LEASE))
    assert not store.full
    clock.now = 1.0
    assert store.full
    store.commit()
    store.add(*visit_and_done(LEASE))
    assert not store.full
    store.add(*visit_and_done(LEASE))
    assert store.full


def test_the_sink_comes_before_the_frontier() -> None:
    log = Log()
    store = Batcher(log, log, max_pages=100)
    store.add(*visit_and_done(LEASE))
    store.add(*visit_and_done(LEASE))
    store.commit()
    store.commit()
    assert log.calls == ["write 2", "complete 2"]


def test_a_failed_commit_keeps_the_batch() -> None:
    log = Log()
    store = Batcher(log, log, max_pages=100)
    store.add(*visit_and_done(LEASE))
    log.broken = True
    with pytest.raises(StoreError):
        store.commit()
    assert (len(store), log.calls) == (1, [])
    log.broken = False
    store.commit()
    assert log.calls == ["write 1", "complete 1"]


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier = SqliteFrontier(database)
        store = Batcher(frontier, SqliteSink(database, site="shop"), database.transaction, max_pages=100)
        frontier.add([Link(HOME)])
        (lease,) = frontier.lease(1, "w")
        store.add(*visit_and_done(lease, links=(f"{HOME}a", f"{HOME}b"), size=400_000))
        (pages,) = database.connection.execute("PRAGMA page_count").fetchone()
        database.connection.execute(f"PRAGMA max_page_count = {pages + 8}")
        with pytest.raises(StoreError, match=r"crawl\.db: .*full.*free some space"):
            store.commit()
        assert (frontier.counts().running, frontier.counts().complete) == (1, 0)
        assert database.connection.execute("SELECT count(*) FROM pages").fetchone() == (0,)
        database.connection.execute("PRAGMA max_page_count = 1000000")
        store.commit()
        assert (frontier.counts().waiting, frontier.counts().complete) == (2, 1)
        frontier.close()


def test_a_frontier_that_fails_takes_the_pages_back_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier = SqliteFrontier(database)
        store = Batcher(frontier, SqliteSink(database, site="shop"), database.transaction, max_pages=100)
        frontier.add([Link(HOME)])
        store.add(*visit_and_done(frontier.lease(1, "w")[0]))

        def break_off(done: Sequence[Done]) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(frontier, "complete", break_off)
            store.commit()
        assert database.connection.execute("SELECT count(*) FROM pages").fetchone() == (0,)
        store.commit()
        frontier.close()


class Later(Log):
    """A sink that answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[Future[None]] = []

    def write(self, visits: Sequence[Visit]) -> Future[None]:  # type: ignore[override]  # what a sink may do
        self.calls.append(f"write {len(visits)}")
        self.answers.append(Future())
        return self.answers[-1]


def alone(sink: Later) -> RecordSinks:
    return RecordSinks([("later", lambda _: sink)], SinkConfig("shop", Path("data/shop"), RecordShape(()), {}))


def test_the_frontier_moves_on_after_a_late_answer_and_the_next_batch_is_collected_meanwhile() -> None:
    sink = Later()
    store = Batcher(sink, None, others=alone(sink), max_pages=1)
    store.on_answer = lambda: sink.calls.append("answer")
    store.add(*visit_and_done(LEASE))
    assert not store.commit()
    assert (store.full, store.is_behind, len(store)) == (False, False, 1)
    store.add(*visit_and_done(LEASE))
    assert (store.full, store.is_behind, len(store)) == (False, True, 2)
    assert not store.commit()
    sink.answers[0].set_result(None)
    assert store.full
    assert store.commit()
    assert sink.calls == ["write 1", "answer", "complete 1"]
    assert (store.is_behind, len(store)) == (False, 1)


def test_a_batch_that_a_sink_fails_at_later_is_the_first_part_of_the_next() -> None:
    sink = Later()
    store = Batcher(sink, None, others=alone(sink), max_pages=100)
    store.add(*visit_and_done(LEASE))
    store.commit()
    store.add(*visit_and_done(LEASE))
    sink.answers[0].set_exception(StoreError("disk full"))
    with pytest.raises(StoreError, match="disk full"):
        store.commit()
    assert (len(store), store.full) == (2, False)
    store.commit()
    with pytest.raises(StoreError, match="has not stored a batch within 0 seconds"):
        store.wait(0)
    sink.answers[1].set_result(None)
    store.wait()
    assert store.commit()
    assert sink.calls == ["write 1", "write 2", "complete 2"]
