"""Samples of two sorts of pages: both are taken, and it is said which part of the targets is like which sample."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets import LearnTask

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


def certainty(pages: Mapping[str, str], *samples: tuple[str, Mapping[str, str]]) -> Mapping[str, Any]:
    links = tuple(SITE + path for path in pages if path != "/")
    stored = [
        StoredPage(
            SITE + path, SITE + path, html.encode(), "text/html", "utf-8", 0, int(path != "/"), path != "/",
            (f"{SITE}/",) if path != "/" else links,
        )
        for path, html in pages.items()
    ]  # fmt: skip
    given = tuple((SITE + path, fields) for path, fields in samples)
    knowledge = learn_site(LearnTask("goods", (f"{SITE}/",), samples=given), stored)
    return knowledge.evidence["certainty"]  # type: ignore[no-any-return]


def flat(kind: int, n: int) -> str:
    return f"/thing-{n}.html"


def by_kind(kind: int, n: int) -> str:
    return f"/{('books', 'toys', 'discs')[kind]}/{n}.html"


def title(n: int) -> dict[str, str]:
    return {"title": f"Thing {n}"}


@pytest.mark.parametrize("path", [flat, by_kind])
@pytest.mark.parametrize("sorts", [(BOOK, TOY), (BOOK, TOY, DISC)])
def test_samples_of_two_sorts_with_a_title_alone_are_named(sorts: tuple[str, ...], path: Any) -> None:
    found = certainty(site(*sorts, path=path), (path(0, 6), title(6)), (path(1, 13), title(13)))
    assert found["targets"] == "fairly sure"
    assert f"'Author', as {SITE}{path(0, 6)} has" in found["because"]
    assert f"'Age', as {SITE}{path(1, 13)} has" in found["because"]
    assert re.search(r"(\d+)% of the targets", found["because"])[1] in {2: {"50"}, 3: {"32", "33", "35"}}[len(sorts)]  # type: ignore[index]
    assert "if only one sort is wanted, replace the other sample" in found["line"]


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
