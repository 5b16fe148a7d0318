"""The directed order takes every URL once, looks at each form early, and goes to the samples' neighbours first."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from gwc_crawler.learn.precrawl.sampling_order import DirectedOrder
from gwc_crawler.learn.precrawl.url_forms import UrlForms, place_of

HOST = "http://a.example"


class Waiting:
    """URLs that wait, by the numbers an order knows them by."""

    def __init__(self, samples: Iterable[str], urls: Iterable[str]) -> None:
        self.order = DirectedOrder([HOST + path for path in samples])
        self.urls = [HOST + path for path in urls]
        for number, url in enumerate(self.urls):
            self.order.found(number, url)

    def taken(self, most: int = 10_000) -> list[str]:
        """Take as many as there are, *most* at most; returns paths."""
        found: list[str] = []
        while len(found) < most and (number := self.order.take()) is not None:
            found.append(self.urls[number].removeprefix(HOST))
        return found


def test_every_url_is_taken_once() -> None:
    urls = [f"/{letter}/{kind}-{n}.html" for letter in "xyz" for kind in ("one", "two") for n in range(20)]
    random.Random(1).shuffle(urls)
    assert sorted(Waiting(["/x/one-1.html"], urls).taken()) == sorted(urls)


def test_each_form_is_looked_at_before_many_of_one() -> None:
    others = [f"/{name}/first.html" for name in ("news", "people", "help")]
    waiting = Waiting(["/item/a"], [*(f"/item/{number}" for number in range(300)), *others])
    assert set(others) <= set(waiting.taken(10))


def test_many_first_words_of_one_directory_leave_the_others_their_turn() -> None:
    words = [f"/blog/{''.join(random.Random(n).choices('abcdefghij', k=9))}-post/" for n in range(400)]
    waiting = Waiting(["/item/a"], [*words, "/news/first.html", "/help/"])
    assert {"/news/first.html", "/help/"} <= set(waiting.taken(12))


def test_the_further_pages_of_a_list_in_the_targets_own_directory_have_their_turn() -> None:
    urls = [*(f"/game/{number}.html" for number in range(2000)), *(f"/game/index_{number}.html" for number in range(9))]
    assert any("index_" in path for path in Waiting(["/game/7.html"], urls).taken(40))


def test_large_forms_are_looked_at_more_often_than_small_ones() -> None:
    few, many = [f"/few/{number}" for number in range(16)], [f"/many/{number}" for number in range(400)]
    taken = Waiting([], [*few, *many]).taken(60)
    assert 5 <= sum(path in few for path in taken) <= 15


def test_of_pages_that_are_alike_those_found_last_have_their_turn_as_well() -> None:
    taken = Waiting(["/item/a"], [f"/item/{number}" for number in range(400)]).taken(60)
    assert 15 <= sum(int(path.rpartition("/")[2]) >= 200 for path in taken) <= 45


def test_neighbours_of_a_sample_come_early() -> None:
    urls = [*(f"/wide/page-{number}.html" for number in range(300)), "/deep/down/method-b.html"]
    assert "/deep/down/method-b.html" in Waiting(["/deep/down/method-a.html"], urls).taken(2)


def test_a_directory_name_under_many_others_is_one_form() -> None:
    uses = [f"/{above}/{above}{below}/class-use/X.html" for above in "abcdefgh" for below in "klmnopqr"]
    assert "/other/page.html" in Waiting(["/a/X.html"], [*uses, "/other/page.html"]).taken(14)


def test_what_is_wanted_comes_first_and_once() -> None:
    waiting = Waiting(["/item/1"], [f"/item/{number}" for number in range(50)])
    waiting.order.want([40, 41, 99])
    assert waiting.taken(2) == ["/item/40", "/item/41"]
    assert len(waiting.taken()) == 48


def test_what_was_leased_otherwise_is_not_named() -> None:
    waiting = Waiting(["/item/1"], ["/item/1", "/item/2"])
    waiting.order.leased(0)
    assert waiting.taken() == ["/item/2"]


def test_what_returns_comes_again_and_its_form_counts_as_not_looked_at() -> None:
    waiting = Waiting([], ["/a/x.html", "/b/x.html"])
    assert waiting.taken(1) == ["/a/x.html"]
    waiting.order.returned(0, waiting.urls[0])
    waiting.order.returned(0, waiting.urls[0])
    assert sorted(waiting.taken()) == ["/a/x.html", "/b/x.html"]


def test_fed_with_what_was_fetched_it_goes_on_with_the_other_forms() -> None:
    waiting = Waiting([], [])
    for number in range(5):
        waiting.order.was_fetched(f"{HOST}/a/{number}.html")
    waiting.urls = [f"{HOST}{path}" for path in ("/a/7.html", "/a/8.html", "/b/7.html", "/b/8.html")]
    for number, url in enumerate(waiting.urls):
        waiting.order.found(number, url)
    assert sorted(waiting.taken(2)) == ["/b/7.html", "/b/8.html"]


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("/shop/12/thor.html", "/shop/7/hulk.html", True),
        ("/shop/12/thor.html", "/shop/7/hulk.asp", False),
        ("/a/pr_color.asp", "/a/pr_font.asp", True),
        ("/a/pr_color.asp", "/a/index.asp", False),
        ("/list?page=2", "/list?page=3", True),
        ("/list?page=2", "/list", False),
        ("/list/", "/list", False),
        ("/author/Ann-Lee/", "/author/Ann-Poe/", True),
        ("/help/", "/about/", False),
        ("/index.html?a/b.html", "/index.html?a/c.html", True),
        ("/list?feed", "/list?print", False),
        ("/show.php?id=1", "/edit.php?id=1", False),
        ("/api/norm.html", "/api/norm.pdf.html", False),
        ("/api/List.html", "/api/overview.html", False),
    ],
)
def test_forms(one: str, other: str, is_one: bool) -> None:
    forms = UrlForms()
    assert (forms.of(HOST + one)[0] == forms.of(HOST + other)[0]) is is_one


def test_nearness() -> None:
    sample = place_of(f"{HOST}/shop/books/item-1.html")
    near = [f"{HOST}{path}" for path in ("/shop/books/item-2.html", "/shop/books/x.html", "/shop/y/x.html", "/z.html")]
    assert [place_of(url).nearness(sample) for url in near] == [7, 5, 1, 0]
