"""Which found hosts a worker brings into the fleet, and which sites it takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gwc_crawler.modes import Adoption
from gwc_crawler.operate.fleet.plan import FleetSites, SiteEntry
from gwc_crawler.sites.schema import Site

SHOPS = Site("shops", Path("shops.toml"), ("https://a.shops.example/",), family=("*.shops.example",))
NEWS = Site("news", Path("news.toml"), ("https://www.news.example/",), hosts=("b.shops.example",))
FOUND = ("sport.news.example", "b.shops.example", "c.shops.example", "a.shops.example", "elsewhere.example")


@pytest.mark.parametrize(
    ("policy", "adopted"),
    [
        (Adoption.NEVER, []),
        (Adoption.NAMED, ["news", "shops"]),
        (Adoption.TEMPLATE, ["news", "b.shops.example", "c.shops.example", "shops"]),
    ],
)
def test_the_policy_decides(policy: Adoption, adopted: list[str]) -> None:
    sites = FleetSites([SHOPS, replace(NEWS, hosts=())], policy)
    assert [entry.name for entry in sites.adopt(FOUND)] == adopted


def test_a_site_file_that_names_a_host_comes_before_a_family() -> None:
    sites = FleetSites([SHOPS, NEWS], Adoption.TEMPLATE)
    assert [entry.name for entry in sites.adopt(["c.shops.example"])] == ["news"], "shops.example is in its scope"


def test_hosts_are_judged_once() -> None:
    sites = FleetSites([SHOPS], Adoption.TEMPLATE)
    assert len(sites.adopt(FOUND)) == 3
    sites.remember(FOUND)
    assert sites.adopt([*FOUND, "d.shops.example"])[0].host == "d.shops.example"


def test_a_worker_takes_what_it_was_told_and_what_is_adopted() -> None:
    sites = FleetSites([SHOPS, NEWS], Adoption.TEMPLATE, chosen=["news"])
    assert [entry.name for entry in sites.begin()] == ["news"]
    assert sites.can_crawl(SiteEntry("news"))
    assert not sites.can_crawl(SiteEntry("shops"))
    assert sites.can_crawl(SiteEntry("shops", adopted=True))
    member = SiteEntry("b.shops.example", "b.shops.example", template="shops", adopted=True)
    assert sites.can_crawl(member)
    assert not FleetSites([NEWS]).can_crawl(member), "it has no file of the template"
