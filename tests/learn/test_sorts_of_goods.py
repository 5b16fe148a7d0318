"""Shops and blogs name elements by stock, sort, category or format of a page: that makes no other kind of page."""

from __future__ import annotations

import random

import pytest

from gwc_crawler.extract.page_check import page_agrees
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import PageReader
from tests.learn.memory_crawl import Answer, precrawl_memory

SHOP = "http://shop.invalid"
SORTS = {
    "instock": "<form class='cart'><label>How many</label><button>Buy</button></form>",
    "outofstock": "<form class='notify'><label>Tell me</label><em>Sold out</em></form>",
    "sale": "<div class='badge'><em>Sale</em><del>999.99</del></div>",
    "preorder": "<ul class='wait'><li><em>Comes soon</em></li></ul>",
}
SKINS = {
    "around the values": "<body><div class='{sort}'><h1>{name}</h1><p>{price}</p>{part}</div>{rest}</body>",
    "of the body": "<body class='sort-{sort}'><main><h1>{name}</h1><b>{price}</b></main>{rest}</body>",
    "of the value": "<body><main><h1>{name}</h1><b class='{sort}-price'>{price}</b>{part}</main>{rest}</body>",
    "of a post": "<body><article class='post format-{sort}'><h1>{name}</h1>{part}<i>{price}</i></article>{rest}</body>",
}
Goods = dict[str, tuple[str, dict[str, str]]]
"""Path → sort, and what a record of the page has."""


def drawn_goods(draw: random.Random, count: int = 60) -> Goods:
    words = ["amber", "brisk", "coral", "dusty", "frosty", "gentle", "hollow", "ivory", "jolly", "lunar", "mellow"]
    found: Goods = {}
    for number in range(count):
        name = " ".join((*draw.sample(words, 3), str(number)))
        fields = {"name": name.title(), "price": f"${draw.randint(3, 900)}.{draw.randint(10, 99)}"}
        found[f"/p/{name.replace(' ', '-')}"] = draw.choice(list(SORTS)), fields
    return found


def links(paths: list[str]) -> str:
    return "<ul>" + "".join(f"<li><a href='{path}'>{path[3:]}</a></li>" for path in paths) + "</ul>"


def site(skin: str, goods: Goods, draw: random.Random) -> dict[str, str]:
    """Path → page: goods, each with some others beside it and a review or none; lists of them in any order."""
    paths = list(goods)
    lists = {f"/all/{place // 10 + 1}": paths[place : place + 10] for place in range(0, len(paths), 10)}
    made = {path: f"<body><h2>All</h2>{links(shown)}</body>" for path, shown in lists.items()}
    made["/"] = f"<body><h2>Shop</h2>{links(list(lists))}</body>"
    for path, (sort, fields) in goods.items():
        review = "<ol class='reviews'><li><p>Good stuff</p></li></ol>" if draw.random() < 0.4 else ""
        rest = f"{review}<div class='others'>{links(draw.sample(paths, 4))}</div>"
        made[path] = SKINS[skin].format(sort=sort, part=SORTS[sort], rest=rest, **fields)
    return made


@pytest.mark.parametrize("skin", SKINS)
def test_none_of_the_targets_is_lost_if_both_samples_are_of_one_sort(skin: str) -> None:
    draw = random.Random(5)
    goods = drawn_goods(draw)
    pages = site(skin, goods, draw)
    chosen = [path for path, (sort, _) in goods.items() if sort == "sale"][:2]
    samples = tuple((SHOP + path, goods[path][1]) for path in chosen)

    def fetch(url: str) -> Answer | None:
        html = pages.get(url.removeprefix(SHOP))
        return None if html is None else (url, f"<html>{html}</html>".encode(), "text/html")

    stored = precrawl_memory(fetch, [f"{SHOP}/", *(url for url, _ in samples)], PageReader(None))
    knowledge = learn_site(LearnTask("shop", (f"{SHOP}/",), samples=samples), stored)
    wrapper = Wrapper.from_json(knowledge.wrapper)
    for path in goods:
        tree = parse_html(pages[path].encode())
        assert knowledge.is_target(SHOP + path)
        fields, _ = wrapper.extract_view(PageView(tree, SHOP + path))
        assert page_agrees(tree, None, fields, knowledge.page_check) is None
