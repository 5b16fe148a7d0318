"""The strip engine over SQL Server's wire: tables of others and a crawl's, cut connections, a kill."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler import settings
from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.page.strip import strip_tags
from gwc_crawler.store.server.config import OutletConfig, ServerConfig, text_literal, url_id
from gwc_crawler.store.server.sql_server import SqlServerConnection as ServerConnection
from gwc_crawler.store.stripping.engine import (
    EngineOptions,
    StopWatch,
    StripOutcome,
    StrippedPage,
    Strippers,
    strip_pages,
)
from gwc_crawler.store.stripping.locations import open_source, open_target
from gwc_crawler.store.stripping.tables import ServerTarget
from tests.conftest import Project
from tests.postgres_server import PostgresServer
from tests.tds_server import Hook, TdsServer

DEFAULTS = {name: value for name, value in vars(settings).items() if name.startswith("GWC_MSSQL_")}
SMALL = EngineOptions(read_rows=10, block_pages=4, blocks=5)


def html(number: int) -> str:
    return f"<title>t</title><p>Seite {number} 第版 𠀀 it's </p>"


def url(number: int) -> str:
    return f"http://shop.example/书?a='{number}"


def config(tds: TdsServer) -> ServerConfig:
    return OutletConfig.from_settings(settings_of(tds)).server


def settings_of(tds: TdsServer) -> dict[str, Any]:
    return {**DEFAULTS, **tds.settings}


class InSchema(ServerConnection):
    """A connection on which [dbo] is the schema of the test."""

    def __init__(self, config: ServerConfig) -> None:
        self._schema = config.schema
        super().__init__(config)

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return super().run(statement.replace("[dbo]", f"[{self._schema}]"), values)


@pytest.fixture
def server(tds: TdsServer) -> Iterator[ServerConnection]:
    connection = InSchema(config(tds))
    connection.make_schema(config(tds).schema)
    yield connection
    connection.close()


def fill(server: ServerConnection, pages: int) -> None:
    """Make a table of somebody else's, with an `id` and texts."""
    server.run(
        "CREATE TABLE [dbo].[documents] (id INT NOT NULL, url NVARCHAR(400) NOT NULL, content NVARCHAR(MAX) NULL, "
        "PRIMARY KEY (id))"
    )
    for number in range(pages):
        server.run(
            "INSERT INTO [dbo].[documents] (id, url, content) VALUES (%s, %s, %s)", (number, url(number), html(number))
        )


def strip(tds: TdsServer, source: str, target: str, table: str | None = None) -> StripOutcome:
    watch = StopWatch()
    reader, writer = (
        open_source(source, table, watch, settings_of(tds)),
        open_target(target, None, watch, settings_of(tds)),
    )
    try:
        done = strip_pages(reader, writer, Strippers(1), watch, SMALL)
    finally:
        reader.close()
        writer.close()
    if done.pages:
        assert watch.operations["write"].inside > 0
    return done


def stored(tds: TdsServer) -> dict[str, Any]:
    rows: list[Any] = tds.rows("SELECT url, content FROM dbo.stripped")
    assert len(rows) == len(dict(rows))
    return dict(rows)


def wanted(pages: int) -> dict[str, Any]:
    return {url(number): strip_tags(html(number)) for number in range(pages)}


def test_a_table_is_stripped_into_another_one_and_a_second_run_finds_it_done(
    tds: TdsServer, server: ServerConnection
) -> None:
    fill(server, 33)
    done = strip(tds, "mssql:", "mssql:", "documents")
    assert (done.pages, done.problems) == (33, 0)
    assert stored(tds) == wanted(33)
    again = strip(tds, "mssql:", "mssql:", "documents")
    assert (again.pages, again.done_before) == (0, 33)


def fetch(server: ServerConnection, number: int, at: str, kind: str = "target") -> None:
    """Store a page as a crawl does."""
    key = url_id("shop", url(number))
    server.run("DELETE FROM [dbo].[pages] WHERE url_id = %s", (key,))
    server.run(
        "INSERT INTO [dbo].[pages] (url_id, url, kind, content_type, fetched_at, html) VALUES (%s, %s, %s, %s, %s, %s)",
        (key, url(number), kind, "text/html; charset=utf-8", at, gzip.compress(html(number).encode())),
    )


