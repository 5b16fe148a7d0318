"""Target pages as a gate: on sites of different structure hardly one is lost, and hardly a stranger taken."""

from __future__ import annotations

import pytest

from tests.eval.corpora import CorporaAbsent
from tests.eval.reach import reach
from tests.eval.targets import MOST_PAGES, given_pairs, score_samples, score_targets, truth_of

PAGES = 400
QUICK = [
    pytest.param("commonsmath/class", marks=pytest.mark.slow), pytest.param("ruststd/enum", marks=pytest.mark.slow),
    pytest.param("ruststd/macro", marks=pytest.mark.slow), "nomura/entry", "quotes/author",
]  # fmt: skip
"""Package trees, kinds told apart by a prefix, stubs of the same form, list pages with whole entries, a plain site."""


@pytest.mark.corpora
@pytest.mark.parametrize("group", QUICK)
def test_targets_are_found_from_two_samples_and_few_pages(group: str) -> None:
    try:
        score = score_targets(*group.split("/"), pair=1, count=PAGES)
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    precision, recall = score.checked
    assert precision >= 0.98, score.wrong
    assert recall >= 0.99, score.wrong


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "pair"),
    [
        ("qt/qmltype", "neighbours 1"),
        ("qt/class", "well_filled 0"),
        ("scipydoc/method", "neighbours 0"),
        ("atsurgical/product", "well_filled 0"),
    ],
)
def test_look_alikes_stay_out_with_pairs_as_people_pick_them(group: str, pair: str) -> None:
    """QML types beside C++ classes, methods beside attributes, goods of one kind beside all others."""
    site, _, kind = group.partition("/")
    try:
        samples = truth_of(site).given_samples(kind, given_pairs(site, kind)[pair])
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    score = score_samples(site, kind, pair, samples, None, MOST_PAGES)
    assert min(score.checked) >= 0.95, score.wrong


@pytest.mark.corpora
@pytest.mark.slow
def test_further_pages_of_a_list_in_the_targets_own_directory_are_followed() -> None:
    """Of 3,992 games 673 are linked from `/game/index_6.html` and its like alone, beside `/game/2116.html`."""
    try:
        found = reach("xz59", "game", "random 0")
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    assert found.found >= 0.99 * found.wanted, found.missed[:5]
