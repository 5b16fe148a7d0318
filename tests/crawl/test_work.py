"""A fleet: workers join and leave at any time, take sites and parts of them, and bring each page home once."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from typing import Any

import pytest

from gwc_crawler.operate.fleet.plan import SiteEntry
from gwc_crawler.operate.fleet.register import Fleet
from tests.conftest import Project
from tests.graphs import tree
from tests.processes import kill, wait_until
from tests.redis_server import RedisServer
from tests.shop_site import SAMPLES, shop
from tests.site_server import SiteServer

LEASE_SECONDS = 3.0


class Workers:
    """A fleet's processes."""

    def __init__(self, project: Project, redis_server: RedisServer) -> None:
        self.project = project
        self.redis_server = redis_server

    def join(self, *options: str, **settings: Any) -> subprocess.Popen[str]:
        base = {
            "REDIS_URL": self.redis_server.url,
            "GWC_LEASE_SECONDS": LEASE_SECONDS,
            "GWC_LEASE_BATCH": 8,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
            "GWC_QUEUE_POLICY": "bkdr",
            "GWC_WORK_SHARE": 20,
        }
        return self.project.start("work", *options, settings={**base, **settings}, profile="cluster")

    def entries(self) -> dict[str, SiteEntry]:
        with self.redis_server.client() as client:
            return {entry.name: entry for entry in Fleet(client).sites()}

    def states(self) -> dict[str, str]:
        return {name: entry.state.value for name, entry in self.entries().items()}

    def parts(self, site: str) -> list[set[int]]:
        return [set(one.parts) for one in self.entries()[site].holders]

    def holders(self, site: str) -> int:
        entry = self.entries().get(site)
        return len(entry.holders) if entry else 0


@pytest.fixture
def workers(project: Project, redis_server: RedisServer) -> Workers:
    return Workers(project, redis_server)


def ended(worker: subprocess.Popen[str], code: int = 0) -> str:
    """Wait for a worker; returns what it said."""
    out, err = worker.communicate(timeout=60)
    assert worker.returncode == code, f"{out}\n{err[-4000:]}"
    assert "Traceback" not in err, err
    return out


@pytest.mark.parametrize(
    "owns", [pytest.param(False, id="shared", marks=pytest.mark.slow), pytest.param(True, id="owned")]
)
def test_workers_come_and_go_and_all_sites_are_done(project: Project, workers: Workers, owns: bool) -> None:
    with SiteServer(tree(400)) as big, SiteServer(tree(20)) as one, SiteServer(tree(20)) as two:
        for name, site in (("big", big), ("one", one), ("two", two)):
            site.delays["*"] = 0.3 if site is big else 0.0
            project.write_graph_site(site.url, name=name, entry="/p/0")
            project.write_knowledge(name)
        owned = {"GWC_QUEUE_LEASE": LEASE_SECONDS} if owns else {}
        first = workers.join("--sites", "big", **owned)
        big.wait_for_pages(16)
        victim = workers.join("--sites", "big", **owned)
        wait_until(lambda: workers.holders("big") == 2 and all(workers.parts("big")) is owns, 60)
        wait_until(lambda: not set.intersection(*workers.parts("big")), 60)
        big.wait_for_pages(40)
        kill(victim)
        third = workers.join("--idle", "2", "--once", **owned)
        wait_until(lambda: workers.holders("big") == 2 and workers.states().get("two") == "C", 60)
        first.send_signal(signal.SIGTERM)
        said = ended(first, 130)
        assert "hands back" in said
        assert not any(one.owner.endswith(f":{first.pid}") for one in workers.entries()["big"].holders)
        big.delays.clear()
        said = ended(third)
        assert "done   big" in said
        assert workers.states() == {"big": "C", "one": "C", "two": "C"}
        for name, site, pages in (("big", big, 400), ("one", one, 20), ("two", two, 20)):
            hits = site.page_hits()
            assert set(hits) == set(site.links)
            assert sum(count - 1 for count in hits.values()) <= (100 + 8 + 4 if name == "big" else 0)
            assert project.rows("SELECT count(*), count(DISTINCT url) FROM pages", name=name) == [(pages, pages)]


