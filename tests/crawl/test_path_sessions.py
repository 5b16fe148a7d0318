"""A shop that puts a new session into the path of every link: one URL, one request and one record a product."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from gwc_crawler.demo.serving import PageServer, Request, ServedReply
from tests.conftest import Project

PRODUCTS = 14
MADE = ("oak", "pine", "iron", "glass", "wool", "clay", "silk", "cork", "tin", "jute", "felt", "horn", "lime", "rush")

SITE = """entry = ["{url}/"]

[[samples]]
url = "{url}/item/1"
fields = {{ name = "Thing of oak", price = "$1.50" }}

[[samples]]
url = "{url}/item/2"
fields = {{ name = "Thing of pine", price = "$2.50" }}

[learn]
pages = 60
"""


class SessionShop(PageServer):
    """Serves each page with and without a session in its path; every page it sends starts a new one."""

    def __init__(self) -> None:
        super().__init__(self._reply)
        self._sessions = count(1)

    def _reply(self, request: Request) -> ServedReply:
        path = request.path
        if path == "/robots.txt":
            return ServedReply(b"User-agent: *\nDisallow:\n", "text/plain")
        if path.startswith("/(S("):
            path = path.partition("))")[2] or "/"
        session = f"/(S({next(self._sessions) * 2_654_435_761 % 2**32:08x}))"
        if path == "/":
            links = [f"{session}/item/{number}" for number in range(1, PRODUCTS + 1)]
            return ServedReply(_page("<h1>All our things</h1>", links))
        name, _, number = path.rpartition("/")
        if name != "/item" or not number.isdigit() or not 1 <= int(number) <= PRODUCTS:
            return ServedReply(b"not here", "text/plain", 404)
        made = MADE[int(number) - 1]
        others = [f"{session}/item/{int(number) % PRODUCTS + 1}", f"{session}/"]
        words = " ".join(f"{made}{place}" for place in range(40))
        text = f"<h1 class='name'>Thing of {made}</h1><b class='price'>${number}.50</b><p>{words}</p>"
        return ServedReply(_page(text, others))


def _page(text: str, links: list[str]) -> bytes:
    anchors = "".join(f"<li><a href='{link}'>a thing</a></li>" for link in links)
    return f"<!DOCTYPE html><html><head><title>shop</title></head><body>{text}<ul>{anchors}</ul></body></html>".encode()


@pytest.fixture
def shop() -> Iterator[SessionShop]:
    with SessionShop() as server:
        yield server


def test_a_session_in_the_path_is_found_by_evidence_and_costs_no_second_request(
    project: Project, shop: SessionShop
) -> None:
    project.write_site("shop", SITE.format(url=shop.url.rstrip("/")))
    assert project.scrapy("learn", "shop").code == 0
    knowledge = project.knowledge("shop")
    assert list(knowledge["ignored_segments"].values()) == [""]
    before = sum(shop.hits.values())
    assert project.scrapy("crawl", "shop").code == 0
    rows = project.rows("SELECT url, name, price FROM records_shop ORDER BY name", name="shop")
    assert len(rows) == PRODUCTS
    assert {str(row[0]).removeprefix(shop.url.rstrip("/")) for row in rows} == {
        f"/item/{number}" for number in range(1, PRODUCTS + 1)
    }
    requested = [request.target for request in shop.log][before:]
    pages = [target for target in requested if target != "/robots.txt"]
    assert len(pages) == len(set(pages)) <= PRODUCTS + 1
    assert not [target for target in pages if "(S(" in target]
