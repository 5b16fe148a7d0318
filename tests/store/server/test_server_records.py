"""Records are read back from the server, as somebody looks at them, also in the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.store.server import OutletConfig, ServerConfig, SqlServerSink
from gwc_crawler.store.server.records import recent_server_records, server_record_at
from tests.conftest import Project
from tests.dashboard.asking import ask
from tests.store.server.conftest import SETTINGS, url_of, visit_of
from tests.tds_server import TdsServer

Opened = Callable[..., SqlServerSink]


@pytest.fixture
def server(tds: TdsServer) -> ServerConfig:
    """Where the records are."""
    return OutletConfig.from_settings({**SETTINGS, **tds.settings}).server


@pytest.fixture
def stored(open_sink: Opened) -> None:
    """Seven books on the server."""
    sink = open_sink()
    sink.write([visit_of(n, at=float(n), title=f"Band {n} O'Neill 书", tags=["a", "b"]) for n in range(1, 8)]).result(
        30
    )
    assert sink.is_empty_within(30)


@pytest.mark.usefixtures("stored")
def test_the_last_records_come_first_and_page_by_page(server: ServerConfig) -> None:
    first = recent_server_records(server, "books", limit=5)
    assert first is not None
    assert [row["url"] for row in first.rows] == [url_of(n) for n in (7, 6, 5, 4, 3)]
    assert (first.rows[0]["fetched_at"], first.rows[0]["title"]) == (7.0, "Band 7 O'Neill 书")
    rest = recent_server_records(server, "books", before=first.next or "", limit=5)
    assert rest is not None
    assert ([row["url"] for row in rest.rows], rest.next) == ([url_of(2), url_of(1)], None)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(("text", "found"), [("band 3 o'neill", [3]), ("书", [7, 6, 5, 4, 3, 2, 1]), ("%", [])])
def test_records_are_searched(server: ServerConfig, text: str, found: list[int]) -> None:
    records = recent_server_records(server, "books", search=text)
    assert records is not None
    assert [row["title"].split()[1] for row in records.rows] == [str(n) for n in found]


@pytest.mark.usefixtures("stored")
def test_one_record_is_found_by_its_url(server: ServerConfig) -> None:
    found = server_record_at(server, "books", url_of(4))
    assert found is not None
    assert (found["title"], found["fetched_at"]) == ("Band 4 O'Neill 书", 4.0)
    assert server_record_at(server, "books", url_of(99)) is None
    assert (recent_server_records(server, "else"), server_record_at(server, "else", url_of(1))) == (None, None)


def test_a_server_that_is_away_is_told(tds: TdsServer, server: ServerConfig) -> None:
    tds.kill()
    with pytest.raises(StoreError, match="SQL Server at"):
        recent_server_records(server, "books")
    tds.start()


@pytest.mark.usefixtures("stored")
def test_the_dashboard_shows_what_a_server_alone_has(tds: TdsServer, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write_site("books", 'entry = ["https://shop.example/"]\nkeywords = "x"\n[settings]\nGWC_SINK = "mssql"\n')
    records, searched, one = ask(
        tmp_path,
        "/sites/books/records",
        "/sites/books/records?q=band+3",
        f"/sites/books/record?url={url_of(3)}",
    )
    assert "Band 7 O&#39;Neill 书" in records.text
    assert ("Band 3" in searched.text, "Band 7" in searched.text) == (True, False)
    assert "Band 3 O&#39;Neill 书" in one.text
    tds.kill()
    (away,) = ask(tmp_path, "/sites/books/records")
    assert "SQL Server at" in away.text
    assert tds.password not in away.text
    tds.start()
