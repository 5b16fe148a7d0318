"""When a typed value and a page's text are the same."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.fields import same_value
from gwc_crawler.page.text import fold

SAME = [
    ("white space", "a  b\n", "a b"),
    ("no-break blanks", "a\u00a0b", "a b"),
    ("full width", "ＡＢＣ１２", "ABC12"),
    ("smart quotes", "“it’s”", '"it\'s"'),
    ("zero-width blanks", "a\u200bb", "ab"),
    ("address case", "HTTP://A.example/X", "http://a.EXAMPLE/X"),
    ("empty and absent", "", None),
    ("no list and an empty one", [], None),
    ("lists", ["a ", "b"], ["a", "b"]),
    ("records without an empty part", [{"a": "1"}], [{"a": "1", "b": ""}]),
]
OTHER = [("letters", "a", "b"), ("order", ["a", "b"], ["b", "a"]), ("length", ["a"], ["a", "b"]), ("shape", "a", ["a"])]


@pytest.mark.parametrize(("description", "one", "other"), SAME, ids=[case[0] for case in SAME])
def test_same(description, one, other):
    assert same_value(one, other)
    assert same_value(other, one)


@pytest.mark.parametrize(("description", "one", "other"), OTHER, ids=[case[0] for case in OTHER])
def test_not_same(description, one, other):
    assert not same_value(one, other)


def test_folding_keeps_every_other_character():
    assert fold("“Ａ”\u3000ﬁ\n") == "“Ａ” ﬁ"
