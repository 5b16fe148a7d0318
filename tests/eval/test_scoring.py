"""The ruler itself: how values, lists and records are counted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.eval.scoring import Score, fold_typography, fold_url, score_value

RECORDS = [{"name": "a", "type": "int"}, {"name": "b", "type": None}, {"name": "b", "type": ""}]


@pytest.mark.parametrize(
    ("expected", "extracted", "counts"),
    [
        ("Thor", " Thor ", (1, 0, 0)),
        ("a b", "a\xa0\n b", (1, 0, 0)),
        ("Thor", "Loki", (0, 1, 1)),
        ("Thor", None, (0, 0, 1)),
        ("Thor", ["Thor"], (1, 0, 0)),
        ("Thor", ["Thor", "Loki"], (1, 1, 0)),
        ("", None, (0, 0, 0)),
        ("", "Thor", (0, 1, 0)),
        (None, "Thor", (0, 0, 0)),
        (["a", "b", "b"], ["b", "a", "c"], (2, 1, 1)),
        (["a"], "a", (1, 0, 0)),
        ([], None, (0, 0, 0)),
        ([], ["a"], (0, 1, 0)),
        (RECORDS, [{"name": "a", "type": "int"}, {"name": "b", "type": "x"}, {"name": "b"}], (3, 0, 0)),
        (RECORDS, [{"name": "a", "type": "str"}, {"name": "b", "type": "x"}], (1, 1, 2)),
        ([{"text": "q", "tags": ["x", "y"]}], [{"text": "q", "tags": ["x", "y"]}], (1, 0, 0)),
        ([{"text": "q", "tags": []}], [{"text": "q"}], (1, 0, 0)),
        ([{"text": "q", "tags": ["x"]}], [{"text": "q", "tags": []}], (0, 1, 1)),
        ([{"text": "q"}], ["q"], (0, 1, 1)),
    ],
)
def test_items_are_counted_right_wrong_and_missing(expected: Any, extracted: Any, counts: tuple[int, int, int]) -> None:
    score = score_value(expected, extracted)
    assert (score.right, score.wrong, score.missing) == counts


def test_f1_is_over_all_pages_and_nothing_to_find_is_perfect() -> None:
    total = Score()
    assert (total.precision, total.recall, total.f1) == (1, 1, 1)
    for expected, extracted in (("a", "a"), ("b", None), ("", "c")):
        total += score_value(expected, extracted)
    assert (total.precision, total.recall, total.f1) == (0.5, 0.5, 0.5)
    assert (total.pages, total.pages_exact) == (3, 1)


def test_equal_items_can_count_once() -> None:
    score = score_value(["a", "b", "a"], ["a", "b", "b"], unique=True)
    assert (score.right, score.wrong, score.missing) == (2, 0, 0)


def test_foldings() -> None:
    assert fold_typography("“a” – b…") == '"a" -- b...'
    assert fold_url("HTTP://Example.com/a/../b#c") == "http://example.com/b"