def test_of_a_crawl_what_was_fetched_since_is_stripped_again(tds: TdsServer, server: ServerConnection) -> None:
    server.run(
        "CREATE TABLE [dbo].[pages] (url_id BINARY(16) NOT NULL, url NVARCHAR(MAX) NOT NULL, "
        "kind NVARCHAR(20) NOT NULL, content_type NVARCHAR(MAX) NOT NULL, fetched_at DATETIME2(6) NOT NULL, "
        "html VARBINARY(MAX) NULL, "
        "PRIMARY KEY (url_id))"
    )
    for number in range(25):
        fetch(server, number, "2026-01-01T10:00:00.000001")
    fetch(server, 99, "2026-01-01T10:00:00.000001", kind="binary")
    assert strip(tds, "mssql:", "mssql:").pages == 25
    assert stored(tds) == wanted(25)
    fetch(server, 3, "2026-01-01T10:00:00.000002")
    fetch(server, 25, "2026-01-01T09:00:00")
    done = strip(tds, "mssql:", "mssql:")
    assert (done.pages, done.done_before) == (2, 24)
    assert stored(tds) == wanted(26)


def test_a_schema_that_is_missing_is_made(tds: TdsServer) -> None:
    if tds.process is None:
        pytest.skip("of a server of somebody's, each test has a schema that is missing at first")
    target = ServerTarget(replace(config(tds), schema="apart"), StopWatch())
    target.write([StrippedPage(url(1), "2", "x")])
    target.close()
    assert tds.rows('SELECT content FROM "apart.stripped"') == [("x",)]


def test_it_goes_from_sqlite_to_the_server_and_back(tds: TdsServer, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "waiting.db")) as connection:
        connection.execute("CREATE TABLE pages (url TEXT PRIMARY KEY, html BLOB)")
        rows = [(url(number), gzip.compress(html(number).encode())) for number in range(20)]
        connection.executemany("INSERT INTO pages VALUES (?, ?)", rows)
        connection.commit()
    assert strip(tds, f"sqlite:{tmp_path / 'waiting.db'}", f"mssql:{tds.database}").pages == 20
    assert stored(tds) == wanted(20)
    back = f"sqlite:{tmp_path / 'back.db'}"
    assert strip(tds, "mssql:", back, "stripped").pages == 20
    with closing(sqlite3.connect(tmp_path / "back.db")) as connection:
        assert dict(connection.execute("SELECT url, content FROM stripped")) == {
            url(number): strip_tags(strip_tags(html(number))) for number in range(20)
        }


def test_texts_come_back_as_they_were_and_only_newer_pages_replace(tds: TdsServer) -> None:
    target = ServerTarget(config(tds), StopWatch())
    texts = ["", " ", "a ", "\t\n", "x" * 9000, "\ud800 lone", "nul\0", "𠀀" * 50, "]]'--"]
    target.write([StrippedPage(url(number), "2", text) for number, text in enumerate(texts)])
    target.write(
        [StrippedPage(url(0), "1", "older"), StrippedPage(url(1), "3", "newer"), StrippedPage(url(1), "2", "")]
    )
    target.write([StrippedPage("http://else.example/", "", "", "a process died at it")])
    target.close()
    kept = [text.encode("utf-8", "replace").decode().replace("\0", "") for text in texts]
    kept[5] = "\ufffd lone"
    kept[1] = "newer"
    assert stored(tds) == {url(number): text for number, text in enumerate(kept)} | {"http://else.example/": None}
    assert tds.rows("SELECT problem FROM dbo.stripped WHERE content IS NULL") == [("a process died at it",)]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    "message",
    ["TRUNCATE", "INSERT BULK", "bulk rows", "BEGIN", "DELETE FROM #stripped", "UPDATE t", "INSERT INTO", "COMMIT"],
)
def test_a_connection_that_is_cut_at_any_message_loses_and_doubles_nothing(
    tds: TdsServer, server: ServerConnection, monkeypatch: pytest.MonkeyPatch, message: str, after: bool
) -> None:
    monkeypatch.setattr("gwc_crawler.store.server.reading.FIRST_PAUSE_SECONDS", 0.0)
    fill(server, 12)
    tds.hook(Hook("drop", match=message, at=2, after=after))
    done = strip(tds, "mssql:", "mssql:", "documents")
    assert any(message.lower() in heard.lower() for heard in tds.heard())
    assert (done.pages, stored(tds)) == (12, wanted(12))


