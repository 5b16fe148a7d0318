"""The bundled mall, from its site file to records: everything is found, whatever goes wrong on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer, mall_site_toml
from gwc_crawler.demo.serving import Faults
from tests.conftest import Outcome, Project
from tests.mall_truth import TruthComparison, truth_of

SIZE = 120
PAPER_EXACT = ("title", "price", "tags", "image", "description")
"""The fields of the mall that the paper's algorithms can say: no optional row moves them."""


@pytest.fixture(scope="module")
def mall() -> Mall:
    return Mall(seed=3, size=SIZE)


@pytest.fixture
def server(mall: Mall) -> Iterator[MallServer]:
    with MallServer(mall) as running:
        yield running


def crawl(project: Project, server: MallServer, *options: str, mode: str = "best") -> Outcome:
    text = mall_site_toml(server.mall, server.url)
    project.write_site("mall", text.replace("[learn]", f'[learn]\nmode = "{mode}"'))
    return project.scrapy("crawl", "mall", *options)


def records(project: Project, server: MallServer) -> dict[str, dict[str, Any]]:
    """Return the stored records by path, lists as lists."""
    names = [row[1] for row in project.rows("PRAGMA table_info(records_mall)", name="mall")]
    found = {}
    for row in project.rows("SELECT * FROM records_mall", name="mall"):
        fields = dict(zip(names, row, strict=True))
        path = str(fields.pop("url")).removeprefix(server.url.rstrip("/"))
        found[path] = {name: _value(value) for name, value in fields.items() if name != "fetched_at"}
    return found


def _value(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value.startswith("[") else value


def compare(project: Project, server: MallServer) -> TruthComparison:
    return truth_of(server.mall).compare(records(project, server))


def hits_by_page(server: MallServer) -> Mapping[str, int]:
    return {path: count for path, count in server.hits.items() if path != "/robots.txt"}


@pytest.fixture(scope="module")
def brought_home(mall: Mall, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, MallServer]]:
    """A crawl of a mall where nothing goes wrong."""
    project = Project(tmp_path_factory.mktemp("mall"))
    with MallServer(mall) as server:
        outcome = crawl(project, server, "-O", "records.jsonl")
        assert outcome.code == 0, outcome.err
        yield project, server


def test_every_record_is_brought_home_exactly_and_no_other(brought_home: tuple[Project, MallServer]) -> None:
    project, server = brought_home
    assert not compare(project, server)
    truth = truth_of(server.mall)
    hits = hits_by_page(server)
    assert truth.in_scope <= {path.partition("?sid=")[0] for path in hits}, "one with a session's id is the page, too"
    once = truth.in_scope - truth.redirects.keys() - truth.gone  # what gave no page is asked for again by the crawl
    assert {path for path in once if hits.get(path, 1) != 1} == set(), "pages are fetched once, pre-crawl included"
    assert not truth.disallowed & hits.keys()
    assert "/calendar/2035/1/" not in hits
    lines = (project.directory / "records.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == len(truth.records)
    assert {"url", *truth.fields} == set(json.loads(lines[0]))


def test_the_papers_algorithms_find_every_product_and_the_fields_they_can_say(
    project: Project, server: MallServer
) -> None:
    outcome = crawl(project, server, mode="paper")
    assert outcome.code == 0, outcome.err
    difference = compare(project, server)
    assert difference.missing == ()
    assert {name for _, name, _, _ in difference.wrong}.isdisjoint(PAPER_EXACT)

    truth = truth_of(server.mall)
    assert set(difference.surplus) <= truth.sessions.keys(), "what lacks the keywords has no row among the records"
    told = "SELECT url FROM exceptions WHERE reason = 'the keywords are not there'"
    paths = {url.removeprefix(server.url.rstrip("/")).partition("?")[0] for (url,) in project.rows(told, name="mall")}
    assert paths
    assert not paths & truth.records.keys()


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(
            Faults(too_many_every=17, unavailable_seconds=0.5, retry_after_seconds=0, reset_every=19, cut_every=23),
            id="refused, reset and cut off",
        ),
        pytest.param(
            Faults(wrong_charset_every=4, loop=True, bomb=True), id="wrong charsets, redirect loop, gzip bomb"
        ),
        pytest.param(Faults(too_many_every=15, retry_after_seconds=0), id="429 now and then", marks=pytest.mark.slow),
        pytest.param(
            Faults(unavailable_seconds=1.0, retry_after_seconds=0), id="503 for a while", marks=pytest.mark.slow
        ),
        pytest.param(Faults(reset_every=20), id="connections reset", marks=pytest.mark.slow),
        pytest.param(Faults(cut_every=20), id="bodies cut off", marks=pytest.mark.slow),
    ],
)
def test_faults_of_the_site_cost_no_record(project: Project, server: MallServer, faults: Faults) -> None:
    server.faults = faults
    outcome = crawl(project, server)
    assert outcome.code == 0, outcome.err
    assert not compare(project, server)
    assert "Traceback" not in outcome.err


def test_the_crawl_reuses_what_the_pre_crawl_fetched(brought_home: tuple[Project, MallServer]) -> None:
    project, server = brought_home
    assert project.rows("SELECT count(*) FROM pages WHERE html IS NOT NULL", name="mall", database="samples.db")[0][0]
    before = sum(server.hits.values())
    project.scrapy("learn", "mall", "--offline")
    assert sum(server.hits.values()) == before, "learning offline makes no request"
