"""`scrapy doctor` as a person runs it."""

from __future__ import annotations

import json

from tests.conftest import Project
from tests.site_server import SiteServer


def test_a_project_that_is_well_and_one_that_is_not(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    outcome = project.scrapy("doctor", "graph", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    told = json.loads(outcome.out)
    assert told["ok"] is True
    names = {one["name"] for one in told["findings"]}
    assert {"Python", "packages", "file descriptors", "locale", "site graph", f"{site.url}/robots.txt"} <= names
    assert set(site.hits) == {"/robots.txt"}

    project.write_site("broken", 'entri = ["https://a.example/"]\n')
    project.write_site(
        "shut", 'entry = ["https://a.example/"]\nkeywords = "a"\n\n[headers]\nX-Key = "{env:GWC_NOT_SET}"\n'
    )
    outcome = project.scrapy("doctor", "--offline")
    assert outcome.code == 1, outcome.err
    assert "broken.toml:1: unknown key 'entri'" in outcome.out
    assert "GWC_NOT_SET" in outcome.out
    assert "Traceback" not in outcome.out + outcome.err
    assert set(site.hits.values()) == {1}, "nothing is fetched offline"


def test_a_site_that_is_none_is_refused(project: Project) -> None:
    outcome = project.scrapy("doctor", "nobody", "--json")
    assert (outcome.code, outcome.out) == (2, "")
    assert "no site or spider named 'nobody'" in outcome.err
