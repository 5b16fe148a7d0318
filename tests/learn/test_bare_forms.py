"""Of keys that stand in addresses like the samples', a few pages without them are asked for; of others none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from gwc_crawler.learn.precrawl.versions import BareForms

HOST = "http://a.example"
CLEAN = ["/p/amber-lamp", "/p/blue-desk"]
CLICKED = ["/p/amber-lamp?ref=grid", "/p/blue-desk?ref=grid"]


def asked(samples: Sequence[str], pages: Sequence[str]) -> list[str]:
    """What is asked for when a list of *pages*, and then these, were read."""
    forms = BareForms([HOST + path for path in samples])
    links = [HOST + path for path in pages]
    named = [*forms.of(f"{HOST}/list", links), *(url for link in links for url in forms.of(link, ()))]
    return [url.removeprefix(HOST) for url in named]


@pytest.mark.parametrize("samples", [CLEAN, CLICKED, [CLEAN[0], CLICKED[1]], CLEAN[:1], CLICKED[:1]])
def test_a_key_of_all_links_is_tried_on_as_many_pages_as_a_judgement_needs(samples: list[str]) -> None:
    assert len(asked(samples, [f"/p/thing-{n}?ref=grid" for n in range(50)])) == 3


@pytest.mark.parametrize(
    ("address", "most"),
    [
        pytest.param(lambda n: f"/p/thing-{n}?spin={n}", 6, id="another value in each link"),
        pytest.param(lambda n: f"/p/thing-{n}?from=list&pos=3", 6, id="two keys"),
        pytest.param(lambda n: f"/p/thing-{n};jsessionid=A{n}", 6, id="a parameter of the path"),
        pytest.param(lambda n: f"/track-{n}9f1a/p/thing-{n}", 6, id="a segment that the samples lack"),
        pytest.param(lambda n: f"/p/thing-{n}", 0, id="no key"),
        pytest.param(lambda n: f"/list/{n}?page=2", 0, id="a key of lists alone"),
        pytest.param(lambda n: f"/a/b/thing-{n}?ref=grid", 0, id="nothing like the samples"),
    ],
)
def test_how_many_are_asked_for(address: Callable[[int], str], most: int) -> None:
    named = asked(CLEAN, [address(n) for n in range(50)])
    assert len(named) == most
    assert len(set(named)) == len(named)


def test_what_names_the_page_costs_one_request() -> None:
    named = asked(["/view?id=1", "/view?id=2"], [f"/view?id={n}&ref=grid" for n in range(1, 50)])
    assert Counter("id=" in url for url in named) == {True: 3, False: 1}


def test_values_that_are_seldom_are_tried_too() -> None:
    pages = [f"/p/thing-{n}?lang={'de' if n == 40 else 'en'}" for n in range(50)]
    assert "/p/thing-40" in asked(CLEAN, pages)


def test_a_session_in_the_path_of_samples_is_tried_and_an_article_number_is_not() -> None:
    assert asked(["/t-9f1a2b/p/lamp", "/t-8f1a2c/p/desk"], ["/t-7f1a2d/p/chair"]) == ["/p/chair"]
    assert asked(["/p/ab12345/lamp", "/p/cd12345/desk"], ["/p/ef12345/chair"]) == []
