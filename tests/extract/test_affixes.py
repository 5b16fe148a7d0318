"""Rejections: what they are learned from, and that their literals are required."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.extract.affixes import NO_AFFIXES, Affixes
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.learn.wrapper.locators.fits import fit_affixes

CASES = [
    ("equal texts need no cut", [("Thor", "Thor"), ("Loki", "Loki")], "Odin", "Odin"),
    ("a constant prefix", [("ISBN: 12", "12"), ("ISBN: 345", "345")], "ISBN: 6", "6"),
    ("a required prefix is missing", [("ISBN: 12", "12"), ("ISBN: 345", "345")], "EAN: 6", None),
    ("a constant suffix", [("66 Ratings", "66"), ("7 Ratings", "7")], "5 Ratings", "5"),
    ("the common part of varying suffixes", [("A by Bo", "A"), ("C D by Ed F", "C D")], "G H by I", "G H"),
    ("the common part of varying prefixes", [("Home > X > A", "A"), ("Home > A", "A")], "Home > Y > Z", "Z"),
    ("case of a literal differs", [("Cake Recipe | x", "Cake"), ("Pie recipe | x", "Pie")], "Tea RECIPE | x", "Tea"),
    ("wide punctuation", [("默认值：0", "0"), ("默认值：auto", "auto")], "默认值：none", "none"),
]


@pytest.mark.parametrize(("description", "pairs", "text", "value"), CASES, ids=[case[0] for case in CASES])
def test_a_cut_learned_from_samples(description, pairs, text, value):
    cut = fit_affixes(pairs)
    assert cut is not None
    assert cut.apply(text) == value


@pytest.mark.parametrize(
    "pairs",
    [[("another", "not"), ("bothered", "other")], [("x A", "A"), ("B y", "B")], [("a b", "c"), ("d", "d")]],
    ids=["inside words", "nothing in common", "value not there"],
)
def test_no_cut_where_nothing_literal_tells_the_value(pairs):
    assert fit_affixes(pairs) is None


@given(st.lists(st.text(min_size=1), min_size=2, max_size=3), st.text(max_size=5), st.text(max_size=5))
def test_a_learned_cut_gives_every_sample_back(values, before, after):
    values = [" ".join(value.split()) for value in values]
    pairs = [(" ".join(f"{before}{value}{after}".split()), value) for value in values if value]
    cut = fit_affixes(pairs)
    if cut is not None:
        for text, value in pairs:
            found = cut.apply(text)
            assert found is not None
            assert squeeze(found) == squeeze(value)


def test_a_cut_survives_json():
    cut = Affixes(": ", " by ", True, False)
    assert Affixes(**cut.to_json()) == cut
    assert NO_AFFIXES.to_json() == {}


def test_literals_are_found_in_another_width() -> None:
    cut = Affixes(before="[", after="]", whole_before=False, whole_after=False)
    assert cut.apply("［唐］ 李白") == "唐"
    assert cut.apply("[唐] 李白") == "唐"
    assert Affixes(before="作者：").apply("作者: 李白") == "李白"


def test_a_number_in_the_literals_of_both_samples_is_theirs_by_chance() -> None:
    pairs = [("Costs 43 euros, sleeps 4 in the red wing", "red"), ("Costs 48 euros, sleeps 4 in the old wing", "old")]
    cut = fit_affixes(pairs)
    assert cut is not None
    assert cut.apply("Costs 51 euros, sleeps 2 in the east wing") == "east"
