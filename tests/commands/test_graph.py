"""`scrapy graph`: the stored links as figures and files."""

from __future__ import annotations

import json
import subprocess

from tests.conftest import Project
from tests.site_server import SiteServer

LINKS = {"/": ["/a", "/b"], "/a": ["/b", "/gone"], "/b": ["/"]}


def test_the_graph_of_a_crawl_is_that_of_its_site(project: Project, site: SiteServer) -> None:
    site.links = dict(LINKS)
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph").code == 0
    told = json.loads(project.scrapy("graph", "graph", "-o", "g.csv", "--json").out)
    assert (told["pages"], told["links"], told["left_out"], told["depths"]) == (3, 4, 1, {"0": 1, "1": 2})
    lines = (project.directory / "g.csv").read_text(encoding="utf-8").splitlines()
    assert {tuple(line.split(",")[:2]) for line in lines[1:]} == {
        (site.url + page, site.url + end) for page, ends in LINKS.items() for end in ends if end != "/gone"
    }
    assert len((project.directory / "g.pages.csv").read_text(encoding="utf-8").splitlines()) == 4
    assert json.loads(project.scrapy("graph", "graph", "--known", "--json").out)["pages"] == 4
    assert project.scrapy("graph", "graph", "-o", "g.csv").code == 0, "what it wrote itself, it replaces"
    (project.directory / "mine.svg").write_text("mine", encoding="utf-8")
    assert project.scrapy("graph", "graph", "-o", "mine.svg").code == 2
    assert "a format of graphs" in project.scrapy("graph", "graph", "-o", "g.docx").err


def test_while_a_crawl_runs(project: Project, busy_crawl: subprocess.Popen[str]) -> None:
    outcome = project.scrapy("graph", "graph", "-o", "g.html")
    assert outcome.code == 0, outcome.err
    assert project.scrapy("export", "graph", "-o", "g.csv").code in (0, 2), "it has no fields, so perhaps no table"
    assert busy_crawl.poll() is None
