"""Whole crawls of sites whose graph the test wrote: what is fetched, how often, in which order."""

from __future__ import annotations

from itertools import pairwise

from gwc_crawler.scheduler.frontier_scheduler import LOOK_SECONDS
from tests.conftest import Project
from tests.site_server import SiteServer
from tests.stars import begin_star


def crawl(project: Project, **settings: object) -> None:
    outcome = project.scrapy("crawl", "graph", settings=settings)
    assert outcome.code == 0, outcome.err


def test_every_page_is_fetched_exactly_once(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p/1", "/p/2"], "/p/1": ["/", "/p/2"], "/p/2": ["/p/1", "/#top"]}
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    assert site.hits == {"/robots.txt": 1, "/": 1, "/p/1": 1, "/p/2": 1}
    assert project.rows("SELECT count(*) FROM pages") == [(3,)]


def test_links_that_pass_no_filter_are_not_fetched(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p/1", "/login", "/p/x"], "/p/1": []}
    project.write_graph_site(site.url)
    project.write_knowledge(targets=(rf"{site.url}/p/[0-9]+",), directories=())
    crawl(project)
    assert site.page_hits() == {"/": 1, "/p/1": 1}


def test_what_a_header_forbids_to_follow_is_not_followed_also_from_a_stored_page(
    project: Project, site: SiteServer
) -> None:
    site.links = {"/": ["/p/1", "/p/2"], "/p/1": ["/one"], "/p/2": ["/two"], "/one": [], "/two": []}
    site.headers["/p/1"] = {"X-Robots-Tag": "noindex, nofollow"}
    site.headers["/p/2"] = {"X-Robots-Tag": "otherbot: nofollow"}
    project.write_graph_site(site.url)
    project.scrapy("learn", "graph")
    project.write_knowledge()
    crawl(project)
    assert site.page_hits() == {"/": 1, "/p/1": 1, "/p/2": 1, "/two": 1}


def test_a_redirect_is_followed_once_and_its_target_is_not_fetched_again(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/old", "/older", "/new"], "/new": ["/end"], "/end": []}
    for path in ("/old", "/older"):
        site.statuses[path] = 301
        site.headers[path] = {"Location": "/new"}
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    assert site.page_hits() == {"/": 1, "/old": 1, "/older": 1, "/new": 1, "/end": 1}
    assert set(project.states().values()) == {"C"}


def test_a_redirect_loop_ends_and_the_rest_is_crawled(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/a", "/ok"], "/ok": []}
    for path, target in (("/a", "/b"), ("/b", "/a")):
        site.statuses[path] = 302
        site.headers[path] = {"Location": target}
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    assert site.hits["/ok"] == 1
    assert site.hits["/a"] + site.hits["/b"] <= 30
    assert not {"U", "R"} & set(project.states().values())


def test_a_missing_page_is_an_error_with_its_reason(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/gone"]}
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    assert project.rows("SELECT state, reason FROM urls WHERE url LIKE '%/gone'") == [("E", "HTTP 404")]
    assert site.hits["/gone"] == 1


def test_a_passing_error_is_tried_again_later(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/busy"], "/busy": ["/behind"], "/behind": []}
    site.statuses["/busy"] = [503, 503, 200]
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    assert site.page_hits() == {"/": 1, "/busy": 3, "/behind": 1}
    assert max(site.gaps()) < LOOK_SECONDS / 2, "a wait of a tenth of a second is not made one of seconds"


def test_a_wait_that_the_server_asks_for_is_kept(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/limited", "/other"], "/limited": [], "/other": []}
    site.statuses["/limited"] = [429, 200]
    site.headers["/limited"] = {"Retry-After": "2"}
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    first, second = (request.arrived for request in site.requests if request.target == "/limited")
    assert second - first >= 1.9


def test_a_cut_off_body_is_tried_again_and_then_an_error(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/cut"], "/cut": []}
    site.cut.add("/cut")
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project, RETRY_TIMES=1)
    assert site.hits["/cut"] == 2
    assert project.rows("SELECT state FROM urls WHERE url LIKE '%/cut'") == [("E",)]


def island(length: int) -> dict[str, list[str]]:
    """Return a chain / → off/1 → … → off/LENGTH → treasure."""
    chain = ["/", *(f"/off/{number}" for number in range(1, length + 1)), "/treasure"]
    return {page: [following] for page, following in pairwise(chain)} | {
        "/treasure": ["/t/1"],
        "/t/1": [],
    }


def test_an_island_behind_two_pages_is_reached_when_the_threshold_allows(project: Project, site: SiteServer) -> None:
    site.links = island(2)
    site.texts["/treasure"] = "treasure"
    project.write_graph_site(site.url)
    project.write_knowledge(max_weight=3)
    crawl(project)
    assert site.hits["/treasure"] == 1
    assert site.hits["/t/1"] == 1


def test_an_island_behind_two_pages_is_not_reached_below_it(project: Project, site: SiteServer) -> None:
    site.links = island(2)
    site.texts["/treasure"] = "treasure"
    project.write_graph_site(site.url)
    project.write_knowledge(max_weight=2)
    crawl(project)
    assert site.page_hits() == {"/": 1, "/off/1": 1, "/off/2": 1}


def test_the_page_limit_ends_a_run_and_the_next_one_goes_on(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 60)
    said = project.scrapy("crawl", "graph", settings={"GWC_MAX_PAGES": 10}).out
    assert sum(site.page_hits().values()) == 10
    assert "ended by  max_pages reached" in said
    crawl(project)
    assert set(site.page_hits().values()) == {1}
    assert len(site.page_hits()) == 61


def test_a_second_crawl_of_a_finished_site_fetches_nothing(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p/1"], "/p/1": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    before = dict(site.hits)
    crawl(project)
    assert dict(site.hits) == before


def test_what_robots_txt_forbids_is_not_fetched(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/private/1", "/open"], "/private/1": [], "/open": []}
    site.bodies["/robots.txt"] = (b"User-agent: *\nDisallow: /private/\n", "text/plain")
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    assert site.page_hits() == {"/": 1, "/open": 1}
    assert project.rows("SELECT state FROM urls WHERE url LIKE '%private%'") == [(None,)], "it never enters the queue"
    assert project.rows("SELECT reason, count FROM cuts") == [("forbidden_by_robots", 1)]


def test_a_site_whose_robots_txt_fails_for_a_while_is_waited_for(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p"], "/p": []}
    site.statuses["/robots.txt"] = [503, 200]
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    assert site.page_hits() == {"/": 1, "/p": 1}


def test_a_site_without_robots_txt_is_open(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p"], "/p": []}
    site.statuses["/robots.txt"] = 404
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl(project)
    assert site.hits == {"/robots.txt": 1, "/": 1, "/p": 1}
