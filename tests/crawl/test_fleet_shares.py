"""`scrapy work --part`: a range of addresses, or a share of the columns, divides the sites of a fleet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import InputError, NoAddressError
from gwc_crawler.frontier.queues import share_of_column
from gwc_crawler.operate.fleet.plan import FleetSites, Share, SiteEntry
from gwc_crawler.sites.schema import Site
from gwc_crawler.spiders.fleet.worker import address_of
from tests.conftest import Project, ended
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

HERE, THERE = "127.0.0.1", "127.0.0.2"
LINKS = {
    "/": [f"/{column}/" for column in "abcdef"],
    **{f"/{column}/": [f"/{column}/1.html", f"/{column}/2.html", "/"] for column in "abcdef"},
    **{f"/{column}/{page}.html": [] for column in "abcdef" for page in (1, 2)},
}


@pytest.fixture
def sites() -> Iterator[dict[str, SiteServer]]:
    """Four sites at two addresses."""
    hosts = {"one": HERE, "two": THERE, "three": HERE, "four": THERE}
    servers = {name: SiteServer({"/": ["/a/"], "/a/": []}, host=host) for name, host in hosts.items()}
    for server in servers.values():
        server.__enter__()
    yield servers
    for server in servers.values():
        server.__exit__(None, None, None)


def work(project: Project, url: str, *parts: str, **settings: Any) -> str:
    """Have a worker of this part do all it can."""
    options = [option for part in parts for option in ("--part", part)]
    told = {"REDIS_URL": url, "GWC_ALLOW_PRIVATE": "all", **settings}
    outcome = ended(project.start("work", "--once", *options, settings=told, profile="cluster"))
    assert outcome.code == 0, outcome.err
    return outcome.out


@pytest.mark.parametrize("databases", [(0, 0), (0, 1)])
def test_ranges_of_addresses_split_a_fleet_without_overlap(
    project: Project, redis_server: RedisServer, sites: dict[str, SiteServer], databases: tuple[int, int]
) -> None:
    for name, site in sites.items():
        project.write_site(name, f'entry = ["{site.url}/"]\n')
    for address, database in zip((HERE, THERE), databases, strict=True):
        before = {name: site.page_hits() for name, site in sites.items()}
        told = work(project, f"{redis_server.url.rpartition('/')[0]}/{database}", f"ip:{address}/32")
        for name, site in sites.items():
            is_mine = site.url.startswith(f"http://{address}:")
            assert site.page_hits() == ({"/": 1, "/a/": 1} if is_mine else before[name])
            assert (f"takes  {name}" in told) == is_mine


def test_a_name_is_where_its_address_is(
    project: Project, redis_server: RedisServer, sites: dict[str, SiteServer]
) -> None:
    port = sites["two"].url.rpartition(":")[2]
    project.write_site(
        "named", f'entry = ["http://shop.example:{port}/"]\n[dns]\nhosts = {{ "shop.example" = "{THERE}" }}\n'
    )
    assert "takes" not in work(project, redis_server.url, f"ip:{HERE}/32")
    assert "done   named, 2 pages" in work(project, redis_server.url, f"ip:{THERE}/32", "ip:10.0.0.0/8")


def test_shares_of_columns_split_a_site_without_overlap(
    project: Project, redis_server: RedisServer, site: SiteServer
) -> None:
    site.links = LINKS
    project.write_site("whole", f'entry = ["{site.url}/"]\n')
    server = redis_server.url.rpartition("/")[0]
    shares = []
    for number in (1, 2):
        before = set(site.page_hits())
        work(project, f"{server}/{number}", f"column:{number}/2", GWC_DATA_DIR=f"data{number}")
        shares.append(set(site.page_hits()) - before)
    assert {path for path, hits in site.page_hits().items() if hits > 1} == {"/"}, "the entry is read by both"
    assert shares[0] | shares[1] == set(LINKS)
    assert {share_of_column(site.url + path, 2) for path in shares[1]} == {2}
    assert min(len(shares[0]), len(shares[1])) > 3
    left_out = next(iter(shares[1] - {"/"}))
    there = ("-s", f"REDIS_URL={server}/1", "-s", "GWC_DATA_DIR=data1")
    why = project.scrapy("why", "whole", site.url + left_out, *there, profile="cluster")
    assert why.code == 11
    assert "its column is of share 2 of 2, and this fleet crawls share 1 (`scrapy work --part`)" in why.out
    told = project.start(
        "work", "--once", "--part", "column:2/2", settings={"REDIS_URL": f"{server}/1"}, profile="cluster"
    )
    refused = ended(told)
    assert refused.code == 2
    assert "this fleet crawls share 1 of 2 of the columns of whole, not share 2 of 2" in refused.err


def test_parts_as_they_are_written() -> None:
    share = Share.read(["ip:10.0.0.0/9", "ip:2001:db8::/32", "column:2/3"])
    assert share.columns == (2, 3)
    assert [share.takes(one) for one in ("10.1.2.3", "10.200.0.1", "2001:db8::1")] == [True, False, True]
    assert Share.read([]).takes("10.200.0.1")


@pytest.mark.parametrize("part", ["10.0.0.0/8", "ip:10.0.0.1/8", "ip:", "column:3/2", "column:0/2", "column:a", "x:1"])
def test_what_is_no_part_is_refused(part: str) -> None:
    with pytest.raises(InputError, match=r"it is no part of a fleet; write ip:10\.0\.0\.0/9"):
        Share.read([part])


def test_a_site_is_taken_when_its_address_is_known() -> None:
    site = Site("news", Path("news.toml"), ("https://www.news.example/",))
    sites = FleetSites([site], share=Share.read(["ip:192.0.2.0/24", "column:1/2"]))
    (entry,) = sites.begin()
    assert not sites.can_crawl(entry)
    sites.addresses[entry.host] = "192.0.2.7"
    assert sites.can_crawl(entry)
    assert not sites.can_crawl(SiteEntry("news", entry.host)), "that is the whole of it"
    found = sites.site(entry)
    assert found is not None and found.columns == (1, 2)


def test_a_host_without_address_is_taken_by_who_has_the_range_of_zero() -> None:
    class Names:
        async def addresses_of(self, host: str) -> list[str]:
            if host == "gone.example":
                raise NoAddressError(host)
            return ["2001:db8::1", "192.0.2.10", "192.0.2.9"]

    assert asyncio.run(address_of(Names(), "gone.example:8080")) == "0.0.0.0"  # type: ignore[arg-type]
    assert asyncio.run(address_of(Names(), "a.example")) == "192.0.2.9"  # type: ignore[arg-type]
