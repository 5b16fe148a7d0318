"""A field that one sample has and another lacks: rare on the site, or merely left out by a person."""

from __future__ import annotations

import pytest

from gwc_crawler.extract import Finder, Wrapper
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.judging.candidates import Ranked
from gwc_crawler.learn.wrapper.judging.optional import what_is_often_found
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import word


def goods(n: int, *, note: str = "", sale: str = "") -> str:
    noted = f"<b>{note}</b>" if note else ""
    reduced = f"<p class='price'>Now {sale}</p>" if sale else ""
    return (
        f"<html><body><div class='goods'>{noted}<h1 class='name'>{word(n)} jar</h1>{reduced}"
        f"<p class='price'>{n}.50 EUR</p>{noted}<p class='maker'>{word(n + 5)} Works</p></div></body></html>"
    )


def learned(first: str, fields: dict[str, str], second: str, others: dict[str, str], more: list[str]) -> Wrapper:
    samples = [Sample("https://a.example/1", first, {**fields}), Sample("https://a.example/2", second, {**others})]
    return learn_wrapper(samples, [(f"https://a.example/more/{n}", one) for n, one in enumerate(more)])


@pytest.mark.parametrize("name", ["title", "maker"])
def test_a_field_that_a_person_gave_on_one_sample_alone_is_found_on_all_pages(name: str) -> None:
    """A note stands on the sample that has the value alone: what is read beside it is found on no other page."""
    wanted = {"title": f"{word(3)} jar", "maker": f"{word(8)} Works"}[name]
    more = [goods(n) for n in range(20, 40)]
    wrapper = learned(
        goods(3, note="Handmade"), {name: wanted, "price": "3.50 EUR"}, goods(4), {"price": "4.50 EUR"}, more
    )
    new = {"title": f"{word(50)} jar", "maker": f"{word(55)} Works"}[name]
    assert wrapper.extract(goods(50))[name] == new
    there = {"title": f"{word(4)} jar", "maker": f"{word(9)} Works"}[name]
    told = [text for text in wrapper.warnings if "leaves it out" in text]
    assert len(told) == 1
    assert f"field {name!r} on https://a.example/2" in told[0]
    assert there in told[0]


def test_a_rare_field_is_not_read_where_the_sample_without_it_shows_another_one() -> None:
    more = [goods(n, sale=f"{n}.20 EUR" if n % 9 == 0 else "") for n in range(20, 40)]
    first = goods(3, sale="3.20 EUR"), {"sale": "3.20 EUR", "price": "3.50 EUR"}
    wrapper = learned(*first, goods(4), {"price": "4.50 EUR"}, more)
    assert wrapper.extract(goods(50))["sale"] is None
    assert wrapper.extract(goods(50, sale="9.00 EUR"))["sale"] == "9.00 EUR"


@pytest.mark.parametrize(("found", "is_taken"), [(9, True), (2, False)])
def test_a_label_that_is_hardly_ever_found_gives_way_to_one_that_often_is(found: int, is_taken: bool) -> None:
    rare = ["3 years", *[None] * 19]
    often = ["3 years", *[f"{n} years" for n in range(found)], *[None] * (19 - found)]
    best = Ranked(Finder(Family.LABEL, '//th[.="Oolong"]'), rare, rare, coverage=0.05)
    other = Ranked(Finder(Family.LABEL, '//th[.="Warranty"]'), often, often, coverage=(1 + found) / 20)
    assert what_is_often_found([best, other]) is (other if is_taken else best)
    wrong = Ranked(Finder(Family.LABEL, '//th[.="Maker"]'), ["Works", *often[1:]], often, coverage=0.5)
    assert what_is_often_found([best, wrong]) is best
