"""One behaviour of all that can be read: a crawl's own file, a SQL Server, PostgreSQL."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.reading import SiteReader
from gwc_crawler.store.server.config import OutletConfig
from gwc_crawler.store.server.reading import ServerReader
from gwc_crawler.store.sink import SinkConfig
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.postgres_server import PostgresServer
from tests.store.server.conftest import SETTINGS, SINKS, url_of, visit_of
from tests.tds_server import TdsServer

SHAPE = RecordShape(("title", "price", "born", "tags"), numbers=frozenset({"price"}), dates=frozenset({"born"}))
AnyServer = TdsServer | PostgresServer
Filled = Callable[..., SiteReader]


@pytest.fixture(params=["sqlite", "mssql", "postgres"])
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Filled]:
    """Write batches into a store; returns what reads it."""
    if request.param == "sqlite":
        with CrawlDatabase(tmp_path / "crawl.db") as database:
            yield lambda *batches: in_sqlite(database, *batches)
        return
    server: AnyServer = request.getfixturevalue("tds" if request.param == "mssql" else "postgres")
    opened: list[ServerReader] = []

    def in_server(*batches: Any) -> ServerReader:
        for site in ("books", "films"):  # what another site has is nothing of this one's
            write(server, tmp_path / site, *(batches if site == "books" else [[visit_of(1, title="film")]]), site=site)
        opened.append(reader_of(server))
        return opened[-1]

    yield in_server
    for reader in opened:
        reader.close()


def in_sqlite(database: CrawlDatabase, *batches: Any) -> SqliteReader:
    sink = SqliteSink(database, site="books", fields=SHAPE, keep_html=KeepHtml.RAW)
    for batch in batches:
        sink.write(batch)
    return SqliteReader(database, "books")


def write(server: AnyServer, directory: Path, *batches: Any, site: str = "books") -> None:
    sink = SINKS[server.engine](SinkConfig(site, directory, SHAPE, {**SETTINGS, **server.settings}))
    for batch in batches:
        sink.write(batch).result(30)
    sink.close()


def reader_of(server: AnyServer) -> ServerReader:
    config = OutletConfig.from_settings({**SETTINGS, **server.settings}, server.engine).server
    return ServerReader(config, "books")


def books() -> list[Any]:
    return [
        visit_of(n, at=float(n), title=f"Band {n} O'Neill 书", price=n / 4, born="2010-06-12", tags=["a", {"k": n}])
        for n in range(1, 8)
    ]


def test_records_are_read_in_batches_each_once(filled: Filled) -> None:
    table = filled(books()).records()
    assert table is not None
    assert table.columns == ("url", "fetched_at", "title", "price", "born", "tags")
    rows = list(itertools.chain.from_iterable(table.read(("url", "fetched_at", "price", "born", "tags"), batch=2)))
    wanted = [(url_of(n), float(n), n / 4, "2010-06-12", f'["a", {{"k": {n}}}]') for n in range(1, 8)]
    assert sorted(rows) == sorted(wanted)
    assert table.count() == 7
    assert sorted(row[0] for batch in table.read(("url",), since=5.5) for row in batch) == [url_of(6), url_of(7)]
    assert list(table.read(("url",), since=99.0)) == []


def test_one_record_is_found_by_its_url(filled: Filled) -> None:
    table = filled(books()).records()
    assert table is not None
    assert table.one(url_of(4)) == {
        "url": url_of(4), "fetched_at": 4.0, "title": "Band 4 O'Neill 书", "price": 1, "born": "2010-06-12",
        "tags": '["a", {"k": 4}]',
    }  # fmt: skip
    assert table.one(url_of(99)) is None


def test_the_last_come_first_and_texts_are_found(filled: Filled) -> None:
    table = filled(books()).records()
    assert table is not None
    first = table.recent(("url",), limit=5)
    assert [row[0] for row in first.rows] == [url_of(n) for n in (7, 6, 5, 4, 3)]
    assert first.next is not None
    rest = table.recent(("url",), before=first.next, limit=5)
    assert [row[0] for row in rest.rows] == [url_of(2), url_of(1)]
    for text, numbers in (("band 3 o'neill", [3]), ("书", [7, 6, 5, 4, 3, 2, 1]), ("%", [])):
        found = table.recent(("url", "title"), search=text)
        assert [row[0] for row in found.rows] == [url_of(n) for n in numbers], text


def test_what_columns_hold_is_told(filled: Filled) -> None:
    table = filled([*books(), visit_of(9, at=9.0, title="", price=None, tags=[])]).records()
    assert table is not None
    facts = table.facts(("title", "price", "born", "tags"))
    assert (facts["price"].integers, facts["price"].fractions) == (1, 6)
    assert (facts["title"].texts, facts["title"].lists) == (8, 0)
    assert (facts["born"].days, facts["tags"].lists) == (7, 8)
    assert table.item_types("tags") == {None: {"text"}, "k": {"integer"}}
    steps = table.coverage(("title", "tags"))
    assert sum(count for _, count, _ in steps) == 8
    assert steps[0][2] == {"title": 1.0, "tags": 1.0}
    assert steps[-1][2]["title"] < 1.0


def test_pages_and_what_they_lack_are_told(filled: Filled) -> None:
    reader = filled(books(), [visit_of(8, at=8.0)])
    facts = reader.page_facts(url_of(3))
    assert facts is not None
    assert (facts["title"], facts["kind"], facts["fetched_at"], facts["html_kept"]) == ("Page 3", "target", 3.0, True)
    assert reader.page_facts(url_of(99)) is None
    kept = reader.stored_page(url_of(3))
    assert kept is not None
    assert (kept.html, kept.url) == (b"<p>x</p>" * 20, url_of(3))
    assert reader.stored_page(url_of(99)) is None
    assert reader.exceptions_of(url_of(3)) == [{"field": "isbn", "reason": "is missing", "closest": ""}]
    assert reader.exception_counts() == {"isbn": 7}
    assert reader.incomplete_records() == 7
    stats, more = reader.exception_stats()
    assert (stats["isbn"].count, stats["isbn"].reasons, more) == (7, {"is missing": 7}, False)
    assert reader.pages_by_kind() == {"target": 8}
    assert reader.took_its_place(url_of(3), "https://shop.example/main")
    assert not reader.took_its_place(url_of(3), url_of(4))


def test_the_graph_is_read(filled: Filled) -> None:
    moved = visit_of(8, at=8.0, requested="https://shop.example/old", title="moved")
    reader = filled(books(), [moved])
    pages = {row.number: row for row in reader.graph_pages()}
    assert {row.url for row in pages.values()} == {url_of(n) for n in range(1, 9)}
    known = {row.number: row.url for row in reader.graph_pages(known=True)}
    assert {url_of(9), url_of(10)} < set(known.values())
    links = {(known[start], known[end]) for start, end, pruned in reader.graph_links() if pruned}
    assert links == {(url_of(n), url_of(n + step)) for n in range(1, 9) for step in (1, 2)}
    redirects = [row.number for row in pages.values() if row.url == url_of(8)]
    assert list(reader.redirects().values()) in (redirects, [])  # SQLite: where the frontier knows the address
    assert (reader.has_more_links(15), reader.has_more_links(16)) == (True, False)
    assert sorted(reader.linking_to(url_of(4), 9)) == [(url_of(2), 0), (url_of(3), 0)]


def test_a_site_without_pages_has_nothing(filled: Filled) -> None:
    reader = filled([])
    assert (reader.pages_by_kind(), reader.exception_counts(), reader.graph_pages()) == ({}, {}, [])
    table = reader.records()
    assert table is None or (table.count(), table.recent(("url",)).rows, table.coverage(("title",))) == (0, [], [])
    assert reader.page_facts(url_of(1)) is None


def test_a_server_that_is_away_is_told_without_its_password(any_server: AnyServer) -> None:
    any_server.kill()
    try:
        with pytest.raises(StoreError, match=r"(SQL Server|PostgreSQL) at ") as caught:
            reader_of(any_server)
    finally:
        any_server.start()
    assert any_server.password not in str(caught.value)


def test_a_place_that_is_none_is_refused(any_server: AnyServer, tmp_path: Path) -> None:
    write(any_server, tmp_path, [visit_of(1, title="x")])
    reader = reader_of(any_server)
    table = reader.records()
    assert table is not None
    with pytest.raises(InputError, match="no place among the records"):
        table.recent(("url",), before="nowhere")
    reader.close()
