"""A crawl of many names: each is asked for once, whoever looks, and what is known is used by the next run."""

from __future__ import annotations

import json

import dns.message
import pytest

from tests.conftest import Project
from tests.name_server import NameServer, addresses, silent, slow
from tests.site_server import SiteServer

NAMES = 80


def crawl(project: Project, server: NameServer, port: str, **settings: object) -> str:
    """Crawl shop.test and what is below it."""
    project.write_site(
        "graph", f'entry = ["http://shop.test:{port}/"]\nkeywords = "treasure"\nhosts = ["shop.test:{port}"]\n'
    )
    project.write_knowledge()
    outcome = project.scrapy(
        "crawl", "graph", settings={"GWC_DNS_SERVERS": server.text, "CONCURRENT_REQUESTS": 64, **settings}
    )
    assert "Traceback" not in outcome.err, outcome.err[-6000:]
    return outcome.out + outcome.err


def questions(project: Project) -> int:
    """Return how many names were asked for, over all runs."""
    names: dict[str, int] = json.loads(project.scrapy("status", "graph", "--json").out)["names"]
    assert names["known"] == NAMES + 1
    return names["queries"]


@pytest.mark.parametrize("by_address", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_each_of_many_names_on_a_slow_name_server_is_asked_for_once(
    project: Project, site: SiteServer, by_address: bool
) -> None:
    port = site.url.rpartition(":")[2]
    hosts = [f"n{number}.shop.test" for number in range(NAMES)]
    site.links = {"/": [f"http://{host}:{port}/{number % 2}" for number, host in enumerate(hosts)], "/0": [], "/1": []}
    own = {"CONCURRENT_REQUESTS_PER_IP": 32, "GWC_QUEUE_POLICY": "ip"} if by_address else {}
    with NameServer(otherwise=slow(0.05, addresses("127.0.0.1", ttl=3600))) as server:
        crawl(project, server, port, **own)
        states = project.states()
        assert (len(states), set(states.values())) == (NAMES + 1, {"C"})
        assert {key.partition(" ")[0] for key in server.asked} == {*hosts, "shop.test"}
        assert questions(project) == NAMES + 1
        server.otherwise = silent()
        project.scrapy("queue", "graph", "retry", "--state", "C", "--yes")
        crawl(project, server, port, **own)
        assert questions(project) == NAMES + 1, "the second run knows them all"
        assert f"{NAMES + 1} known; of " in project.scrapy("status", "graph").out
    told = project.scrapy("why", "graph", f"http://{hosts[7]}:{port}/1")
    assert "addresses  127.0.0.1\n" in told.out
    assert "refused: private" in project.scrapy("why", "graph", f"http://10.0.0.1:{port}/1").out


def test_a_host_that_moves_is_followed_and_a_name_server_that_dies_is_not_missed(project: Project) -> None:
    """The pace is the crawl's own: .025 to .075 s between two pages, while an address holds for 1 s."""
    moves_after, dies_after, pages = 10, 60, 90
    links = {"/": ["/1"], **{f"/{n}": [f"/{n + 1}"] for n in range(1, pages)}, f"/{pages}": []}
    with SiteServer(links) as old, SiteServer(links, old.port, "127.0.0.2") as new:

        def where(query: dns.message.Message, tcp: bool) -> bytes | None:
            if sum(new.page_hits().values()) + sum(old.page_hits().values()) > dies_after:
                return None
            moved = sum(old.page_hits().values()) > moves_after
            return addresses("127.0.0.2" if moved else "127.0.0.1", ttl=1)(query, tcp)

        paced = {"GWC_DNS_MIN_SECONDS": 1, "DOWNLOAD_DELAY": 0.05}
        with NameServer(otherwise=where) as server:
            crawl(project, server, str(old.port), LOG_LEVEL="INFO", **paced)
        states = project.states()
        assert (len(states), set(states.values())) == (pages + 1, {"C"})
        hits = [*old.page_hits().values(), *new.page_hits().values()]
        assert hits == [1] * (pages + 1), "nothing was asked for twice"
        ways = [int(path[1:] or 0) for path in old.page_hits()]
        assert ways == list(range(len(ways))), "no way leads back"
        assert len(ways) < dies_after


def test_a_resolver_of_the_users_own_is_asked_and_that_is_said(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/end"], "/end": []}
    port = site.url.rpartition(":")[2]
    project.write_site("graph", f'entry = ["http://localhost:{port}/"]\nkeywords = "treasure"\n')
    project.write_knowledge()
    own = "scrapy.resolver.CachingThreadedResolver"
    outcome = project.scrapy("crawl", "graph", settings={"TWISTED_DNS_RESOLVER": own})
    assert f"looked up by a resolver of the project's own, without cache resolver={own}" in outcome.err
    assert set(project.states().values()) == {"C"}
    assert not (project.directory / "data" / "names.db").exists()
