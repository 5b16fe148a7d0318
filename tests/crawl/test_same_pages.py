"""One page at many addresses where records stand (a challenge with status 200): records come home, or are told of."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable

import pytest

from gwc_crawler.demo.serving import PageServer, Request, ServedReply
from gwc_crawler.frontier.same_pages import SAME_PAGE
from tests.conftest import Outcome, Project
from tests.redis_server import RedisServer

PRODUCTS = 90
SITE = """entry = ["{url}/"]
[[samples]]
url = "{url}/p/1"
fields = {{ title = "Lamp of amber", price = "$11.48" }}
[[samples]]
url = "{url}/p/2"
fields = {{ title = "Chair of birch", price = "$12.48" }}
[learn]
pages = 40
"""
THINGS = ["Lamp", "Chair", "Table", "Shelf", "Bench", "Stool", "Chest", "Clock", "Frame"]
STUFF = ["amber", "birch", "copper", "denim", "ebony", "felt", "glass", "horn", "iron", "jade"]
NONCE = itertools.count(100_000)


def challenge(target: str) -> str:
    """What a wall answers: the same but for a ray's id, a time, an address and the URL."""
    ray = f"{next(NONCE) * 7919 * 104729:x}"
    return (
        f"<html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1>"
        f"<p>before you access {target}. Ray ID: {ray}, 203.0.113.7, "
        f"12:00:{int(ray[-2:], 16) % 60:02}</p></body></html>"
    )


def empty(_: str) -> str:
    return ""


def refusal(_: str) -> str:
    return f'{{"code": 429, "message": "too many requests", "id": {next(NONCE)}}}'


def stub(target: str) -> str:
    """What one event differs in from another: its number."""
    return (
        f"<html><head><title>Event</title></head><body><p>Event {target.rpartition('/')[2]} is over.</p></body></html>"
    )


def sold_out(_: str) -> str:
    return "<html><head><title>Shop</title></head><body><p>We sell this thing no more.</p></body></html>"


class Shop(PageServer):
    """Products in lists of ten; `walled` says of a product's number and how often it was asked who is kept out."""

    def __init__(self, wall: Callable[[str], str] = challenge, content_type: str = "text/html; charset=utf-8") -> None:
        super().__init__(self._reply)
        self.walled: Callable[[int, int], bool] = lambda number, hits: False
        self.limit = 0
        """After so many answers there is nothing but walls; 0: never."""
        self.wall = wall
        self.wall_type = content_type

    def _reply(self, request: Request) -> ServedReply:
        target = request.target
        if target == "/robots.txt":
            return ServedReply(b"User-agent: *\nDisallow:\n", content_type="text/plain")
        place, _, rest = target.removeprefix("/").partition("/")
        is_over = bool(self.limit) and sum(self.hits.values()) > self.limit
        if is_over or (place == "p" and self.walled(int(rest), self.hits[target])):
            return ServedReply(self.wall(target).encode(), content_type=self.wall_type)
        body = self._product(int(rest)) if place == "p" else self._list(int(rest or 0))
        return ServedReply(body.encode(), content_type="text/html; charset=utf-8")

    def _product(self, number: int) -> str:
        name = f"{THINGS[(number - 1) % 9]} of {STUFF[(number - 1) % 10]}"
        return (
            f"<html><head><title>{name}</title></head><body><a href='/'>Shop</a><div id='main'><h1>{name}</h1>"
            f"<p class='price'>${number + 10}.48</p></div></body></html>"
        )

    def _list(self, number: int) -> str:
        first = 10 * number
        links = [f"<a href='/p/{n}'>thing</a>" for n in range(first + 1, min(first + 10, PRODUCTS) + 1)]
        more = f"<a href='/list/{number + 1}'>more</a>" if first + 10 < PRODUCTS else ""
        return f"<html><body><h2>All things</h2>{' '.join(links)} {more}</body></html>"


def records(project: Project) -> int:
    return int(project.rows("SELECT count(*) FROM records_shop", name="shop")[0][0])


def kinds(project: Project) -> Counter[str]:
    rows = project.rows(
        "SELECT coalesce(iif(state = 'C', kind, reason), state) FROM urls WHERE state IS NOT NULL", name="shop"
    )
    return Counter(row[0] for row in rows)


both_forms = pytest.mark.parametrize("profile", ["local", "cluster"])
mostly_local = pytest.mark.parametrize("profile", ["local", pytest.param("cluster", marks=pytest.mark.slow)])


