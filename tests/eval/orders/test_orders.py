"""The directed order takes every URL once, looks at each form early, and goes to the samples' neighbours first."""

from __future__ import annotations

import random

from tests.eval.generated.grammar import Grammar
from tests.eval.generated.trial import try_site
from tests.eval.orders.directed import DirectedTurns

HOST = "http://a.example"


def taken(order: DirectedTurns) -> list[str]:
    found = []
    while (url := order.take()) is not None:
        found.append(url)
    return found


def test_every_url_is_taken_once() -> None:
    order = DirectedTurns([f"{HOST}/x/one-1.html"])
    urls = [f"{HOST}/{letter}/{kind}-{n}.html" for letter in "xyz" for kind in ("one", "two") for n in range(20)]
    random.Random(1).shuffle(urls)
    for url in urls:
        order.found(url, 1)
    assert sorted(taken(order)) == sorted(urls)


def test_each_form_is_looked_at_before_many_of_one() -> None:
    order = DirectedTurns([f"{HOST}/item/a"])
    for number in range(300):
        order.found(f"{HOST}/item/{number}", 0)
    for name in ("news", "people", "help"):
        order.found(f"{HOST}/{name}/first.html", 5)
    first = taken(order)[:15]
    assert {url.split("/")[3] for url in first} == {"item", "news", "people", "help"}


def test_neighbours_of_a_sample_come_early() -> None:
    order = DirectedTurns([f"{HOST}/deep/down/method-a.html"])
    for number in range(300):
        order.found(f"{HOST}/wide/page-{number}.html", 0)
    order.found(f"{HOST}/deep/down/method-b.html", 9)
    assert f"{HOST}/deep/down/method-b.html" in taken(order)[:4]


def test_a_directory_name_under_many_others_is_one_form() -> None:
    order = DirectedTurns([f"{HOST}/a/X.html"])
    for above in "abcdefgh":
        for below in "klmnopqr":
            order.found(f"{HOST}/{above}/{above}{below}/class-use/X.html", 0)
    order.found(f"{HOST}/other/page.html", 9)
    assert f"{HOST}/other/page.html" in taken(order)[:20]


def test_the_simplest_site_is_learned_from_few_pages_in_this_order() -> None:
    assert try_site(Grammar(), 40, DirectedTurns).passed
