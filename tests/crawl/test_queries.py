"""A shop whose links say where they stand: each product is one record, under the address that says only what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qsl

import pytest

from gwc_crawler.demo.serving import PageServer, Request, ServedReply
from tests.conftest import Project

PRODUCTS = 40
SITE = """entry = ["{url}/"]
[[samples]]
url = "{url}{first}"
fields = {{ name = "Thing of ash", price = "$4.10" }}
[[samples]]
url = "{url}{second}"
fields = {{ name = "Thing of elm", price = "$14.10" }}
"""
NAMES = [
    f"{one}{two}"
    for two in ("", "wood", "stone", "leaf")
    for one in ["oak", "fir", "yew", "ash", "bay", "box", "fig", "gum", "ivy", "tea"]
]
NAMES[13] = "elm"


@contextmanager
def shop(query: Callable[[int], str], on_a_list: int = PRODUCTS) -> Iterator[PageServer]:
    """Serve a list in parts and product pages; a colour has its own price, others change the breadcrumbs alone."""

    def reply(request: Request) -> ServedReply:
        path, _, asked = request.target.partition("?")
        keys = dict(parse_qsl(asked))
        links = [f"/p/{name}{query(number)}" for number, name in enumerate(NAMES)]
        if path == "/":
            start = int(keys.get("from", 0))
            parts = [f"/?from={number}" for number in range(on_a_list, PRODUCTS, on_a_list)]
            return page("<h1>All our things</h1>", [*links[start : start + on_a_list], *parts])
        if (name := path.removeprefix("/p/")) not in NAMES:
            return ServedReply(b"not here", "text/plain", 404)
        number = NAMES.index(name)
        cents = {"red": 20, "blue": 30}.get(keys.get("color", ""), 10)
        words = " ".join(f"{name}{place}" for place in range(9))
        crumbs = f"<nav>{keys.get('ref', 'things')}</nav><link rel=canonical href='{request.target}'>"
        facts = f"<h1>Thing of {name}</h1><b class='price'>${number + 1}.{cents}</b>"
        return page(f"{crumbs}{facts}<p>{words}</p>", [links[(number + 7) % PRODUCTS], "/"])

    with PageServer(reply) as server:
        yield server


def page(text: str, links: list[str]) -> ServedReply:
    anchors = "".join(f"<li><a href='{link}'>a thing</a></li>" for link in links)
    return ServedReply(f"<!DOCTYPE html><html><body>{text}<ul>{anchors}</ul></body></html>".encode())


def records(project: Project, server: PageServer, first: str, second: str) -> list[tuple[str, str]]:
    """Learn, crawl and look again; return path and price of each record."""
    url = server.url.rstrip("/")
    project.write_site("shop", SITE.format(url=url, first=first, second=second))
    assert project.scrapy("learn", "shop").code == 0
    for more in ((), ("-a", "recrawl=all")):
        assert project.scrapy("crawl", "shop", *more).code == 0
    rows = project.rows("SELECT url, price FROM records_shop", name="shop")
    return sorted((str(row[0]).removeprefix(url), str(row[1])) for row in rows)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("/p/ash", "/p/elm", id="samples cleaned", marks=pytest.mark.slow),
        pytest.param("/p/ash?ref=grid&pos=3&utm_source=list", "/p/elm", id="mixed"),
    ],
)
def test_what_changes_no_record_costs_none(project: Project, first: str, second: str) -> None:
    def query(number: int) -> str:
        return f"?ref={'deals' if number % 3 else 'grid'}&pos={number % 9}&utm_source=list" if number % 5 else ""

    with shop(query) as server:
        found = records(project, server, first, second)
    assert found == sorted((f"/p/{name}", f"${number + 1}.10") for number, name in enumerate(NAMES))
    assert set(project.knowledge("shop")["ignored_query_keys"]) == {"pos", "ref"}
    asked = project.scrapy("why", "shop", server.url + "/p/oak?ref=new&gclid=3", "--json")
    assert asked.code == 0


def test_a_key_that_pages_lists_costs_no_record_and_no_second_request(project: Project) -> None:
    with shop(lambda number: f"?from={number - number % 10}", on_a_list=10) as server:
        url = server.url.rstrip("/")
        project.write_site("shop", SITE.format(url=url, first="/p/ash", second="/p/elm"))
        assert project.scrapy("learn", "shop").code == 0
        learned_of = {target.partition("?")[0] for target in server.hits}
        server.hits.clear()
        assert project.scrapy("crawl", "shop").code == 0
        assert learned_of.isdisjoint(target.partition("?")[0] for target in server.hits)
    rows = project.rows("SELECT url FROM records_shop", name="shop")
    assert sorted(row[0] for row in rows) == sorted(f"{url}/p/{name}" for name in NAMES)


def test_what_changes_the_record_stays_beside_what_does_not(project: Project) -> None:
    def color(number: int) -> str:
        return "red" if number % 2 else "blue"

    with shop(lambda number: f"?color={color(number)}&ref=grid") as server:
        url = server.url.rstrip("/")
        text = SITE.replace(".10", ".20").format(url=url, first="/p/ash?color=red", second="/p/elm?color=red")
        project.write_site("shop", text)
        assert project.scrapy("learn", "shop").code == 0
        assert project.scrapy("crawl", "shop").code == 0
    prices = {"red": 20, "blue": 30}
    rows = project.rows("SELECT url, price FROM records_shop", name="shop")
    found = sorted((str(row[0]).removeprefix(url), str(row[1])) for row in rows)
    expected = ((f"/p/{name}?color={color(n)}", f"${n + 1}.{prices[color(n)]}") for n, name in enumerate(NAMES))
    assert found == sorted(expected)
