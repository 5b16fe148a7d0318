"""A way out to what answers like a SQL Server, and pages that go it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.items import FieldProblem, Lease, Page, PageKind, Record, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.server.sink import PostgresSink, ServerSink, SqlServerSink
from gwc_crawler.store.sink import SinkConfig
from tests.postgres_server import PostgresServer
from tests.tds_server import TdsServer

SHAPE = RecordShape(("title", "price", "born", "tags"), numbers=frozenset({"price"}), dates=frozenset({"born"}))
SINKS: dict[str, type[ServerSink]] = {"mssql": SqlServerSink, "postgres": PostgresSink}
SETTINGS = {
    "GWC_KEEP_HTML": "all",
    "GWC_MSSQL_WRITERS": 1,
    "GWC_MSSQL_SPILL_BYTES": 10_000_000,
    "GWC_MSSQL_CLOSE_SECONDS": 30,
    "GWC_MSSQL_LISTS": "json",
    "GWC_MSSQL_PROCEDURE": "",
    "GWC_MSSQL_TIMEOUT_SECONDS": 5,
    "GWC_MSSQL_RETRY_SECONDS": 0.3,
}


def url_of(number: int) -> str:
    return f"https://shop.example/书/{number}"


def visit_of(number: int, *, at: float = 7.0, requested: str = "", **fields: Any) -> Visit:
    """A target page with links to its neighbours; without *fields* it has no record."""
    url = url_of(number)
    lease = Lease(requested or url, number, 0, 1, 1, "w", number, 0.0)
    page = Page(
        url, 200, b"<p>x</p>" * 20, "text/html", "utf-8", PageKind.TARGET, True,
        title=f"Page {number}", text="正文 text", links=(url_of(number + 1), url_of(number + 2)),
        outside=("https://else.example/1",),
    )  # fmt: skip
    record = Record(url, fields, (FieldProblem("isbn", "is missing"),)) if fields else None
    return Visit(lease, page, record, 0, at, stripped_html="<p>x</p>", abstract="正文")


def close_with_nothing_there(sink: ServerSink) -> None:
    """Close a sink of whose batches the server has none: a crawl does not end well so."""
    with pytest.raises(StoreError, match="of all that this run gave nothing is on the"):
        sink.close()


@pytest.fixture
def open_sink(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., ServerSink]]:
    """Open a sink, by settings that differ from the test's own, to the server that the test has; closed at the end."""
    name = "any_server" if "any_server" in request.fixturenames else "tds"
    server: TdsServer | PostgresServer = request.getfixturevalue(name)
    sinks = []

    def opened(site: str = "books", shape: RecordShape = SHAPE, **settings: Any) -> ServerSink:
        sink = SINKS[server.engine](SinkConfig(site, tmp_path, shape, {**SETTINGS, **server.settings, **settings}))
        sinks.append(sink)
        return sink

    yield opened
    server.hook()
    for sink in sinks:
        with suppress(StoreError):
            sink.close()
