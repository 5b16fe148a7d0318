"""The one measure of what two sets have in common."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.fields import overlap


@pytest.mark.parametrize(
    ("one", "other", "share"), [("ab", "ab", 1.0), ("ab", "bc", 1 / 3), ("a", "", 0.0), ("", "", 0.0)]
)
def test_the_share_of_what_either_has_that_both_have(one: str, other: str, share: float) -> None:
    assert overlap(set(one), set(other)) == share


def test_who_asks_says_what_two_empty_sets_have_in_common() -> None:
    assert overlap(set(), set(), of_nothing=1.0) == 1.0