def test_a_server_that_is_away_is_told(tds: TdsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gwc_crawler.store.server.reading.FIRST_PAUSE_SECONDS", 0.0)
    with pytest.raises(InputError, match=r"no table .*; --table takes one of those that are there"):
        open_source("mssql:", "nowhere", StopWatch(), settings_of(tds))
    wrong = {**settings_of(tds), "GWC_MSSQL_PASSWORD": "not-this-one"}
    with pytest.raises(StoreError, match=r"SQL Server at .*: .*; mend it, and run again"):
        open_target("mssql:", None, StopWatch(), wrong)
    monkeypatch.delenv("GWC_MSSQL_USER")
    with pytest.raises(InputError, match="GWC_MSSQL_USER is empty"):
        open_target("mssql:", None, StopWatch(), {**settings_of(tds), "GWC_MSSQL_USER": ""})


def test_the_command_takes_the_server_from_the_environment(
    project: Project, tds: TdsServer, server: ServerConnection
) -> None:
    fill(server, 15)
    outcome = project.scrapy("strip", "--from", "mssql:", "--table", "documents", "--to", "mssql:", "--workers", "2")
    assert (outcome.code, outcome.err) == (0, "")
    assert "stripped  15 pages" in outcome.out
    assert stored(tds) == wanted(15)


def test_urls_that_the_server_takes_for_equal_are_all_read(tds: TdsServer, server: ServerConnection) -> None:
    """Also where a block of keys ends between them."""
    server.run("CREATE TABLE [dbo].[odd] (n INT NOT NULL, url NVARCHAR(400) NOT NULL, html NVARCHAR(MAX) NULL)")
    urls = ["http://a/B", "http://a/a", "http://a/b", "http://a/c\\\nd"]
    for number, one in enumerate(urls):
        server.run("INSERT INTO [dbo].[odd] (n, url, html) VALUES (%s, %s, %s)", (number, "", html(number)))
        server.run(f"UPDATE [dbo].[odd] SET url = {text_literal(one)} WHERE n = {number}")  # noqa: S608  # that is the test
    source = open_source(f"mssql:{tds.database}", "odd", StopWatch(), settings_of(tds))
    keys, last = [], None
    while found := source.keys(last, 2):
        last = found[-1]
        keys += found
    assert sorted(key.url for key in keys) == urls
    assert [page.url for page in source.fetch([key for key in keys if key.url == "http://a/b"])] == ["http://a/b"]
    assert [page.url for page in source.fetch(keys[-1:])] == urls[-1:]
    source.close()


def test_postgres_is_stripped_from_and_into(postgres: PostgresServer, tmp_path: Path) -> None:
    """What was done is found done, also of pages that were fetched again since."""
    settings = {**DEFAULTS, **postgres.settings}
    postgres.run(
        "CREATE TABLE pages (url_id BYTEA PRIMARY KEY, url TEXT, kind TEXT, content_type TEXT, fetched_at TIMESTAMP, "
        "html BYTEA)"
    )
    for number in range(25):
        packed = gzip.compress(html(number).encode()).hex()
        postgres.run(
            f"INSERT INTO pages VALUES (DECODE(MD5('{number}'), 'hex'), '{url(number).replace(chr(39), chr(39) * 2)}', "  # noqa: S608
            f"'target', 'text/html; charset=utf-8', '2026-01-01T10:00:00.000001', DECODE('{packed}', 'hex'))"
        )
    for pages, before in ((25, 0), (0, 25)):
        watch = StopWatch()
        source, target = (
            open_source("postgres:", None, watch, settings),
            open_target("postgres:", None, watch, settings),
        )
        done = strip_pages(source, target, Strippers(1), watch, SMALL)
        source.close()
        target.close()
        assert (done.pages, done.done_before) == (pages, before)
    assert dict(postgres.rows("SELECT url, content FROM stripped")) == wanted(25)
    with pytest.raises(StoreError, match="nowhere"):  # the database that is named, not the settings' one
        strip_pages(open_source("postgres:nowhere", None, watch, settings), target, Strippers(1), watch, SMALL)
