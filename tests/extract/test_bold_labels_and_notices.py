"""Labels in bold however they are marked up, notices in place of a text, and values in the line of their label."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extract.pages import learned, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]

# Bold labels


def bold(n: int, tag: str, *, voltage: bool = True) -> str:
    facts = [("Colour", word(n + 3)), *([("Voltage", f"{word(n + 5)} type")] if voltage else []), ("Use", word(n + 7))]
    return page(word(n), *(f"<p><{tag}>{label}</{tag}>: {value}</p>" for label, value in facts))


# Notices


@pytest.mark.parametrize("again", ["No Regrets", "A short tale"])
def test_what_is_short_and_stands_again_and_again_may_be_a_value(again: str) -> None:
    def one(n: int, text: str) -> str:
        return page(word(n), f"<section>{text}</section>")

    samples: Samples = [(one(n, f"{word(n)} days"), {"name": word(n), "song": f"{word(n)} days"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, f"{word(n)} days" if n % 4 else again) for n in SEVERAL])
    assert wrapper.extract(one(60, again))["song"] == again


# A value in the line of its label
