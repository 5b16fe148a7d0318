"""The table `sites` says how far the crawl of the site itself is."""

from __future__ import annotations

from tests.conftest import Project
from tests.site_server import SiteServer


def states(project: Project) -> list[tuple[str, str]]:
    return project.rows("SELECT name, state FROM sites ORDER BY name")  # type: ignore[return-value]


def test_a_crawl_writes_its_state(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/1", "/2", "http://elsewhere.example/"], "/1": [], "/2": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph", settings={"GWC_MAX_PAGES": 1, "CONCURRENT_REQUESTS": 1}).code == 0
    assert states(project) == [("elsewhere.example", "U"), ("graph", "U")]
    assert project.scrapy("crawl", "graph").code == 0
    assert states(project) == [("elsewhere.example", "U"), ("graph", "C")]


def test_a_site_that_gives_nothing_is_in_error(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph").code == 3
    assert states(project) == [("graph", "E")]
