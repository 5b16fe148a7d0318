"""One behaviour, two sinks: what SQLite's tables have after a crawl's batches, the SQL Server's have, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gwc_crawler.items import Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store import CrawlDatabase, SqliteSink
from gwc_crawler.store.mssql import SqlServerSink
from tests.store.mssql.conftest import SHAPE, url_of, visit_of
from tests.tds_server import TdsServer

TABLES = {
    "pages": "SELECT url, requested, title, kind, relevant, weight, depth, status, abstract, body FROM {}",
    "links": "SELECT src_url, dst_url, pruned FROM {}",
    "records_books": "SELECT url, title, tags FROM {}",
    "exceptions": "SELECT url, field, reason, closest FROM {}",
    "sites": "SELECT site, host, name, state, link_count, first_url FROM {}",
}


CASES: dict[str, list[list[Visit]]] = {
    "pages with and without records": [[visit_of(1, title="a", tags=["x"]), visit_of(2)], [visit_of(3, title="")]],
    "a page that is looked at again": [[visit_of(1, title="a")], [visit_of(1, at=8.0, title="b", tags=[])]],
    "a record that is gone": [[visit_of(1, title="a")], [visit_of(1, at=8.0)]],
    "a page that has moved": [[visit_of(1, title="a")], [visit_of(2, at=8.0, requested=url_of(1), title="b")]],
    "a batch that comes twice": [[visit_of(1, title="a")], [visit_of(1, title="a")]],
    "a page twice in a batch": [[visit_of(1, title="a"), visit_of(1, at=8.0, title="b")]],
    "texts of many kinds": [[visit_of(1, title="黑🙂\ud800' % \\ \n end ", tags=["[", {"k": "v"}])]],
}


@pytest.mark.parametrize("batches", CASES.values(), ids=list(CASES))
def test_both_have_the_same(
    batches: list[list[Visit]], tmp_path: Path, open_sink: Callable[..., SqlServerSink], tds: TdsServer
) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        own = SqliteSink(database, site="books", fields=SHAPE, keep_html=KeepHtml.RAW)
        server = open_sink()
        for batch in batches:
            server.write([replace(visit) for visit in batch]).result(30)
            own.write(batch)
        server.close()
        for table, query in TABLES.items():
            here = database.connection.execute(query.format(table)).fetchall()
            assert sorted(map(repr, tds.rows(query.format(f"dbo.{table}")))) == sorted(map(repr, here)), table
