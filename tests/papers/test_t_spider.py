"""What the T-Spider paper says and no other test shows by itself."""

from __future__ import annotations

from tests.conftest import Project
from tests.processes import kill, wait_until
from tests.site_server import SiteServer

SITES = "SELECT name, state FROM sites WHERE name = 'graph' OR host = 'elsewhere.example' ORDER BY name"


def test_each_url_and_each_site_is_waiting_running_complete_or_an_error(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/gone", "http://elsewhere.example/", *(f"/{number}" for number in range(200))]}
    site.links |= {f"/{number}": [] for number in range(200)}
    site.statuses["/gone"] = 404
    site.delays["*"] = 0.2
    project.write_graph_site(site.url)
    project.write_knowledge()
    settings = {"CONCURRENT_REQUESTS": 2, "GWC_LEASE_BATCH": 4, "GWC_COMMIT_SECONDS": 0.2}
    process = project.start("crawl", "graph", settings=settings)
    site.wait_for_pages(6)
    wait_until(lambda: set(project.states().values()) == set("URCE"), 60)
    assert project.rows(SITES) == [("elsewhere.example", "U"), ("graph", "R")]
    kill(process)

    site.delays.clear()
    assert project.scrapy("crawl", "graph").code == 0
    assert set(project.states().values()) == set("CE")
    assert project.rows(SITES) == [("elsewhere.example", "U"), ("graph", "C")]

    site.statuses["/"] = 404
    project.write_graph_site(site.url, name="other")
    project.write_knowledge("other")
    project.scrapy("crawl", "other")
    assert project.rows("SELECT state FROM sites WHERE name = 'other'", name="other") == [("E",)]
