"""What is kept of records over time: each difference once, in the transaction that makes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.items import Lease, Page, PageKind, Record, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.sink import Revision
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader, has_history, read_changes
from gwc_crawler.store.sqlite.sink import SqliteSink

URL = "http://shop.example/1"
SHAPE = RecordShape(("title", "price", "price_raw", "tags"), frozenset({"price"}))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        yield database


@pytest.fixture
def sink(database: CrawlDatabase) -> SqliteSink:
    return SqliteSink(database, site="shop", fields=SHAPE, keep_history=True)


def visit(at: float, fields: dict[str, Any] | None, *, url: str = URL, asked: str = "") -> Visit:
    kind = PageKind.TARGET if fields else PageKind.LOOKALIKE
    page = Page(url, 200, b"", "text/html", "utf-8", kind=kind, relevant=True)
    return Visit(
        Lease(asked or url, 1, 0, 1, 1, "w", 1, 0.0), page, Record(url, fields) if fields else None, 0, at, "", ""
    )


def told(database: CrawlDatabase, **which: Any) -> list[tuple[Any, ...]]:
    found = read_changes(database, "shop", **which)
    return [(one.at, one.what, one.url[-1], one.field, one.old, one.new) for one in found]


def test_each_difference_is_kept_once(database: CrawlDatabase, sink: SqliteSink) -> None:
    first = {"title": "Thor", "price": 3.5, "price_raw": "$3.50", "tags": ["a"]}
    sink.write([visit(1.0, first)])
    sink.write([visit(2.0, first)])
    sink.write([visit(3.0, {**first, "price": 4, "price_raw": "$4", "tags": ["a", "b"]})])
    sink.write([visit(4.0, None)])
    kept = '{"fetched_at": 3.0, "title": "Thor", "price": 4, "price_raw": "$4", "tags": "[\\"a\\", \\"b\\"]"}'
    assert told(database) == [
        (1.0, "new", "1", "", None, None),
        (3.0, "changed", "1", "price", 3.5, 4),
        (3.0, "changed", "1", "price_raw", "$3.50", "$4"),
        (3.0, "changed", "1", "tags", '["a"]', '["a", "b"]'),
        (4.0, "removed", "1", "", kept, None),
    ]
    assert [row[3] for row in told(database, since=2.5, field="tags")] == ["tags"]
    assert told(database, url="http://shop.example/2") == []


def test_a_value_that_only_reads_otherwise_is_no_change(database: CrawlDatabase, sink: SqliteSink) -> None:
    sink.write([visit(1.0, {"price": 3, "price_raw": "3 hours ago"})])
    sink.write([visit(2.0, {"price": 4, "price_raw": "3 hours ago"})])
    assert [row[1] for row in told(database)] == ["new"]


def test_a_page_that_moved_takes_its_record_along(database: CrawlDatabase, sink: SqliteSink) -> None:
    sink.write([visit(1.0, {"title": "Thor"})])
    sink.write([visit(2.0, {"title": "Thor"}, url="http://shop.example/2", asked=URL)])
    assert [row[:3] for row in told(database)] == [(1.0, "new", "1"), (2.0, "new", "2"), (2.0, "removed", "1")]


def test_what_is_read_anew_from_stored_pages_is_kept_with_its_cause(database: CrawlDatabase, sink: SqliteSink) -> None:
    first = visit(1.0, {"title": "Thor"})
    sink.write([first])
    sink.revise([Revision(first.page, Record(URL, {"title": "Thor!"}), 1.0)])
    *_, last = read_changes(database, "shop")
    assert (last.what, last.field, last.old, last.new, last.cause) == ("changed", "title", "Thor", "Thor!", "extract")


def test_what_is_rolled_back_never_happened(database: CrawlDatabase, sink: SqliteSink) -> None:
    with pytest.raises(KeyError), database.transaction():
        sink.write([visit(1.0, {"title": "Thor"})])
        raise KeyError
    assert told(database) == []


def test_an_export_since_goes_by_the_history(database: CrawlDatabase, sink: SqliteSink) -> None:
    page = visit(1.0, {"title": "Thor"})
    sink.write([page, visit(1.0, {"title": "Odin"}, url="http://shop.example/2")])
    sink.revise([Revision(page.page, Record(URL, {"title": "Thor!"}), 1.0)])
    table = SqliteReader(database, "shop").records()
    assert table is not None
    assert [row for batch in table.read(("title",), since=2.0) for row in batch] == [("Thor!",)]


def test_without_the_setting_nothing_is_kept(database: CrawlDatabase) -> None:
    SqliteSink(database, site="shop", fields=SHAPE).write([visit(1.0, {"title": "Thor"})])
    assert not has_history(database)
