"""Labels in bold however they are marked up, notices in place of a text, and values in the line of their label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gwc_crawler.learn.wrapper.finders.nothing import notices
from tests.extract.pages import learned, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]

# Bold labels


def bold(n: int, tag: str, *, voltage: bool = True) -> str:
    facts = [("Colour", word(n + 3)), *([("Voltage", f"{word(n + 5)} type")] if voltage else []), ("Use", word(n + 7))]
    return page(word(n), *(f"<p><{tag}>{label}</{tag}>: {value}</p>" for label, value in facts))


def test_a_label_in_bold_is_the_same_however_it_is_marked_up() -> None:
    tags = ("b", "strong")
    samples: Samples = [(bold(n, tags[n - 1]), {"name": word(n), "voltage": f"{word(n + 5)} type"}) for n in (1, 2)]
    wrapper = learned(samples, [bold(n, tags[n % 2], voltage=n % 4 > 0) for n in SEVERAL])
    for n, tag in ((60, "b"), (61, "strong")):
        assert wrapper.extract(bold(n, tag))["voltage"] == f"{word(n + 5)} type"
        assert wrapper.extract(bold(n, tag, voltage=False)).get("voltage") is None


# Notices


def told(n: int) -> str:
    return f"A story of {word(n)} and {word(n + 1)}, who go to {word(n + 2)} and come home at last."


@pytest.mark.parametrize("again", ["No Regrets", "A short tale"])
def test_what_is_short_and_stands_again_and_again_may_be_a_value(again: str) -> None:
    def one(n: int, text: str) -> str:
        return page(word(n), f"<section>{text}</section>")

    samples: Samples = [(one(n, f"{word(n)} days"), {"name": word(n), "song": f"{word(n)} days"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, f"{word(n)} days" if n % 4 else again) for n in SEVERAL])
    assert wrapper.extract(one(60, again))["song"] == again


@pytest.mark.parametrize(
    ("again", "value", "is_notice"),
    [
        pytest.param("No description yet", told, True, id="no text"),
        pytest.param("No description yet", word, False, id="as long as others"),
        pytest.param("A short tale", told, False, id="a text"),
        pytest.param("No side effects at all", told, False, id="a value"),
    ],
)
def test_a_notice_is_shorter_than_texts_and_says_that_there_is_none(
    again: str, value: Callable[[int], str], is_notice: bool
) -> None:
    texts = [value(n) for n in SEVERAL]
    assert notices([*texts, again, again], texts[:2]) == ({again} if is_notice else set())
    assert not notices([*texts, again], texts[:2])


# A value in the line of its label
