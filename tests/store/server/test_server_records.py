"""The dashboard shows what a server alone has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gwc_crawler.store.server.sink import ServerSink
from tests.conftest import Project
from tests.dashboard.asking import ask
from tests.store.server.conftest import url_of, visit_of
from tests.tds_server import TdsServer


@pytest.fixture
def stored(open_sink: Callable[..., ServerSink]) -> None:
    """Seven books on the server."""
    sink = open_sink()
    sink.write([visit_of(n, at=float(n), title=f"Band {n} O'Neill 书", tags=["a", "b"]) for n in range(1, 8)]).result(
        30
    )
    assert sink.outlet.is_empty_within(30)


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
