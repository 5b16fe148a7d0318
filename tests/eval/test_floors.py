"""Quality as a gate: no suite falls below the floors that were once reached."""

from __future__ import annotations

from typing import Any

import pytest

from tests.eval.corpora import CorporaAbsent
from tests.eval.floors import FORMS, below_floor, changed_corpora, measure, raised, read_floors, suites

PINNED = read_floors()


DEAR = frozenset(
    {
        ("best", "recipes"),
        ("best", "listpages"),
        ("best", "edits"),
        ("best", "shici/poem"),
        ("best", "cloudchem/product"),
        ("best", "gitrknows/post-comment-page"),
        ("best", "gitrknows/post"),
        ("best", "booksamillion/product"),
        ("paper", "edits"),
        ("paper", "recipes"),
        *(("best", f"w3school/{task}") for task in ("jsmethod", "phpfunc", "tagattr")),
        ("best", "scipydoc/method"),
    }
)
"""What costs most, and further tasks of a site: `make test-slow` looks at these."""


def _cases(form: str) -> list[Any]:
    cases = [(mode, suite) for mode, floors in PINNED["floors"].get(form, {}).items() for suite in floors]
    return [pytest.param(*case, marks=pytest.mark.slow) if case in DEAR else pytest.param(*case) for case in cases]


@pytest.mark.corpora
@pytest.mark.parametrize(("mode", "suite"), _cases("quick"))
def test_quick_figures_are_not_below_their_floors(mode: str, suite: str) -> None:
    _compare("quick", mode, suite)


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize(("mode", "suite"), _cases("full"))
def test_full_figures_are_not_below_their_floors(mode: str, suite: str) -> None:
    _compare("full", mode, suite)


@pytest.mark.corpora
def test_every_suite_has_floors() -> None:
    assert set(_all_suites()) == set(PINNED["floors"]["quick"]["best"])


def _compare(form: str, mode: str, suite: str) -> None:
    _all_suites()
    changed = changed_corpora(suite, PINNED["corpora"])
    assert not changed, f"{changed} are not the pages the floors were measured on"
    short = below_floor(measure(suite, FORMS[form], mode), PINNED["floors"][form][mode][suite])
    assert not short, f"{suite}, {mode}, {form}: {'; '.join(short)}"


def _all_suites() -> tuple[str, ...]:
    try:
        return suites()
    except CorporaAbsent as absent:
        pytest.skip(str(absent))


def test_pinning_raises_floors_and_never_lowers_them() -> None:
    floors = {"macro": 0.9, "text": 0.95}
    assert raised(floors, {"macro": 0.9519, "text": 0.8, "list": 0.5}) == {"macro": 0.951, "text": 0.95, "list": 0.5}
    assert raised(floors, {}) == floors


def test_a_figure_below_its_floor_is_named() -> None:
    assert below_floor({"macro": 0.9496}, {"macro": 0.95}) == []
    assert below_floor({"macro": 0.94}, {"macro": 0.95, "list": 0.5}) == [
        "macro: 0.940 is below the floor 0.950",
        "list: 0.000 is below the floor 0.500",
    ]
