"""What further pages have where the samples have something else: another price, another label, other first rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gwc_crawler.extract.affixes import Affixes
from gwc_crawler.extract.locator import Locator
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.ranking.candidates import Ranked
from gwc_crawler.learn.wrapper.ranking.corrections import what_is_shown
from tests.extract.pages import learned, sentence, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]


# A named box, and an element in it on the samples


def priced(n: int, *, sale: bool, price: str = "") -> str:
    own = price or f"${n}.50"
    said = f"<del>${n + 9}.00</del> <ins>{own}</ins>" if sale else f"<span>{own}</span>"
    return page(word(n), f"<p class=price>{said}</p><p class=note>{sentence(n)}</p>")


@pytest.mark.parametrize("box", ["<p class=price>Ask us, {}</p>", "<p class=price>$3</p><p class=price>$5</p>"])
def test_a_box_with_something_else_or_several_boxes_are_no_value(box: str) -> None:
    def other(n: int) -> str:
        return page(word(n), box.format(sentence(n)), f"<p class=note>{sentence(n)}</p>")

    samples: Samples = [(priced(n, sale=True), {"name": word(n), "price": f"${n}.50"}) for n in (1, 2)]
    wrapper = learned(samples, [priced(n, sale=True) if n % 3 else other(n) for n in SEVERAL])
    assert wrapper.extract(other(60))["price"] is None


# The post with which a thread begins, and the replies


def post(n: int, k: int) -> str:
    number = f"<em id=n{n}x{k}>#{k + 1}</em>"
    return f"<div class=post>{number}<b class=by>{word(n + 7 * k)}</b><div class=said>{sentence(n + k)}</div></div>"


def thread(n: int, replies: int) -> str:
    return page(f"Thread {word(n)}", f"<div id=posts>{''.join(post(n, k) for k in range(replies + 1))}</div>")


def replies(n: int, count: int) -> list[dict[str, str]]:
    return [{"who": word(n + 7 * k), "text": sentence(n + k)} for k in range(1, count + 1)]


def test_a_first_row_that_one_sample_lacks_is_a_record_as_others_are() -> None:
    def noted(n: int, notes: int) -> str:
        return thread(n, notes - 1)

    def notes(n: int, first: int, count: int) -> list[dict[str, str]]:
        return [{"who": word(n + 7 * k), "text": sentence(n + k)} for k in range(first, count)]

    samples: Samples = [
        (noted(1, 4), {"title": f"Thread {word(1)}", "notes": notes(1, 1, 4)}),
        (noted(2, 3), {"title": f"Thread {word(2)}", "notes": notes(2, 0, 3)}),
    ]
    wrapper = learned(samples, [noted(n, n % 4 + 1) for n in SEVERAL])
    assert wrapper.extract(noted(60, 3))["notes"] == notes(60, 0, 3)


# Labels with a colon, in other elements


# A label in the plural heads several


# The first of several boxes


# Rows without their first part


def recipe(n: int, count: int) -> str:
    def row(k: int) -> str:
        amount = f"<span class=amount>{n + k}</span> " if (n + k) % 4 else ""
        unit = "<span class=unit>cups</span> " if (n + k) % 3 else ""
        return f"<li>{amount}{unit}<span class=name>{word(n + 3 * k)}</span></li>"

    return page(word(n), f"<h3>Ingredients</h3><ul>{''.join(map(row, range(count)))}</ul>")


def ingredients(n: int, count: int) -> list[dict[str, str]]:
    rows = []
    for k in range(count):
        row = {"amount": str(n + k)} if (n + k) % 4 else {}
        row |= {"unit": "cups"} if (n + k) % 3 else {}
        rows.append(row | {"name": word(n + 3 * k)})
    return rows


def test_a_row_whose_first_part_is_missing_has_the_others_in_its_place() -> None:
    samples: Samples = [(recipe(n, 3), {"title": word(n), "ingredients": ingredients(n, 3)}) for n in (1, 5)]
    wrapper = learned(samples, [recipe(n, 4 + n % 3) for n in SEVERAL])
    assert wrapper.extract(recipe(60, 6))["ingredients"] == ingredients(60, 6)


# A label that says more than the row beside


def ranked(locator: Locator, *values: str | None, refuted: int = 0) -> Ranked:
    spoken = sum(value is not None for value in values)
    return Ranked(locator, list(values), list(values), coverage=spoken / len(values), kind=1.0, refuted=refuted)


OWN = Locator(Family.LABEL, '//th[text()[normalize-space()="Since"]]/following-sibling::*[1][self::td]', cost=1.2)


# A tooltip, cut, and a label

TOOLTIP = Locator(Family.CLASS, "//a", "@title", cut=Affixes(before="Category:", after=" plants"))
TEXT = replace(TOOLTIP, read="text", cut=Affixes(after=" plants"))


def test_what_stands_right_behind_its_label_goes_before_a_tooltip_that_is_cut() -> None:
    values = [word(n) for n in range(8)]
    best, text, label = (ranked(one, *values) for one in (TOOLTIP, TEXT, OWN))
    assert what_is_shown([best, text, label], [], "") is label
    otherwise = ranked(OWN, *values[:4], *values[:4])
    assert what_is_shown([best, text, otherwise], [], "") is not otherwise
