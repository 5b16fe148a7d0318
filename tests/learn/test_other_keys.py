"""What is refused for its query alone is told, with numbers; what is known by another address is no loss."""

from __future__ import annotations

import re

import pytest

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.review.review import refused_for_their_query

HOST = "http://a.example"


def told(target: str, links: list[str], fetched: str = "/p/1") -> list[str]:
    """What is said of a site with these links, by filters that take *target*."""
    knowledge = Knowledge("shop", "best", (UrlClass(re.escape(HOST) + target),), (), 2)
    pages = [
        StoredPage(
            HOST + path, HOST + path, b"<p>x", "text/html", "utf-8", 0, 1, False, tuple(HOST + one for one in links)
        )
        for path in ("/", fetched)
    ]
    return refused_for_their_query(Pages(pages, knowledge, Wrapper("best", {}), ()))


PLAIN = [f"/p/{n}" for n in range(20)]
MARKED = [f"/p/{n}?ref=grid" for n in range(20, 100)]


def test_numbers_and_keys_are_named() -> None:
    (line,) = told("/p/[0-9]+", PLAIN + MARKED)
    assert line.startswith(
        "80 of 100 addresses like the targets' have the keys ref, for which the filters refuse them;"
    )
    assert "/p/20?ref=grid" in line


def test_where_the_filters_demand_a_key_those_without_are_named() -> None:
    (line,) = told(r"/p/[0-9]+\?ref=grid", PLAIN + MARKED)
    assert line.startswith("20 of 100 addresses like the targets' have no query")


@pytest.mark.parametrize(
    ("target", "links"),
    [
        pytest.param(r"/p/[0-9]+", PLAIN, id="no query"),
        pytest.param(r"/p/[0-9]+(\?ref=grid)?", PLAIN + MARKED, id="taken"),
        pytest.param(r"/p/[0-9]+", [*PLAIN, *(f"{one}?print=1" for one in PLAIN)], id="second versions"),
        pytest.param(r"/p/[0-9]+", [*PLAIN, "/list?page=2", "/list?page=3"], id="lists"),
        pytest.param(
            r"/view\?id=[0-9]+", [f"/view?id={n}" for n in range(9)] + ["/view?help"], id="a query names the page"
        ),
    ],
)
def test_nothing_is_said_where_nothing_is_lost(target: str, links: list[str]) -> None:
    assert told(target, links, fetched=links[0]) == []
