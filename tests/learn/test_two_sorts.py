"""Samples of two sorts of pages: both are taken, and it is said which part of the targets is like which sample."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask

SITE = "http://goods.example"
BOOK = "<dt>Author<dd>Author {n}<dt>ISBN<dd>978-{n}"
TOY = "<dt>Age<dd>From {n}<dt>Material<dd>Stuff {n}"
DISC = "<dt>Tracks<dd>{n}<dt>Label<dd>Label {n}"
SOLD_OUT, IN_STOCK = "<p class=state>Sold out", "<p class=state>In stock"


def page(n: int, facts: str) -> str:
    return (
        f"<html><head><title>Thing {n}</title></head><body><a href=/>Home</a><h1>Thing {n}</h1><p class=price>{n}.50 €"
        f"<p class=maker>Maker {n * 7}<dl>{facts.format(n=n)}</dl></body></html>"
    )


def site(*sorts: str, path: Callable[[int, int], str], count: int = 40) -> dict[str, str]:
    """So many pages of each sort, all listed at the start."""
    pages = {path(kind, n): page(n, facts) for kind, facts in enumerate(sorts) for n in range(kind, count, len(sorts))}
    listed = "".join(f"<li><a href={one}>{one}</a>" for one in pages)
    return {"/": f"<html><body><a href=/>Home</a><h1>Goods</h1><ul>{listed}</ul></body></html>", **pages}


def learned(pages: Mapping[str, str], *samples: tuple[str, Mapping[str, str]], keywords: str = "") -> Mapping[str, Any]:
    """The evidence of a learning from all pages."""
    links = tuple(SITE + path for path in pages if path != "/")
    stored = [
        StoredPage(
            SITE + path, SITE + path, html.encode(), "text/html", "utf-8", 0, int(path != "/"), path != "/",
            (f"{SITE}/",) if path != "/" else links,
        )
        for path, html in pages.items()
    ]  # fmt: skip
    given = tuple((SITE + path, fields) for path, fields in samples)
    return learn_site(LearnTask("goods", (f"{SITE}/",), keywords, given), stored).evidence


def certainty(pages: Mapping[str, str], *samples: tuple[str, Mapping[str, str]]) -> Mapping[str, Any]:
    return learned(pages, *samples)["certainty"]  # type: ignore[no-any-return]


def flat(kind: int, n: int) -> str:
    return f"/thing-{n}.html"


def by_kind(kind: int, n: int) -> str:
    return f"/{('books', 'toys', 'discs')[kind]}/{n}.html"


def title(n: int) -> dict[str, str]:
    return {"title": f"Thing {n}"}


@pytest.mark.parametrize("path", [flat, by_kind])
@pytest.mark.parametrize("sorts", [(BOOK, TOY), (BOOK, TOY, DISC)])
def test_samples_of_two_sorts_with_a_title_alone_are_named(sorts: tuple[str, ...], path: Any) -> None:
    found = learned(site(*sorts, path=path), (path(0, 6), title(6)), (path(1, 13), title(13)))
    assert found["certainty"]["targets"] == "unsure"
    assert "another sample is of use when what the warnings name is mended" in found["certainty"]["line"]
    (told,) = found["warnings"]
    assert f"'Author', as {SITE}{path(0, 6)} has" in told
    assert f"'Age', as {SITE}{path(1, 13)} has" in told
    assert re.search(r"(\d+)% of the targets", told)[1] in {2: {"50"}, 3: {"32", "33", "35"}}[len(sorts)]  # type: ignore[index]
    assert "if only one sort is wanted, replace the other sample" in told


def test_several_samples_of_each_sort_say_that_both_are_wanted() -> None:
    pages = site(BOOK, TOY, path=flat)
    samples = [(flat(0, n), title(n)) for n in (6, 12)] + [(flat(1, n), title(n)) for n in (13, 21)]
    assert learned(pages, *samples)["warnings"] == []
    third = learned(pages, *samples[:3])
    assert third["certainty"]["targets"] == "fairly sure", "it may be the answer to what was asked"
    assert "of two sorts" in third["warnings"][0]


@pytest.mark.parametrize("second", [12, 18])
def test_samples_of_one_sort_are_not(second: int) -> None:
    found = certainty(site(BOOK, path=flat), (flat(0, 6), title(6)), (flat(0, second), title(second)))
    assert found["targets"] == "sure"


def test_sorts_do_not_matter_where_several_fields_are_read_alike() -> None:
    def fields(n: int) -> dict[str, str]:
        return {"title": f"Thing {n}", "price": f"{n}.50 €", "maker": f"Maker {n * 7}"}

    found = certainty(site(BOOK, TOY, path=flat), (flat(0, 6), fields(6)), (flat(1, 13), fields(13)))
    assert found["targets"] == "sure"


def test_two_values_of_a_field_make_no_sorts() -> None:
    facts = (BOOK + IN_STOCK, BOOK + SOLD_OUT)
    found = certainty(site(*facts, path=flat), (flat(0, 6), title(6)), (flat(1, 13), title(13)))
    assert found["targets"] == "sure"


def makers_among_goods() -> tuple[dict[str, str], dict[str, str]]:
    """A whole site, most pages of which have all that the few pages have that are wanted, and more; and these."""
    many = {flat(0, n): page(n, BOOK) for n in range(5, 40)}
    few = {
        flat(0, n): page(n, "").replace(f"<p class=price>{n}.50 €", f"<p class=maker>Founded in {1900 + n}")
        for n in range(40, 48)
    }
    listed = "".join(f"<li><a href={one}>{one}</a>" for one in (*many, *few))
    start = {"/": f"<html><body><a href=/>Home</a><h1>Goods</h1><ul>{listed}</ul></body></html>"}
    return {**start, **many, **few}, few


def test_what_most_targets_have_and_no_sample_is_told() -> None:
    pages, few = makers_among_goods()
    found = certainty(pages, (flat(0, 41), title(41)), (flat(0, 46), title(46)))
    assert found["targets"] == "fairly sure"
    assert re.search(r"8\d% of them have '\w+' and more that none of your samples has", found["because"])
    assert found["next_sample"].removeprefix(SITE) in set(pages) - set(few)


def test_keywords_decide_where_pages_without_them_have_things_of_their_own() -> None:
    pages, few = makers_among_goods()
    found = learned(pages, (flat(0, 41), title(41)), (flat(0, 46), title(46)), keywords="Founded")
    (other,) = found["other_categories"]
    assert other["pages"] == len(pages) - len(few) - 1
    assert other["reason"] == "the keywords hold on 100% of the other pages and 0% of these"


def test_keywords_that_hold_on_some_of_the_targets_are_told_with_what_helps() -> None:
    facts = (BOOK, BOOK + "<p>Signed by hand")
    found = learned(site(*facts, path=flat), (flat(1, 7), title(7)), (flat(1, 13), title(13)), keywords="Signed")
    assert found["certainty"]["targets"] == "fairly sure"
    assert "your keywords hold on 50% of them" in found["certainty"]["because"]
    assert "Signed" not in page(int(found["certainty"]["next_sample"].rpartition("-")[2][:-5]), BOOK)
    assert any("by [learn] target, or give a field that they alone have" in told for told in found["warnings"])


def test_one_sample_is_never_enough_to_be_sure() -> None:
    found = certainty(site(BOOK, path=flat), (flat(0, 6), title(6)))
    assert found["targets"] == "fairly sure"
    assert "there is one sample alone" in found["line"]
    assert found["next_sample"].startswith(f"{SITE}/thing-")
