"""What is drawn from a site's pages is the same whichever came first, on whichever host."""

from __future__ import annotations

import random

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.lots import stable_shuffle
from gwc_crawler.learn.precrawl.sampling_order import DirectedOrder
from gwc_crawler.learn.result import draw_pages

PATHS = [f"/things/{number}.html?page={number % 3}" for number in range(60)]


def pages(host: str, seed: int) -> list[StoredPage]:
    paths = random.Random(seed).sample(PATHS, len(PATHS))
    return [
        StoredPage(f"http://{host}{path}", f"http://{host}{path}", b"", "text/html", "utf-8", 0, 1, True)
        for path in paths
    ]


def paths_of(drawn: list[StoredPage]) -> list[str]:
    return [page.url.partition("example")[2].partition("/")[2] for page in drawn]


def test_pages_are_drawn_alike_in_whichever_order_they_came() -> None:
    one, other = pages("a.example:8000", 1), pages("b.example:9000", 2)
    assert paths_of(stable_shuffle(one)) == paths_of(stable_shuffle(other)) != sorted(paths_of(one))
    for ours, theirs in zip(draw_pages(one), draw_pages(other), strict=True):
        assert paths_of(ours) == paths_of(theirs)


def test_a_pre_crawl_asks_for_the_same_pages_in_whichever_order_they_were_found() -> None:
    taken = []
    for seed in (1, 2):
        order = DirectedOrder(["http://a.example/things/0.html"])
        found = list(enumerate(random.Random(seed).sample(PATHS, len(PATHS))))
        for number, path in found:
            order.found(number, f"http://a.example{path}")
        names = dict(found)
        taken.append([names[number] for _ in range(20) if (number := order.take()) is not None])
    assert len(taken[0]) == 20
    assert taken[0] == taken[1]
