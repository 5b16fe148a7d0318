"""`scrapy vacuum` as a person runs it, and the sizes that `scrapy status` tells."""

from __future__ import annotations

import json

from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.conftest import Project
from tests.site_server import SiteServer


def test_a_crawled_site_is_vacuumed_and_its_sizes_are_told(project: Project, site: SiteServer) -> None:
    pages = [f"/p/{number}" for number in range(30)]
    site.links = {"/": pages, **{page: [] for page in pages}}
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph", settings={"GWC_KEEP_HTML": "raw"}).code == 0
    outcome = project.scrapy("vacuum", "graph")
    assert (outcome.code, outcome.err) == (0, "")
    assert "crawl.db" in outcome.out
    assert "MB before" in outcome.out
    told = json.loads(project.scrapy("vacuum", "graph", "--json").out)
    assert set(told["crawl.db"]) == {"repacked", "bytes_before", "bytes_after"}
    status = project.scrapy("status", "graph")
    assert "crawl.db" in status.out
    assert "urls" in status.out
    sizes = json.loads(project.scrapy("status", "graph", "--json").out)["sizes"]["crawl.db"]
    assert sizes["file"] == (project.directory / "data" / "graph" / "crawl.db").stat().st_size
    assert json.loads(project.scrapy("status", "--json").out)[0]["sizes"] is None
    with CrawlDatabase(project.directory / "data" / "graph" / "crawl.db") as database:
        database.lock("worker 9")
        refused = project.scrapy("vacuum", "graph")
    assert refused.code == 5
    assert "is being crawled by worker 9; wait for it or stop it" in refused.err


def test_mistakes_are_told_in_a_line(project: Project) -> None:
    project.write_graph_site("http://a.example")
    for arguments, message in (
        ((), "name one site"),
        (("nobody",), "no site or spider named 'nobody'"),
        (("graph",), "there is no database of graph yet"),
    ):
        outcome = project.scrapy("vacuum", *arguments)
        assert outcome.code == 2
        assert message in outcome.err
        assert "Traceback" not in outcome.err


def test_html_is_kept_in_the_form_that_is_asked_for(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p/1"], "/p/1": []}
    project.write_graph_site(site.url)
    project.write_knowledge(targets=(rf"{site.url}/p/[0-9]+",))
    forms = {"raw": (2, 2), "stripped": (0, 2), "none": (0, 0)}
    for word, counts in forms.items():
        crawled = project.scrapy("crawl", "graph", settings={"GWC_KEEP_HTML": word, "GWC_DATA_DIR": "data"})
        assert crawled.code in (0, 3, 4), crawled.err
        query = "SELECT count(html), count(nullif(stripped_html, '')) FROM pages"
        assert project.rows(query) == [counts], word
        (project.directory / "data" / "graph" / "crawl.db").unlink()
