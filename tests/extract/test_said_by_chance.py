"""What is meant where the samples say the same by chance: in a menu, behind two labels, in an element with more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.extract.pages import learned, word
from tests.extract.test_told_by_itself import SEVERAL

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


# More in the same element elsewhere
