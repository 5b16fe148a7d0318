"""Crawls through the proxies of a site file, real ones: in turns, also while some die or refuse; no URL pays for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Outcome, Project, ended
from tests.debian_proxies import Microsocks, Tinyproxy
from tests.processes import hanging
from tests.site_server import SiteServer

PAGES = 40


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    site.links = {"/": [f"/p/{number}" for number in range(PAGES)], **{f"/p/{number}": [] for number in range(PAGES)}}
    return site


def crawl(project: Project, shop: SiteServer, *proxies: str, more: str = "", **settings: object) -> Outcome:
    listed = ", ".join(f'"{one}"' for one in proxies)
    project.write_graph_site(shop.url, more=f"[proxies]\nurls = [{listed}]\nrest = 0.05\n{more}")
    project.write_knowledge()
    return project.scrapy("crawl", "graph", settings=settings)


def fetched_once(project: Project, shop: SiteServer) -> None:
    assert project.rows("SELECT reason FROM urls WHERE state = 'E'") == []
    assert set(project.states().values()) == {"C"}
    assert len(project.states()) == PAGES + 1
    assert project.rows("SELECT max(attempts) FROM urls") == [(1,)]
    assert set(shop.page_hits().values()) == {1}


def test_proxies_take_turns_and_none_but_they_ask_the_site(project: Project, shop: SiteServer, tmp_path: Path) -> None:
    with Tinyproxy(tmp_path / "a") as slow, Tinyproxy(tmp_path / "b") as second, Microsocks(tmp_path) as third:
        listed = ", ".join(f'"{one.url}"' for one in (slow, second, third))
        project.write_graph_site(shop.url, more=f"[proxies]\nurls = [{listed}]\n")
        project.write_knowledge()
        shop.delays["/"] = 60
        process = project.start("crawl", "graph")
        shop.wait_for("/")
        with hanging(slow.process):
            shop.send_delayed()
            shop.wait_for_pages(PAGES // 8)
        outcome = ended(process)
        assert outcome.code == 0, outcome.err
        fetched_once(project, shop)
        assert min(slow.requests, second.requests) >= PAGES // 3
        via = [request.headers.get("via", "") for request in shop.requests]
        assert sum("tinyproxy" in one for one in via) <= len(via) - PAGES // 3  # SOCKS says nothing


def test_so_many_at_once_go_through_each_proxy(project: Project, shop: SiteServer, tmp_path: Path) -> None:
    shop.delays["*"] = 0.02
    with Tinyproxy(tmp_path) as first, Microsocks(tmp_path) as second:
        outcome = crawl(project, shop, first.url, second.url, more="concurrency = 2\n")
        assert outcome.code == 0, outcome.err
        fetched_once(project, shop)
        assert shop.max_concurrent <= 4


def test_a_proxy_that_dies_and_one_that_refuses_cost_no_page(
    project: Project, shop: SiteServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROXY_PASSWORD", "wr0ngH0rse")
    with (
        Tinyproxy(tmp_path / "a", "ann:right") as refusing,
        Tinyproxy(tmp_path / "d", "ann:right") as silent,
        Tinyproxy(tmp_path / "b") as dying,
        Tinyproxy(tmp_path / "c") as good,
        Microsocks(tmp_path, "ann:right") as socks,
    ):
        dying.stop()
        wrong = [f"{one.scheme}://ann:{{env:PROXY_PASSWORD}}@{one.address}" for one in (refusing, socks)]
        outcome = crawl(project, shop, *wrong, f"http://{silent.address}", dying.url, good.url)
        assert outcome.code == 0, outcome.err
        fetched_once(project, shop)
        for proxy, status in ((refusing, 401), (silent, 407)):
            told = f"proxy rests proxy=http://{proxy.address} error=it refuses the credentials (HTTP {status})"
            assert told in outcome.err
        assert f"proxy rests proxy=socks5://{socks.address}" in outcome.err
        assert f"proxy rests proxy=http://{dying.address}" in outcome.err
        assert "wr0ngH0rse" not in outcome.err + outcome.out
        assert "no answer from host" not in outcome.err


def test_a_proxy_killed_in_the_middle(project: Project, shop: SiteServer, tmp_path: Path) -> None:
    with Tinyproxy(tmp_path / "a") as dying, Tinyproxy(tmp_path / "b") as good:
        listed = f'"{dying.url}", "{good.url}"'
        project.write_graph_site(shop.url, more=f"[proxies]\nurls = [{listed}]\nrest = 0.05\n")
        project.write_knowledge()
        process = project.start("crawl", "graph", settings={"DOWNLOAD_DELAY": 0.02})
        shop.wait_for_pages(10)
        dying.stop()
        assert process.wait(60) == 0
        assert set(project.states().values()) == {"C"}
        assert project.rows("SELECT max(attempts) FROM urls") == [(1,)]


def test_without_a_proxy_left_the_crawl_ends_with_a_word_and_goes_on_later(
    project: Project, shop: SiteServer, tmp_path: Path
) -> None:
    with Tinyproxy(tmp_path) as proxy:
        proxy.stop()
        outcome = crawl(project, shop, proxy.url)
        assert outcome.code == 3
        last = outcome.err.splitlines()[-1]
        assert last.startswith(f"no proxy can be used (http://{proxy.address}: "), outcome.err
        assert "the crawl waits" in outcome.err
        assert not shop.hits
        assert set(project.states().values()) == {"U"}
    with Tinyproxy(tmp_path / "again") as proxy:
        assert crawl(project, shop, proxy.url).code == 0
        fetched_once(project, shop)


def test_a_dead_site_behind_good_proxies_is_the_sites_fault(project: Project, tmp_path: Path) -> None:
    with SiteServer() as gone, Tinyproxy(tmp_path) as proxy, Microsocks(tmp_path) as socks:
        gone.stop()
        outcome = crawl(project, gone, socks.url)
        assert outcome.code == 3
        assert f"{gone.url}/ can't be fetched" in outcome.err.splitlines()[-1]
        assert "no proxy" not in outcome.err
        assert proxy


def test_a_list_in_a_file(project: Project, shop: SiteServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Tinyproxy(tmp_path / "a") as one, Microsocks(tmp_path, "ann:secret words") as other:
        monkeypatch.setenv("SECOND_PROXY", other.url.replace(" ", "%20"))
        site = project.write_graph_site(shop.url, more='[proxies]\nfile = "../proxies.txt"\ndelay = 0.001\n')
        (site.parent.parent / "proxies.txt").write_text(f"# two\n{one.url}\n\n{{env:SECOND_PROXY}}\n", encoding="utf-8")
        project.write_knowledge()
        outcome = project.scrapy("crawl", "graph")
        assert outcome.code == 0, outcome.err
        fetched_once(project, shop)
        assert "secret" not in outcome.err
