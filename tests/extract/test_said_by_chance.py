"""What is meant where the samples say the same by chance: in a menu, behind two labels, in an element with more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.extract.pages import learned, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]

# A value that stands in a menu, too

TEAMS = ("Reds", "Blues", "Greens", "Whites", "Golds", "Pinks", "Greys")


def player(n: int, side: str, sides: Sequence[str]) -> str:
    menu = "".join(f"<li><a class=club href=/{one}>{one}</a></li>" for one in sides)
    notes = f"<div>A note of {word(n + 7)}.</div>" * (n % 3)
    own = f"<div><span>{side}</span></div><p>Since {n + 50} he plays for <em>{side}</em>.</p>"
    return f"<html><body><ul id=menu>{menu}</ul><h1>{word(n)} {word(n + 1)}</h1>{notes}{own}</body></html>"


@pytest.mark.parametrize(("sides", "varies"), [(TEAMS, True), (tuple("1234567"), False)], ids=["words", "numbers"])
def test_a_word_of_a_menu_is_read_in_its_own_place_however_seldom_pages_say_it_there(
    sides: Sequence[str], varies: bool
) -> None:
    """A number that seldom stands in a place stands there by chance."""
    samples: Samples = [
        (player(n, sides[0], sides), {"name": f"{word(n)} {word(n + 1)}", "side": sides[0]}) for n in (1, 2)
    ]
    wrapper = learned(samples, [player(n, sides[n % 7], sides) for n in SEVERAL])
    assert wrapper.extract(player(60, sides[2], sides))["side"] == sides[2 if varies else 0]
    assert wrapper.extract(player(61, sides[0], sides))["side"] == sides[0]


# Two labels with the same value


def rows(*pairs: tuple[str, str]) -> str:
    return f"<table>{''.join(f'<tr><th>{label}</th><td>{value}</td></tr>' for label, value in pairs)}</table>"


def guarded(n: int, labor: str, parts: str) -> str:
    return page(word(n), rows(("Model", word(n + 3)), ("Parts", parts), ("Labor", labor)))


@pytest.mark.parametrize(("field", "is_of_parts"), [("parts_warranty", True), ("warranty_of_labor", False)])
def test_of_labels_with_the_same_value_the_one_with_a_word_of_the_name_is_meant(field: str, is_of_parts: bool) -> None:
    samples: Samples = [(guarded(n, "1 Year", "1 Year"), {"name": word(n), field: "1 Year"}) for n in (1, 2)]
    few, many = [f"{n % 3 + 1} Years" for n in SEVERAL], [f"{n % 4 + 1} Years" for n in SEVERAL]
    further = zip(SEVERAL, many if is_of_parts else few, few if is_of_parts else many, strict=True)
    wrapper = learned(samples, [guarded(*one) for one in further])
    assert wrapper.extract(guarded(60, "5 Years", "7 Years"))[field] == ("7 Years" if is_of_parts else "5 Years")


def switched(n: int, now: str, usual: str) -> str:
    lines = f"<li>Currently enabled: {now}</li><li>Enabled by default: {usual}</li>"
    return page(word(n), f"<p>The {word(n + 2)}.</p><ul><li>Of: {word(n + 5)}</li>{lines}</ul>")


def test_of_lines_that_begin_with_labels_the_one_with_a_word_of_the_name_is_meant() -> None:
    samples: Samples = [(switched(n, "no", "no"), {"name": word(n), "default": "no"}) for n in (1, 2)]
    wrapper = learned(samples, [switched(n, ("no", "yes")[n % 2], ("no", "yes")[n % 3 == 0]) for n in SEVERAL])
    assert wrapper.extract(switched(60, "no", "yes"))["default"] == "yes"
    assert wrapper.extract(switched(61, "yes", "no"))["default"] == "no"


# More in the same element elsewhere


def priced(n: int, more: str = "") -> str:
    return page(word(n), f"<p>The {word(n + 2)}.</p><p class=price><strong>$ {n}</strong> {more}</p>")


def test_an_element_with_more_on_other_pages_is_left_for_what_it_holds() -> None:
    samples: Samples = [(priced(n), {"name": word(n), "price": f"$ {n}"}) for n in (4, 8)]
    saving = "You save a {} of it, and more of it with a card"
    wrapper = learned(samples, [priced(n, saving.format(word(n)) if n % 4 == 1 else "") for n in SEVERAL])
    assert wrapper.extract(priced(60, saving.format("bit")))["price"] == "$ 60"
    assert wrapper.extract(priced(61))["price"] == "$ 61"
