"""Pages full of dead links: the pre-crawl asks for a bounded number of URLs, and finds the good pages all the same."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Project
from tests.shop_site import product, product_site_file, put_products
from tests.site_server import SiteServer

PAGES = 30
PRODUCTS = 24
MOST = 3 * PAGES + 20
"""What a pre-crawl of 30 pages may ask for, robots.txt and retries aside."""

Prepare = Callable[[SiteServer, int], list[str]]


def words(count: int) -> list[str]:
    rng = random.Random(7)
    return ["".join(rng.choices(string.ascii_lowercase, k=8)) for _ in range(count)]


def gone(site: SiteServer, count: int) -> list[str]:
    return [f"/dead/{number}" for number in range(count)]


def gone_in_many_classes(site: SiteServer, count: int) -> list[str]:
    return [f"/{word}/{number}" for word in words(count // 10) for number in range(10)]


def forbidden(site: SiteServer, count: int) -> list[str]:
    links = gone(site, count)
    site.statuses.update(dict.fromkeys(links, 403))
    return links


def broken(site: SiteServer, count: int) -> list[str]:
    links = gone(site, count)
    site.statuses.update(dict.fromkeys(links, 500))
    return links


def forbidden_by_robots(site: SiteServer, count: int) -> list[str]:
    site.bodies["/robots.txt"] = (b"User-agent: *\nDisallow: /dead/\n", "text/plain")
    return gone(site, count)


def silent(site: SiteServer, count: int) -> list[str]:
    links = gone(site, count)
    site.delays.update(dict.fromkeys(links, 600.0))
    return links


def refused(site: SiteServer, count: int) -> list[str]:
    return [f"http://127.0.0.1:9/dead/{number}" for number in range(count)]


def led_home(site: SiteServer, count: int) -> list[str]:
    links = gone(site, count)
    site.statuses.update(dict.fromkeys(links, 302))
    site.headers.update((link, {"Location": "/"}) for link in links)
    return links


def write(project: Project, site: SiteServer) -> None:
    text = product_site_file(site.url, (1, 2)).replace("pages = 40", f"pages = {PAGES}")
    project.write_site("shop", f'hosts = ["127.0.0.1:9"]\n{text}')


def put(site: SiteServer, dead: list[str], *, on_entry: bool) -> None:
    """A shop whose entry leads to a page of dead links (or has them itself, first), then to two lists of products."""
    put_products(site, PRODUCTS)
    for number in range(PRODUCTS):
        site.bodies[f"/item/{number}"] = product(number, advert="<a href='/list/1'>new</a> <a href='/list/2'>old</a>")
    site.links["/list/1"] = [f"/item/{number}" for number in range(PRODUCTS // 2)]
    site.links["/list/2"] = [f"/item/{number}" for number in range(PRODUCTS // 2, PRODUCTS)]
    site.links["/"] = [*dead, "/list/1", "/list/2"] if on_entry else ["/old", "/list/1", "/list/2"]
    site.links["/old"] = dead


def stored_products(project: Project) -> int:
    rows = project.rows("SELECT url FROM pages WHERE kind <> 'redirect'", name="shop", database="samples.db")
    return sum(bool(re.search(r"/item/[0-9]+$", url)) for (url,) in rows)


BESIDE, BEFORE = "on a page of their own", "before the good ones"
CASES = [
    (gone, BESIDE), (gone_in_many_classes, BESIDE), (gone_in_many_classes, BEFORE), (forbidden_by_robots, BEFORE),
    (led_home, BESIDE), (silent, BESIDE),
]  # fmt: skip
MORE_CASES = [
    (gone, BEFORE), (forbidden_by_robots, BESIDE), (led_home, BEFORE), (silent, BEFORE), (forbidden, BESIDE),
    (broken, BESIDE), (refused, BESIDE),
]  # fmt: skip


@pytest.mark.parametrize(
    ("dead", "where"),
    [*CASES, *(pytest.param(*case, marks=pytest.mark.slow) for case in MORE_CASES)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_dead_links_are_sampled(project: Project, site: SiteServer, dead: Prepare, where: str) -> None:
    put(site, dead(site, 20_000 if dead is gone else 2_000), on_entry=where == BEFORE)
    write(project, site)
    settings: dict[str, Any] = {"DOWNLOAD_TIMEOUT": 1, "GWC_RETRY_MAX_SECONDS": 0.2} if dead is silent else {}
    outcome = project.scrapy("learn", "shop", "--verbose", settings=settings, timeout=200)
    assert outcome.code == 0, outcome.err
    asked = sum(site.page_hits().values())
    assert asked <= MOST, f"{asked} requests"
    assert stored_products(project) >= PRODUCTS - 4, outcome.err
    if dead is forbidden_by_robots:  # refused when they are found, none is asked for
        query = "SELECT sum(count) FROM cuts WHERE reason = 'forbidden_by_robots'"
        assert project.rows(query, name="shop", database="samples.db")[0][0] >= 2_000
    elif dead is gone_in_many_classes:
        assert "others on the same page gave nothing but errors" in " ".join(outcome.out.split())
    elif dead is refused:  # its robots.txt is asked for, none of these is
        assert outcome.err.count("robots.txt of 127.0.0.1:9 can't be had") <= 10, outcome.err
        assert "its pages are given up" in outcome.err
    else:
        assert "others of this form gave nothing but errors" in " ".join(outcome.out.split())


def test_no_more_pages_are_fetched_than_a_run_may_have(project: Project, site: SiteServer) -> None:
    put(site, [], on_entry=True)
    write(project, site)
    outcome = project.scrapy("learn", "shop", settings={"GWC_MAX_PAGES": 12})
    assert outcome.code == 0, outcome.err
    assert sum(site.page_hits().values()) == 12
