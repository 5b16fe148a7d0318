"""Fields by hand in learning: they win, they are checked, and samples need no values where all fields are by hand."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.report import render_report
from gwc_crawler.learn.site import learn_site
from gwc_crawler.modes import LearnMode
from tests.learn.test_site import SHOP, product, shop, task

BARE = ((f"{SHOP}/item/4", {}), (f"{SHOP}/item/11", {}))


def by(*ways: dict[str, str], shape: str = "text") -> dict[str, Any]:
    return {"kind": "selected", "shape": shape, "ways": list(ways)}


HAND = {
    "name": by({"css": "h1.name::text"}),
    "price": by({"css": ".cost"}, {"xpath": "//span[@class='price']"}),
    "stock": by({"css": ".stock", "regex": r"\d+"}),
}


def record(knowledge: Knowledge, number: int) -> dict[str, Any]:
    return Wrapper.from_json(knowledge.wrapper).extract(product(number), f"{SHOP}/item/{number}")


@pytest.mark.parametrize("mode", list(LearnMode))
def test_with_all_fields_by_hand_samples_need_no_values(mode: LearnMode) -> None:
    knowledge = learn_site(task(mode, samples=BARE, fields=HAND), shop())
    assert knowledge.verdict(f"{SHOP}/item/977") is Verdict.TARGET
    assert record(knowledge, 8) == {"name": "Thing 8", "price": "$8.50", "stock": "1"}
    assert record(knowledge, 9) == {"name": "Thing 9", "price": "$9.50", "stock": None}


@pytest.mark.parametrize("mode", list(LearnMode))
def test_without_samples_the_regex_says_which_pages_are_meant(mode: LearnMode) -> None:
    knowledge = learn_site(task(mode, samples=(), target=f"{SHOP}/item/[0-9]+", fields=HAND), shop())
    assert knowledge.verdict(f"{SHOP}/item/977") is Verdict.TARGET
    assert knowledge.verdict(f"{SHOP}/list/2") is Verdict.DIRECTORY
    assert record(knowledge, 8) == {"name": "Thing 8", "price": "$8.50", "stock": "1"}


def test_without_samples_keywords_say_it_too() -> None:
    knowledge = learn_site(task("best", samples=(), keywords="Price && Sold", fields=HAND), shop())
    assert knowledge.verdict(f"{SHOP}/item/977") is Verdict.TARGET
    assert record(knowledge, 8) == {"name": "Thing 8", "price": "$8.50", "stock": "1"}


@pytest.mark.parametrize("mode", list(LearnMode))
def test_a_selector_wins_over_the_samples_and_the_difference_is_told(mode: LearnMode) -> None:
    knowledge = learn_site(task(mode, fields={"price": by({"css": ".note"})}), shop())
    assert list(record(knowledge, 8)) == ["name", "price", "note"], "in the order of the samples"
    assert record(knowledge, 8)["price"] == "Sold by Shop"
    assert [row["url"] for row in knowledge.evidence["selectors"]["price"]["differs"]] == [url for url, _ in BARE]
    told = (
        f"field 'price' on {SHOP}/item/4: its selector reads 'Sold by Shop', but the sample says '$4.50'; "
        "the selector decides"
    )
    assert told in knowledge.evidence["warnings"]


def test_a_sample_value_that_stands_nowhere_is_no_error_where_a_selector_reads_the_field() -> None:
    samples = tuple((url, {"name": f"Thing {url.rpartition('/')[2]}", "price": "nowhere"}) for url, _ in BARE)
    knowledge = learn_site(task("best", samples=samples, fields={"price": by({"css": ".price"})}), shop())
    assert record(knowledge, 8) == {"name": "Thing 8", "price": "$8.50"}


def test_the_report_says_how_many_pages_each_selector_reads() -> None:
    hand = {**HAND, "links": by({"css": "a"}, {"css": "b"}), "nothing": by({"jmespath": "name"})}
    knowledge = learn_site(task("best", samples=BARE, fields=hand), shop())
    rows = knowledge.evidence["selectors"]
    looked_at = rows["name"]["pages"]
    assert looked_at > 10
    assert {name: row["read"] for name, row in rows.items() if name != "stock"} == {
        "name": looked_at,
        "price": looked_at,
        "links": looked_at,
        "nothing": 0,
    }
    assert 0 < rows["stock"]["read"] < looked_at
    text = io.StringIO()
    render_report(knowledge, Console(file=text, width=200))
    assert f"{looked_at} of {looked_at}" in text.getvalue()
    assert "xpath //span[@class='price']" in text.getvalue()


def test_a_field_that_stands_several_times_is_counted() -> None:
    pages = shop()
    doubled = [page.html.replace(b"<p class='note'", b"<h1 class='name'>Other</h1><p class='note'") for page in pages]
    for page, html in zip(pages, doubled, strict=True):
        object.__setattr__(page, "html", html)
    row = learn_site(task("best", samples=BARE, fields=HAND), pages).evidence["selectors"]["name"]
    assert row["several"] == row["read"] == row["pages"]


def test_what_a_sample_page_lacks_is_optional() -> None:
    samples = ((f"{SHOP}/item/4", {}), (f"{SHOP}/item/9", {}))
    knowledge = learn_site(task("best", samples=samples, fields=HAND), shop())
    assert knowledge.wrapper["optional"] == ["stock"]


def test_selectors_of_the_site_file_take_the_place_of_those_that_were_learned_with() -> None:
    knowledge = learn_site(task("best", fields={"price": by({"css": ".price"})}), shop())
    assert knowledge.with_selectors({"price": by({"css": ".price"})}) is knowledge
    changed = knowledge.with_selectors({"note": by({"css": "h1"})})
    assert record(changed, 8) == {"name": "Thing 8", "note": "Thing 8"}, "the price is read by hand no more"
