"""Pages of two kinds under one form of URL, told apart by the fields that go together.

In: a `Split`. Out: the same without the pages of the other kind, and the fields that tell, for the page check. Each
field alone may be missing on a record; that one lacks three which nearly all others have, and has things of its own
instead, is no chance.

Source:
    Latent class analysis of binary traits (Goodman, "Exploratory latent structure analysis", 1974), by expectation
    maximisation (Dempster, Laird and Rubin 1977): two classes, in which fields are there independently. We begin with
    what the samples have, hold them in the first class, and believe the second one only if the pages' marks, which
    had no part in it, say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from gwc_crawler.learn.marks.board import ProbeBoard
from gwc_crawler.learn.marks.lacking import are_unlike, share_with_own, without_pages
from gwc_crawler.learn.marks.probe import Probe
from gwc_crawler.learn.marks.probes import Split

_ROUNDS = 30
_MOST_LOG_ODDS = 50.0
_LEAST_ALIKE, _LEAST_OTHER = 10, 5
"""So many pages of the samples' kind, and of the other one, must be known."""
_HAVING, _LACKING, _TELLING = 0.8, 0.2, 3
"""So many fields must stand on such a share of the one kind, and on no more than that of the other."""
_RATHER_LIKE, _WITH_OWN = 0.35, 0.5
"""The others have no more of what tells the samples than this share of it, and half of them have things of their
own: a class without members lacks as much and has nothing instead."""
_MOST_KEPT = 2
"""A title and one more field may stand on both; what has more of them is a sparse record with a notice."""
_NOTHING_LIKE, _TELLING_UNLIKE = 0.03, 2
"""Of pages that have nothing of what tells the samples so many fields are enough."""
_UNSURE, _MOST_UNSURE = 0.05, 0.05
"""So few pages may be between the two."""


def set_other_kind_apart(split: Split) -> tuple[Split, list[str]]:
    """Take the pages of another kind out of *split*; and the fields that tell the samples' kind, [] for none."""
    known = [probe for probe in split.good if probe.found is not None]
    if not any(probe.is_sample for probe in known):
        return split, []
    odds = _odds_of_the_samples_kind(known)
    alike, others = (
        [one for one, p in zip(known, odds, strict=True) if (p >= 0.5) is is_so] for is_so in (True, False)
    )
    unsure = sum(_UNSURE < p < 1 - _UNSURE for p in odds)
    if len(alike) < _LEAST_ALIKE or len(others) < _LEAST_OTHER or unsure > _MOST_UNSURE * len(known):
        return split, []
    names = sorted(frozenset[str]().union(*(probe.shown for probe in alike)))
    told = [name for name in names if _share(name, alike) >= _HAVING and _share(name, others) <= _LACKING]
    board = ProbeBoard(split.good, {})
    least = _TELLING_UNLIKE if are_unlike(board, others, _NOTHING_LIKE) else _TELLING
    if len(told) < least or not are_unlike(board, others, _RATHER_LIKE):
        return split, []
    kept = sum(_share(name, others) >= _HAVING for name in names)
    if share_with_own(board, others) < _WITH_OWN or kept > _MOST_KEPT:
        return split, []
    return without_pages(split, others, f"{', '.join(told)} not there, which go together on the other pages"), told


def _share(name: str, probes: Sequence[Probe]) -> float:
    return sum(name in one.shown for one in probes) / len(probes)


def _odds_of_the_samples_kind(known: Sequence[Probe]) -> list[float]:
    """How likely each page is of the samples' kind; rounds × pages × fields."""
    names = sorted(frozenset[str]().union(*(probe.shown for probe in known)))
    shared = frozenset.intersection(*(probe.shown for probe in known if probe.is_sample))
    odds = [float(one.is_sample or 2 * len(one.shown & shared) > len(shared)) for one in known]
    for _ in range(_ROUNDS):
        before, prior = odds, (sum(odds) + 1) / (len(known) + 2)
        having = [_log_ratio([name in one.shown for one in known], odds) for name in names]
        odds = [
            1.0
            if one.is_sample
            else _logistic(
                log(prior / (1 - prior)) + sum(h[name not in one.shown] for name, h in zip(names, having, strict=True))
            )
            for one in known
        ]
        if max(abs(a - b) for a, b in zip(before, odds, strict=True)) < 1e-6:
            break
    return odds


def _log_ratio(flags: Sequence[bool], odds: Sequence[float]) -> tuple[float, float]:
    """What it says for the first class that a trait is there, and that it is missing."""
    one, other = sum(odds), len(odds) - sum(odds)
    mine = (sum(p for p, flag in zip(odds, flags, strict=True) if flag) + 0.5) / (one + 1)
    theirs = (sum(1 - p for p, flag in zip(odds, flags, strict=True) if flag) + 0.5) / (other + 1)
    return log(mine / theirs), log((1 - mine) / (1 - theirs))


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-_MOST_LOG_ODDS, min(_MOST_LOG_ODDS, value))))
