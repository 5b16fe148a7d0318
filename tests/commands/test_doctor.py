"""`scrapy doctor` as a person runs it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from gwc_crawler.store.sqlite.database import PAGE_BYTES, CrawlDatabase
from tests.conftest import Project
from tests.site_server import SiteServer
from tests.small_disk import small_disk


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


def test_databases_are_read_in_search_of_damage(project: Project) -> None:
    project.write_site("here", 'entry = ["https://a.example/"]\nkeywords = "a"\n')
    folder = project.directory / "data" / "here"
    for name in ("crawl.db", "samples.db"):
        CrawlDatabase(folder / name).close()
    found = json.loads(project.scrapy("doctor", "here", "--offline", "--json").out)["findings"]
    read = {one["name"]: one["told"] for one in found if one["name"].startswith("database ")}
    assert set(read) == {"database here/crawl.db", "database here/samples.db"}
    assert all(told.endswith("MB, no damage found") for told in read.values())

    with (folder / "crawl.db").open("r+b") as file:
        file.seek(PAGE_BYTES)
        file.write(b"\xff" * PAGE_BYTES)
    (folder / "samples.db").unlink()
    (folder / "samples.db").mkdir()
    outcome = project.scrapy("doctor", "here", "--offline")
    assert outcome.code == 1
    assert "data/here/crawl.db: " in outcome.out
    assert "the file is damaged; move it away" in outcome.out
    assert "data/here/samples.db: this is a directory, not a database" in outcome.out


def test_a_site_that_is_none_is_refused(project: Project) -> None:
    outcome = project.scrapy("doctor", "nobody", "--json")
    assert (outcome.code, outcome.out) == (2, "")
    assert "no site or spider named 'nobody'" in outcome.err


def test_a_full_disk_is_no_matter_of_rights(project: Project) -> None:
    data = project.directory / "data"
    data.mkdir()
    with small_disk(data, 1) as mounted:
        if not mounted:
            pytest.skip("a small disk can only be mounted by root")
        with suppress(OSError), (data / "rest").open("wb", buffering=0) as rest:
            while rest.write(bytes(4096)):
                pass
        outcome = project.scrapy("doctor", "--offline")
    assert (outcome.code, "make room on its disk" in outcome.out) == (1, True), outcome.out
    assert "chmod" not in outcome.out
