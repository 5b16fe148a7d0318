"""`scrapy why`: what a crawl knows of a URL, told by the command, before, during and after the crawl."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

from tests.conftest import Project
from tests.site_server import SiteServer

WRAPPED = '[[samples]]\nurl = "{url}/item/1"\nfields = {{ title = "Thor" }}\n'


def why(project: Project, url: str, *, code: int = 0) -> Any:
    outcome = project.scrapy("why", "graph", url, "--json")
    assert (outcome.code, outcome.err) == (code, "")
    return json.loads(outcome.out)


def test_before_the_crawl_the_filters_answer(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    assert project.scrapy("why", "graph", site.url).code == 2, "nothing is learned"
    project.write_knowledge(targets=(rf"{site.url}/p/[0-9]+",), directories=())
    assert why(project, f"{site.url}/p/1", code=10)["frontier"] is None
    told = why(project, f"{site.url}/p/x", code=11)
    assert told["rule"]["nearest"]["expected"] == "[0-9]+"


def test_after_the_crawl_state_way_and_page_are_told(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/off/1", "/gone", "/p/1"], "/off/1": ["/off/2"], "/off/2": ["/off/3"], "/p/1": ["/x"]}
    project.write_graph_site(site.url)
    project.write_knowledge(directories=(rf"{site.url}/(off|p|gone).*",), max_weight=2)
    assert project.scrapy("crawl", "graph").code == 0
    told = why(project, f"{site.url}/off/2")
    assert told["known"] is True
    assert told["frontier"]["state"] == "C"
    assert told["frontier"]["through"] == [[f"{site.url}/", 0], [f"{site.url}/off/1", 1]]
    assert told["page"]["status"] == 200
    gone = why(project, f"{site.url}/gone")["frontier"]
    assert (gone["state"], gone["reason"], gone["attempts"]) == ("E", "HTTP 404", 1)
    held = why(project, f"{site.url}/off/3", code=10)
    assert held["linked_from"] == [{"url": f"{site.url}/off/2", "weight": 2}]
    assert "held back" in project.scrapy("why", "graph", f"{site.url}/off/3").out
    refused = project.scrapy("why", "graph", f"{site.url}/x")
    assert refused.code == 11
    assert "seen in links; it is refused" in refused.out
    assert f"{site.url}/p/1" in refused.out


def test_a_target_page_shows_what_was_extracted_and_what_is_missing(project: Project, site: SiteServer) -> None:
    items = [f"/item/{number}" for number in range(1, 15)]
    site.links = {"/": items, **{item: [] for item in items}}
    for number, title in enumerate(("Thor", "Hulk", None, *(f"Hero {n}" for n in range(4, 15))), 1):
        if title is not None:
            site.texts[f"/item/{number}"] = f'<p class="title">{title}</p>'
    project.write_graph_site(site.url, more=WRAPPED.format(url=site.url))
    learned = project.scrapy("crawl", "graph")
    assert learned.code == 0, learned.err
    told = why(project, f"{site.url}/item/2")
    assert told["record"]["title"] == "Hulk"
    assert told["exceptions"] == []
    assert [one["field"] for one in why(project, f"{site.url}/item/3")["exceptions"]] == ["title"]


def test_during_a_crawl_the_lease_is_told(
    project: Project, site: SiteServer, busy_crawl: subprocess.Popen[str]
) -> None:
    told = why(project, f"{site.url}/slow")["frontier"]
    assert told["state"] == "R"
    assert told["owner"].endswith(f":{busy_crawl.pid}")
    assert told["lease_until"] > time.time()
    text = project.scrapy("why", "graph", f"{site.url}/slow").out
    assert "leased by" in text


def test_a_site_crawled_by_a_path_is_found_by_its_name(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    project.write_graph_site(site.url).rename(project.directory / "graph.toml")
    project.write_knowledge()
    assert project.scrapy("crawl", "./graph.toml").code == 0
    assert why(project, f"{site.url}/")["frontier"]["state"] == "C"
    elsewhere = project.directory / "elsewhere"
    elsewhere.mkdir()
    (project.directory / "graph.toml").rename(elsewhere / "graph.toml")
    outcome = project.scrapy("why", "graph", site.url)
    assert outcome.code == 2
    assert f"give the path of its site file, which was {project.directory / 'graph.toml'}" in outcome.err
    assert project.scrapy("crawl", "elsewhere/graph.toml").code == 0
    assert why(project, f"{site.url}/")["frontier"]["state"] == "C"
    for command in (["view"], ["export", "-o", "out.csv"], ["graph"], ["changes"], ["status"]):
        outcome = project.scrapy(command[0], "graph", *command[1:])
        assert "no site or spider named" not in outcome.err, outcome.err
