"""Several sinks as one: each is opened, written and closed, and an error names the sink that raised it."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Done, Lease, Page, PageKind, Record, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sink import RecordSinks, SinkConfig, SinkFactory, record_rows
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.store.server.conftest import SHAPE, url_of
from tests.store.server.conftest import visit_of as book

URL = "http://shop.example/1"


class Journal:
    """Makes sinks that write down what is asked of them; one is told to fail by "NAME STEP" in `broken`."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.broken: set[str] = set()
        self.error: type[BaseException] = OSError

    def note(self, call: str) -> None:
        self.calls.append(call)
        if call in self.broken:
            raise self.error(f"{call} went wrong")

    def named(self, name: str) -> tuple[str, SinkFactory]:
        journal = self

        class Sink:
            def __init__(self, config: SinkConfig) -> None:
                journal.note(f"{name} open")

            def write(self, visits: Sequence[Visit]) -> None:
                journal.note(f"{name} write")

            def close(self) -> None:
                journal.note(f"{name} close")

        return name, Sink

    def sinks(self, *names: str) -> RecordSinks:
        return RecordSinks([self.named(name) for name in names], CONFIG)

    def complete(self, done: Sequence[Done]) -> None:
        self.note("frontier complete")


CONFIG = SinkConfig("shop", Path("data/shop"), RecordShape(("title",)), {})


@pytest.fixture
def journal() -> Journal:
    return Journal()


def visit_of(record: Record | None) -> Visit:
    lease = Lease(URL, 1, 0, 0, 1, "w", 1, 0.0)
    return Visit(lease, Page(URL, 200, b"", "text/html", "utf-8", PageKind.TARGET, True), record, 0, 7.0)


def store_over(journal: Journal, *names: str) -> Batcher:
    store = Batcher(journal, None, others=journal.sinks(*names), max_pages=100)
    visit = visit_of(None)
    store.add(visit, Done(visit.lease, URL, PageKind.TARGET, True))
    return store


def test_the_frontier_moves_on_when_all_have_written(journal: Journal) -> None:
    store = store_over(journal, "a", "b")
    store.commit()
    store.close()
    store.close()
    assert journal.calls == ["a open", "b open", "a write", "b write", "frontier complete", "a close", "b close"]


def test_a_sink_that_fails_keeps_the_frontier_from_moving_on(journal: Journal) -> None:
    store = store_over(journal, "a", "b")
    journal.broken = {"b write"}
    with pytest.raises(StoreError, match=r"sink b could not store 1 pages.*OSError: b write went wrong.*run again"):
        store.commit()
    assert (len(store), store.full) == (1, False), "the batch is kept, and is not tried with every page"
    journal.broken = set()
    journal.calls.clear()
    store.commit()
    assert journal.calls == ["a write", "b write", "frontier complete"]


def test_a_sink_that_would_end_the_process_fails_like_another(journal: Journal) -> None:
    store = store_over(journal, "a")
    journal.broken, journal.error = {"a write"}, SystemExit
    with pytest.raises(StoreError, match=r"sink a could not store 1 pages.*SystemExit: a write went wrong"):
        store.commit()


def test_those_that_are_open_are_closed_when_one_can_not_be_opened(journal: Journal) -> None:
    journal.broken = {"b open"}
    with pytest.raises(StoreError, match="sink b could not be opened"):
        journal.sinks("a", "b", "c")
    assert journal.calls == ["a open", "b open", "a close"]


def test_all_are_closed_when_one_fails_at_it(journal: Journal) -> None:
    sinks = journal.sinks("a", "b")
    journal.broken = {"a close"}
    with pytest.raises(StoreError, match="sink a could not be closed"):
        sinks.close()
    assert journal.calls[2:] == ["a close", "b close"]


def test_a_batch_of_pages_that_have_not_changed_is_no_ones(journal: Journal) -> None:
    store = Batcher(journal, None, others=journal.sinks("a"), max_pages=100)
    store.add(None, Done(visit_of(None).lease, URL, PageKind.TARGET, True, unread=True))
    store.commit()
    assert journal.calls == ["a open", "frontier complete"]


def test_rows_are_the_records_that_are_stored() -> None:
    visits = [
        visit_of(Record(URL, {"title": "Thor", "price": 11.48})),
        visit_of(Record(URL, {}, rejected="another category")),
        visit_of(Record(URL, {"reviews": ["good"]}, parent="http://shop.example/0")),
        visit_of(None),
    ]
    assert record_rows(visits) == [{"url": URL, "fetched_at": 7.0, "title": "Thor", "price": 11.48}]


def test_the_own_file_survives_kill_9_at_every_statement_of_a_batch(tmp_path: Path) -> None:
    """All of a batch is there, or nothing; written again, it is there once."""
    path = tmp_path / "crawl.db"
    batches = [
        [book(1, title="a", tags=["x"]), book(2, title="b")],
        [book(1, at=8.0, title="c"), book(3, at=8.0, requested=url_of(2)), book(4, at=8.0, title="d")],
    ]
    write_until(path, batches[0], 0)
    before = contents(path)
    statements = write_until(shutil.copy(path, tmp_path / "whole.db"), batches[1], 0)
    after = contents(tmp_path / "whole.db")
    assert statements > 15
    for number in range(1, statements + 1):
        child = os.fork()
        if not child:
            write_until(path, batches[1], number)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        assert contents(path) == before, number
    write_until(path, batches[1], 0)
    assert contents(path) == after


def write_until(path: Path | str, batch: list[Visit], number: int) -> int:
    """Write a batch; kill -9 of this process before its statement of that *number*. Returns how many it takes."""
    done = itertools.count(1)
    with CrawlDatabase(path) as database:
        sink = SqliteSink(database, site="books", fields=SHAPE, keep_html=KeepHtml.RAW, keep_history=True)
        database.connection.set_trace_callback(
            lambda _: os.kill(os.getpid(), signal.SIGKILL) if next(done) == number else None
        )
        sink.write(batch)
        database.connection.set_trace_callback(None)
    return next(done) - 1


def contents(path: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(path)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in names}  # noqa: S608
