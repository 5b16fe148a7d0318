"""Hosts that don't answer, with the waits that users have: told in seconds, with the cause; others are crawled."""

from __future__ import annotations

from collections import Counter

from gwc_crawler import settings as ours
from tests.conftest import Outcome, Project, ended
from tests.graphs import star
from tests.processes import wait_until
from tests.redis_server import RedisServer
from tests.shop_site import product_site_file
from tests.site_server import SiteServer
from tests.stars import begin_star, interrupted

AS_SHIPPED = {
    "GWC_RETRY_BASE_SECONDS": ours.GWC_RETRY_BASE_SECONDS,
    "GWC_COMMIT_SECONDS": ours.GWC_COMMIT_SECONDS,
}
REFUSED = "http://127.0.0.1:9"
NO_NAME = "http://books.invalid"
LIMIT_SECONDS = 60.0
"""Of commands that took 516 seconds; alone on a machine they take 4 to 8."""

CAUSES = {
    REFUSED: ("its host refuses the connection", "asked 3 times", "check the address and its port"),
    NO_NAME: ("no address is found for its host's name", "asked 2 times", "check the address, or this machine's DNS"),
}


def test_a_host_that_never_answers_ends_every_command_in_seconds(project: Project, redis_server: RedisServer) -> None:
    shared = {**AS_SHIPPED, "REDIS_URL": redis_server.url}
    cases = [(REFUSED, "learn", "local"), (NO_NAME, "learn", "local"), (REFUSED, "crawl", "local"),
             (REFUSED, "crawl", "cluster"), (NO_NAME, "crawl", "cluster")]  # fmt: skip
    again = {0, 3}  # no run has to wait for what the one before it has met: nobody was there
    for number, (url, command, _) in enumerate(cases):
        if command == "crawl":
            project.write_graph_site(url, name=f"s{number}")
            project.write_knowledge(f"s{number}")
        else:
            project.write_site(f"s{number}", product_site_file(url, (1, 2)))
    for numbers in (range(len(cases)), again):
        runs = {}
        for number in numbers:
            _, command, profile = cases[number]
            settings = shared if profile == "cluster" else AS_SHIPPED
            settings = {**settings, "GWC_DATA_DIR": f"data{number}" if command == "learn" else "data"}
            runs[number] = project.start(command, f"s{number}", settings=settings, profile=profile)
        for number, process in runs.items():
            assert_told(cases[number][0], ended(process, LIMIT_SECONDS))


def assert_told(url: str, outcome: Outcome) -> None:
    assert outcome.code == 3, outcome.err
    assert "Traceback" not in outcome.err, outcome.err
    last = outcome.err.strip().splitlines()[-1]
    assert last.startswith(url), outcome.err
    for words in ("can't be fetched", *CAUSES[url]):
        assert words in last, outcome.err


def test_of_several_entries_those_that_answer_are_crawled(project: Project, site: SiteServer) -> None:
    site.links = star(20)
    write_entries(project, REFUSED, NO_NAME, site.url)
    outcome = project.scrapy("crawl", "graph", settings=AS_SHIPPED, timeout=LIMIT_SECONDS)
    assert outcome.code == 0, outcome.err
    assert len(site.page_hits()) == 21
    states = project.states()
    assert {states.pop(f"{REFUSED}/"), states.pop(f"{NO_NAME}/")} == {"E"}
    assert set(states.values()) == {"C"}
    for url, (cause, *_) in CAUSES.items():
        assert f"{url}/ can't be fetched: {cause}" in outcome.err, outcome.err
    again = project.scrapy("crawl", "graph", settings=AS_SHIPPED, timeout=LIMIT_SECONDS)
    assert again.code == 0, again.err
    assert "refuses the connection" in again.err, "it is tried and told again"
    assert project.states() == {**states, f"{REFUSED}/": "E", f"{NO_NAME}/": "E"}


def test_a_host_that_rests_is_waited_for_beside_a_dead_one(project: Project, site: SiteServer) -> None:
    site.links = {**star(2)}
    site.statuses = {"/p/0": [429, 200], "/p/1": [429, 200]}
    site.headers = {"/p/0": {"Retry-After": "12"}, "/p/1": {"Retry-After": "12"}}
    write_entries(project, site.url, REFUSED)
    process = project.start("crawl", "graph", settings=AS_SHIPPED)
    wait_until(lambda: {"/p/0", "/p/1"} & site.hits.keys(), LIMIT_SECONDS)
    wait_until(lambda: project.rows("SELECT 1 FROM urls WHERE due_at > 0"), LIMIT_SECONDS)
    process.kill()
    process.wait()
    outcome = project.scrapy("crawl", "graph", settings=AS_SHIPPED, timeout=2 * LIMIT_SECONDS)
    assert outcome.code == 0, outcome.err
    assert "refuses the connection" in outcome.err
    states = project.states()
    assert states.pop(f"{REFUSED}/") == "E"
    assert set(states.values()) == {"C"}
    assert len(states) == 3


def test_the_https_of_a_name_may_be_dead_where_its_http_answers(project: Project, site: SiteServer) -> None:
    tls = site.url.replace("http:", "https:")
    links = star(20)
    site.links = {**links, "/": [f"{tls}/s/{n}" for n in range(5)] + links["/"]}
    site.delays["*"] = 0.3
    write_entries(project, tls, site.url)
    settings = {**AS_SHIPPED, "GWC_ROBOTS_PATIENCE_SECONDS": 5}
    outcome = project.scrapy("crawl", "graph", settings=settings, timeout=LIMIT_SECONDS)
    assert outcome.code == 0, outcome.err
    ends = Counter((url.split(":")[0], state) for url, state in project.states().items())
    assert ends == {("http", "C"): 21, ("https", "E"): 6}, outcome.err


def write_entries(project: Project, *urls: str) -> None:
    entries = ", ".join(f'"{url}/"' for url in urls)
    project.write_site("graph", f'entry = [{entries}]\nkeywords = "treasure"\nhosts = ["127.0.0.1"]\n')
    project.write_knowledge()


def test_a_crawl_goes_on_where_it_was_when_its_host_is_back(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 200, 0.05)
    assert interrupted(project, site).code == 130
    before = project.states()
    site.stop()
    outcome = project.scrapy("crawl", "graph", settings=AS_SHIPPED, timeout=LIMIT_SECONDS)
    assert outcome.code == 3, outcome.err
    assert "refuses the connection" in outcome.err
    assert project.states() == before, "an outage is no URL's fault"
    with SiteServer(site.links, port=site.port) as again:
        assert project.scrapy("crawl", "graph").code == 0
        assert set(project.states().values()) == {"C"}
        assert set(again.page_hits()).isdisjoint(set(site.page_hits()) - again_allowed(before, site))


def again_allowed(states: dict[str, str], site: SiteServer) -> set[str]:
    """The paths that the first crawl asked for and had not completed."""
    return {path for path in site.page_hits() if states.get(f"{site.url}{path}") != "C"}


def test_a_host_whose_robots_txt_fails_is_told_with_its_status(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    site.statuses["/robots.txt"] = 500
    project.write_graph_site(site.url)
    outcome = project.scrapy("learn", "graph", settings=AS_SHIPPED, timeout=LIMIT_SECONDS)
    assert outcome.code == 3, outcome.err
    assert "HTTP 500" in outcome.err.strip().splitlines()[-1]
    assert site.hits["/robots.txt"] <= 12
    assert not site.page_hits()
