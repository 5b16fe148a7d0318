"""Passes are left out wherever they are called, counted where they act, and put back."""

from __future__ import annotations

import importlib

import pytest

from gwc_crawler.learn.wrapper import learning
from tests.eval.ablate.__main__ import figures, heading, row
from tests.eval.ablate.cases import Case, Result
from tests.eval.ablate.lines import lines_only_of
from tests.eval.ablate.passes import PASSES, Pass, named, without

SAMPLES = [
    learning.Sample(f"http://a.example/{n}", f"<h1>Lamp {n}</h1><p class=price>{n} EUR".encode(), {"price": f"{n} EUR"})
    for n in (12, 34)
]


@pytest.mark.parametrize("one", PASSES, ids=lambda one: one.name)
def test_each_pass_has_a_place_and_lines_of_its_own(one: Pass) -> None:
    owner = importlib.import_module(one.module)
    for name in one.place.partition(":")[2].split("."):
        owner = getattr(owner, name)
    assert callable(owner)
    assert lines_only_of([one.name]) > 0


def test_what_is_left_out_gives_its_neutral_value_and_comes_back() -> None:
    judging = importlib.import_module("gwc_crawler.learn.wrapper.ranking.rank")
    before = judging.fallbacks
    with without(named(["fallbacks"])) as acted:
        assert judging.fallbacks is not before
        assert judging.fallbacks("anything", [], False) == []
        learning.learn_wrapper(SAMPLES)
    assert judging.fallbacks is before
    assert "fallbacks" not in acted


def test_a_pass_that_acts_is_counted() -> None:
    with without([]) as acted:
        learning.learn_wrapper(SAMPLES)
    assert acted["_doubt"] == 1


def test_a_row_says_what_the_pass_gains() -> None:
    cases = [Case("generated", "1", lambda: Result({})), Case("generated", "2", lambda: Result({}))]
    whole = figures(cases, {"1": Result({"values": 1.0}, True), "2": Result({"values": 0.5}, True)})
    rest = figures(cases, {"1": Result({"values": 0.5}, True), "2": Result({"values": 0.5}, False)})
    assert heading(["generated"]).splitlines()[0] == "| pass | lines | acted in | generated | generated, whole |"
    assert row("(as it is)", None, 2, whole, {}) == "| (as it is) |  | 2 | 0.7500 | 1.0000 |"
    assert row("one", 7, 1, whole, rest) == "| one | 7 | 1 | +0.2500 | +0.5000 |"
