"""robots.txt under load: everybody who waits for it gets the rules, or the error."""

from __future__ import annotations

from tests.conftest import Project
from tests.site_server import SiteServer


def test_every_page_that_waits_for_the_rules_gets_them(project: Project, site: SiteServer) -> None:
    site.links = {"/": []} | {f"/s/{n}": [] for n in range(8)} | {f"/no/{n}": [] for n in range(8)}
    site.bodies["/robots.txt"] = (b"User-agent: *\nDisallow: /no/\n", "text/plain")
    site.delays["/robots.txt"] = 0.5
    starts = ", ".join(f'"{site.url}{path}"' for path in site.links)
    project.write_site("graph", f'entry = [{starts}]\nkeywords = "treasure"\n')
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 0, outcome.err
    assert site.hits["/robots.txt"] == 1
    assert set(site.page_hits()) == {"/", *(f"/s/{n}" for n in range(8))}


def test_of_an_endless_robots_txt_only_the_beginning_is_read(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/no/1", "/late/1"], "/no/1": [], "/late/1": []}
    filler = b"# nothing\n" * 60_000
    site.bodies["/robots.txt"] = (b"User-agent: *\nDisallow: /no/\n" + filler + b"Disallow: /late/\n", "text/plain")
    project.write_site("graph", f'entry = ["{site.url}/"]\nkeywords = "treasure"\n')
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 0, outcome.err
    assert set(site.page_hits()) == {"/", "/late/1"}


def test_a_robots_txt_that_redirects_on_its_host_stops_nothing(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/no/1", "/s/1"], "/no/1": [], "/s/1": []}
    site.statuses["/robots.txt"] = 301
    site.headers["/robots.txt"] = {"Location": "/rules.txt"}
    site.bodies["/rules.txt"] = (b"User-agent: *\nDisallow: /no/\n", "text/plain")
    project.write_site("graph", f'entry = ["{site.url}/"]\nkeywords = "treasure"\n')
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    assert outcome.code == 0, outcome.err
    assert set(site.page_hits()) == {"/rules.txt", "/", "/s/1"}