def crawl(project: Project, profile: str, *args: str, **settings: object) -> Outcome:
    waits = {"GWC_RETRY_BASE_SECONDS": 0.1}  # they double
    return project.scrapy("crawl", "shop", *args, profile=profile, settings=waits | settings)


@both_forms
def test_what_is_challenged_once_comes_home(project: Project, redis_server: RedisServer, profile: str) -> None:
    with Shop() as shop:
        shop.walled = lambda number, hits: number > 40 and number % 3 == 0 and hits == 1
        project.write_site("shop", SITE.format(url=shop.url))
        outcome = crawl(project, profile, REDIS_URL=redis_server.url)
    assert outcome.code == 0
    assert records(project) == PRODUCTS
    assert outcome.err.count("one and the same page at several addresses where records stand") == 1


@pytest.mark.parametrize(("wall", "content_type"), [(empty, "text/html"), (refusal, "application/json")])
def test_an_empty_answer_and_one_in_json_are_none(
    project: Project, wall: Callable[[str], str], content_type: str
) -> None:
    with Shop(wall, content_type) as shop:
        shop.walled = lambda number, hits: number > 20 and number % 3 == 0 and hits == 1
        project.write_site("shop", SITE.format(url=shop.url))
        assert crawl(project, "local").code == 0
    assert records(project) == PRODUCTS


def test_what_was_stored_by_an_earlier_run_is_asked_for_again(project: Project) -> None:
    with Shop() as shop:
        shop.walled = lambda number, hits: number in (12, 15) and hits == 1
        project.write_site("shop", SITE.format(url=shop.url))
        crawl(project, "local", CLOSESPIDER_PAGECOUNT=30)
        shop.walled = lambda number, hits: number > 50 and number % 4 == 0 and hits == 1
        crawl(project, "local")
    assert records(project) == PRODUCTS


@mostly_local
def test_what_never_comes_is_an_error_and_comes_another_day(
    project: Project, redis_server: RedisServer, profile: str
) -> None:
    with Shop() as shop:
        shop.walled = lambda number, hits: number > 40 and number % 3 == 0
        project.write_site("shop", SITE.format(url=shop.url))
        first = crawl(project, profile, REDIS_URL=redis_server.url)
        assert first.code == 0
        assert records(project) == PRODUCTS - 17
        assert max(shop.hits.values()) <= 6
        if profile == "local":
            assert kinds(project)[SAME_PAGE] == 17
            assert SAME_PAGE in project.scrapy("why", "shop", f"{shop.url}/p/45").out
            status = json.loads(project.scrapy("status", "shop", "--json").out)["crawl"]
            assert [page["targets"] >= 3 for page in status["same_pages"]] == [True]
            assert "taken for no answer" in project.scrapy("status", "shop").out
        shop.walled = lambda number, hits: False
        assert crawl(project, profile, "-a", "recrawl=errors", REDIS_URL=redis_server.url).code == 0
    assert records(project) == PRODUCTS


@mostly_local
def test_a_host_that_gives_nothing_else_is_left_alone(
    project: Project, redis_server: RedisServer, profile: str
) -> None:
    with Shop() as shop:
        shop.limit = 60
        project.write_site("shop", SITE.format(url=shop.url))
        outcome = crawl(project, profile, REDIS_URL=redis_server.url)
        assert outcome.code == 3
        assert "gives nothing but one page any more" in outcome.err
        assert sum(shop.hits.values()) < 60 + PRODUCTS
        shop.limit = 0
        assert crawl(project, profile, "-a", "recrawl=errors", REDIS_URL=redis_server.url).code == 0
    assert records(project) == PRODUCTS


def test_a_kind_of_page_of_the_site_costs_a_few_tries(project: Project) -> None:
    with Shop(sold_out) as shop:
        shop.walled = lambda number, hits: number > 10 and number % 3 == 0
        project.write_site("shop", SITE.format(url=shop.url))
        outcome = crawl(project, "local")
        asked = sum(shop.hits.values())
    assert outcome.code == 0
    assert records(project) == PRODUCTS - 27
    assert asked < 2 * PRODUCTS


def test_look_alikes_that_differ_stay_look_alikes(project: Project) -> None:
    with Shop(stub) as shop:
        shop.walled = lambda number, hits: number > 10 and number % 3 == 0
        project.write_site("shop", SITE.format(url=shop.url))
        assert crawl(project, "local").code == 0
        assert kinds(project)["lookalike"] == 27
        assert {hits for target, hits in shop.hits.items() if target.startswith("/p/")} == {1}
