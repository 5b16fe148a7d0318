"""What makes the learning less sure: lists among the targets, hardly any page looked at; and what it asks for."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.review.certainty import Found, judge
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from tests.extract.pages import sentence, word
from tests.learn.test_sparse_and_given import SITE, stored


def entry(n: int) -> str:
    return (
        f"<html><head><title>{word(n)}</title></head><body><a href=/>Home</a><h1>{word(n)}</h1>"
        f"<p>{sentence(n)}</p></body></html>"
    )


def site(count: int = 80, lists_in: str = "/") -> list[StoredPage]:
    """Pages in one flat directory, and lists of them: where these are in it, nothing in the address tells them."""
    entries = [f"/{word(n).lower()}.html" for n in range(count)]
    lists = {f"{lists_in}{word(200 + k).lower()}.html": entries[40 * k : 40 * k + 40] for k in range(count // 40)}
    pages = [stored("/", listing("Home", list(lists)), list(lists), depth=0)]
    pages += [
        stored(path, listing(word(200 + k), links), ["/", *links]) for k, (path, links) in enumerate(lists.items())
    ]
    return pages + [stored(path, entry(n), ["/"]) for n, path in enumerate(entries)]


def listing(name: str, links: list[str]) -> str:
    items = "".join(f"<li><a href={one}>{one}</a></li>" for one in links)
    return (
        f"<html><head><title>{name}</title></head><body><a href=/>Home</a><h1>{name}</h1><ul>{items}</ul></body></html>"
    )


def learn(pages: list[StoredPage], samples: dict[str, dict[str, str]]) -> Knowledge:
    given = tuple((SITE + path, fields) for path, fields in samples.items())
    return learn_site(LearnTask("flat", (f"{SITE}/",), samples=given), pages)


def sample(n: int, *fields: str) -> dict[str, dict[str, str]]:
    known = {"title": word(n), "text": sentence(n)}
    return {f"/{word(n).lower()}.html": {name: known[name] for name in fields or ("title",)}}


def test_a_sample_that_is_a_list_beside_a_record_is_doubted_though_both_have_the_field() -> None:
    knowledge = learn(site(), sample(3) | sample(200))
    certainty = knowledge.evidence["certainty"]
    assert certainty["targets"] == "unsure"
    assert "a sample looks like a list, not like a record" in certainty["line"]
    assert any("give a page that shows one record" in told for told in knowledge.evidence["warnings"])


def test_samples_of_one_kind_are_not_doubted_for_the_lists_of_the_site() -> None:
    certainty = learn(site(), sample(3, "title", "text") | sample(50, "title", "text")).evidence["certainty"]
    assert "looks like a list" not in certainty["line"]
    assert certainty["targets"] != "unsure"


def test_a_list_among_the_targets_makes_less_sure_and_is_asked_for() -> None:
    told = judge(Found(targets=200, a_list=f"{SITE}/all.html"))
    assert told.targets == "fairly sure"
    assert "nearly all pages are targets, and so is a list of others" in told.because
    assert told.next_sample == f"{SITE}/all.html"


@pytest.mark.parametrize(("fetched", "is_told"), [(20, True), (83, False)])
def test_it_is_told_when_hardly_any_page_was_looked_at(fetched: int, is_told: bool) -> None:
    knowledge = learn(site(lists_in="/list/")[:fetched], sample(3, "title", "text") | sample(9, "title", "text"))
    certainty = knowledge.evidence["certainty"]
    assert ("addresses were not looked at: raise [learn] pages" in certainty["line"]) == is_told
    assert certainty["targets"] == ("fairly sure" if is_told else "sure")


@pytest.mark.parametrize(("shared", "asked"), [(["title"], ""), (["title", "price"], f"{SITE}/b.html")])
def test_no_sample_is_asked_for_a_field_that_a_sample_lacks_itself(shared: list[str], asked: str) -> None:
    values = [{"url": f"{SITE}/a.html", "value": "A"}, {"url": f"{SITE}/b.html", "value": None}]
    fields: dict[str, Any] = {
        "title": {"values": values[:1], "unseen_pages": 60, "coverage": 1.0},
        "price": {"values": values, "unseen_pages": 60, "coverage": 0.6},
    }
    assert judge(Found(targets=60, fields=fields, shared=shared)).next_sample == asked