def test_a_big_host_in_one_owned_queue_wants_one_worker(project: Project, workers: Workers) -> None:
    with SiteServer(tree(400)) as big:
        big.delays["*"] = 1.0
        project.write_graph_site(big.url, name="big", entry="/p/0")
        project.write_knowledge("big")
        owned = {"GWC_QUEUE_POLICY": "host", "GWC_QUEUE_LEASE": LEASE_SECONDS}
        first = workers.join("--once", **owned)
        big.wait_for_pages(8)
        said = ended(workers.join("--idle", "1", **owned))
        assert said.count("takes  big") <= 1, "where it has found nothing to do it goes, and does not come again"
        assert workers.holders("big") == 1
        big.delays.clear()
        big.send_delayed()
        assert "done   big" in ended(first)
        assert set(big.page_hits()) == set(big.links)
        assert set(big.page_hits().values()) == {1}


def test_a_site_is_learned_and_its_family_and_named_sites_are_adopted(project: Project, workers: Workers) -> None:
    with (
        SiteServer(host="127.0.0.1") as first,
        SiteServer(host="127.0.0.2") as second,
        SiteServer(host="127.0.0.3") as third,
        SiteServer({"/": []}, host="127.0.1.4") as named,
    ):
        for number, site in enumerate((first, second, third)):
            shop(site, first=1 + 100 * number)
        first.links["/"] = [*first.links["/"], f"{second.url}/", f"{named.url}/", "http://127.0.2.5:9/"]
        second.links["/"] = [*second.links["/"], f"{third.url}/item/201"]
        template = '[template]\nhosts = ["127.0.0.*:*"]\n'
        project.write_site("shop", f'entry = ["{first.url}/"]\n' + SAMPLES.format(url=first.url) + template)
        project.write_graph_site(named.url)
        project.write_knowledge()

        said = ended(workers.join("--sites", "shop", "--once"))
        assert "learns shop" in said
        assert workers.states() == {"shop": "C"}
        with workers.redis_server.client() as client:
            found = Fleet(client).found()
        assert set(found) == {f"127.0.0.2:{second.port}", f"127.0.1.4:{named.port}", "127.0.2.5:9"}
        assert not second.hits
        assert not named.hits

        ended(workers.join("--sites", "shop", "--once", GWC_ADOPT_SITES="named"))
        assert workers.states() == {"shop": "C", "graph": "C"}
        assert named.page_hits() == {"/": 1}
        assert not second.hits

        said = ended(workers.join("--sites", "shop", "--once", GWC_ADOPT_SITES="template"))
        members = [f"127.0.0.2-{second.port}", f"127.0.0.3-{third.port}"]
        assert f"adopts {members[1]}" in said
        assert workers.states() == {"shop": "C", "graph": "C", members[0]: "C", members[1]: "C"}
        for name, site, number in ((members[0], second, 101), (members[1], third, 201)):
            assert set(site.page_hits().values()) == {1}
            table = "records_" + name.replace(".", "_").replace("-", "_")
            rows = project.rows(f"SELECT url, title FROM {table} WHERE title <> '' ORDER BY url", name=name)  # noqa: S608
            assert len(rows) == 12
            assert rows[0] == (f"{site.url}/item/{number}", "Thor")
            assert project.rows("SELECT site, state FROM sites WHERE name = ?", name, name=name) == [
                (f"{site.host}:{site.port}", "C")
            ]
        third.hits.clear()
        again = project.scrapy("crawl", f"127.0.0.3:{third.port}", settings={"GWC_REUSE_SAMPLES_SECONDS": 0})
        assert again.code == 0, again.err
        refused = project.scrapy("learn", members[1])
        assert refused.code == 2
        assert "run `scrapy learn shop` first" in refused.err


