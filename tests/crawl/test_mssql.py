"""Whole crawls into a SQL Server: every page is there once, whatever ends the crawl, its writer or the server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Project
from tests.crawl.test_endings import assert_clear
from tests.graphs import star
from tests.site_server import SiteServer
from tests.tds_server import TdsServer

PAGES = 61


def settings(sink: str = "mssql", **more: Any) -> dict[str, Any]:
    return {"GWC_SINK": sink, "GWC_COMMIT_PAGES": 10, "GWC_MSSQL_RETRY_SECONDS": 0.3, **more}


@pytest.fixture
def shop(project: Project, site: SiteServer) -> Project:
    site.links = star(PAGES - 1)
    project.write_graph_site(site.url)
    project.write_knowledge()
    return project


def test_pages_links_and_urls_are_on_the_server(shop: Project, site: SiteServer, tds: TdsServer) -> None:
    outcome = shop.scrapy("crawl", "graph", settings=settings("sqlite,mssql"))
    assert_clear(outcome, 0)
    urls = {f"{site.url}{path}" for path in site.links}
    assert {row[0] for row in tds.rows("SELECT url FROM dbo.pages")} == urls
    here = shop.rows("SELECT src_url, dst_url, pruned FROM links")
    assert set(tds.rows("SELECT src_url, dst_url, pruned FROM dbo.links")) == set(here)
    assert tds.rows("SELECT state, count(*) FROM dbo.urls GROUP BY 1") == [("C", PAGES)]
    assert tds.password not in outcome.err + outcome.out