def test_one_learns_the_others_wait_and_one_takes_over(project: Project, site: SiteServer, workers: Workers) -> None:
    shop(site)
    site.delays["*"] = 0.4
    project.write_site("shop", f'entry = ["{site.url}/"]\n' + SAMPLES.format(url=site.url))
    settings = {"REDIS_URL": workers.redis_server.url, "GWC_LEASE_SECONDS": 2.0, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    settings["DOWNLOAD_TIMEOUT"] = 5  # so long the request of the killed one counts for its host

    def crawl(machine: str) -> subprocess.Popen[str]:
        return project.start("crawl", "shop", settings={**settings, "GWC_DATA_DIR": machine}, profile="cluster")

    killed = crawl("one")
    site.wait_for_pages(2)
    others = [crawl("two"), crawl("three")]
    site.wait_for_pages(5)
    kill(killed)
    site.delays.clear()
    logs = [one.communicate(timeout=120)[1] for one in others]
    assert [one.returncode for one in others] == [0, 0], logs
    assert sum(log.count("runs.learning] INFO: learned site=shop") for log in logs) == 1
    assert any("waiting for another worker to learn" in log for log in logs)
    texts = {(project.directory / machine / "shop" / "knowledge.json").read_bytes() for machine in ("two", "three")}
    assert len(texts) == 1


def test_sigterm_does_not_wait_for_a_slow_page(project: Project, site: SiteServer, workers: Workers) -> None:
    site.links = tree(60)
    site.delays["/p/2"] = 60.0
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()
    worker = workers.join(GWC_LEASE_SECONDS=600)
    wait_until(lambda: len(site.page_hits()) == 48, 60)  # all that doesn't lie below the slow one
    worker.send_signal(signal.SIGTERM)
    ended(worker, 130)
    assert workers.states() == {"graph": "U"}
    with workers.redis_server.client() as client:
        assert client.hlen("{graph}:requests:leased") == 0
    assert project.rows("SELECT count(*) FROM pages") == [(47,)]
    site.delays.clear()
    ended(workers.join("--once"))
    assert workers.states() == {"graph": "C"}
    site.links["/extra"] = []
    with workers.redis_server.client() as client:
        client.lpush("graph:start_urls", f"{site.url}/extra")
    ended(workers.join("--once"))  # a complete site that has got URLs is opened again
    assert workers.states() == {"graph": "C"}
    assert site.page_hits()["/extra"] == 1
    assert {path: count for path, count in site.page_hits().items() if count > 1} == {"/p/2": 2}


def test_a_worker_obeys_pause_and_stop_and_leaves_a_broken_site(project: Project, workers: Workers) -> None:
    def steer(*arguments: str) -> None:
        outcome = project.scrapy(*arguments, "-s", f"REDIS_URL={workers.redis_server.url}", profile="cluster")
        assert outcome.code == 0, outcome.out + outcome.err

    with SiteServer(tree(300)) as site, SiteServer() as empty:
        site.delays["*"] = 0.5
        project.write_graph_site(site.url, entry="/p/0")
        project.write_knowledge()
        project.write_graph_site(empty.url, name="silent")
        project.write_knowledge("silent")
        worker = workers.join("--idle", "1")
        wait_until(lambda: workers.states() == {"graph": "R", "silent": "E"}, 60)
        assert "HTTP 404" in workers.entries()["silent"].reason
        wait_until(lambda: len(site.page_hits()) > 20, 60)
        steer("pause", "graph")
        wait_until(lambda: workers.entries()["graph"].rest_until > 0, 60)
        steer("resume", "graph")
        seen = len(site.page_hits())
        wait_until(lambda: len(site.page_hits()) > seen, 60)
        steer("stop", "graph")
        ended(worker)
        assert "scrapy stop" in workers.entries()["graph"].reason
        site.delays.clear()
        empty.links["/"] = []
        ended(workers.join("--once", "--retry"))
        assert workers.states() == {"graph": "C", "silent": "C"}
        assert Counter(site.page_hits().values()) == {1: 300}


def test_what_a_fleet_needs_is_said(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    alone = project.scrapy("work")
    assert alone.code == 2
    assert "SCRAPY_PROJECT=cluster" in alone.err
    unknown = project.scrapy("work", "--sites", "nothing", profile="cluster")
    assert unknown.code == 2
    assert "no site named 'nothing'" in unknown.err


def test_a_site_whose_host_dies_rests_until_it_is_back(project: Project, workers: Workers) -> None:
    with SiteServer(tree(60)) as site:
        site.delays["*"] = 0.1
        project.write_graph_site(site.url, entry="/p/0")
        project.write_knowledge()
        worker = workers.join("--once", GWC_SILENT_HOST_SECONDS=2, GWC_RETRY_MAX_SECONDS=0.2)
        site.wait_for_pages(15)
        site.stop()
        wait_until(lambda: workers.entries()["graph"].rest_until > 0, 60)
        assert workers.states() == {"graph": "U"}
        with SiteServer(site.links, port=site.port):
            said = ended(worker)
        assert "until its host may be back" in said
        assert workers.states() == {"graph": "C"}
        assert project.rows("SELECT count(*) FROM pages") == [(60,)]
