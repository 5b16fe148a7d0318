"""A sample's URL group that turns out to be mixed → the part of it that is like the samples.

The pattern tree goes by URLs alone and needs several of them; in a small pre-crawl a section with few pages may share a
group with others. The pages themselves then say which words of the samples' URLs matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.targets.similarity import Shape
from gwc_crawler.learn.targets.survey import Group, Survey
from gwc_crawler.learn.urls import Row, common_start, is_number, row_of

_PROBED_PAGES = 40
_LIKE = 0.5
_GAIN = 0.05
_MOST_SPLITS = 3
_LEAST_PAGES = 3


def refine_group(survey: Survey, group: Group, samples: Sequence[StoredPage]) -> Group:
    """Split off the part of *group* that shares words with the samples' URLs, if that parts their like from others.

    A word is a slot's value, or its beginning up to a delimiter, that all samples in the group have. The one is taken
    whose pages agree best (F1) with those that have half of the samples' shape; nothing is split without a gain.
    """
    inside = [page for page in samples if survey.group_of[page.url] is group]
    shape = Shape(survey, inside)
    for _ in range(_MOST_SPLITS if len(inside) > 1 else 0):  # one page has too much of its own to be a measure
        probes = list(dict.fromkeys([*inside, *group.spread(_PROBED_PAGES)]))
        like = {page.url: shape.likeness(page) >= _LIKE for page in probes}
        rows = [row_of(page.url) for page in probes]
        now = _f1([like[row.url] for row in rows], [True] * len(rows))
        tried = [
            (_f1([like[row.url] for row in rows], [test(row) for row in rows]), test) for test in _tests(rows, inside)
        ]
        best = max(tried, key=lambda pair: pair[0], default=None)
        if best is None or best[0] < now + _GAIN or sum(map(best[1], rows)) < _LEAST_PAGES:
            break
        group = survey.split(group, best[1])
    return group


def _tests(rows: Sequence[Row], samples: Sequence[StoredPage]) -> Iterator[Callable[[Row], bool]]:
    own = [row_of(page.url) for page in samples]
    for slot in range(len(own[0].values)):
        values = [row.values[slot] for row in own]
        if len({row.values[slot] for row in rows}) == 1:
            continue
        if len(set(values)) == 1 and not is_number(values[0]):
            yield _equals(slot, values[0])
        for found in re.finditer(r"[_.-]", common_start(values)):
            yield _begins(slot, values[0][: found.end()])


def _equals(slot: int, value: str) -> Callable[[Row], bool]:
    return lambda row: row.values[slot] == value


def _begins(slot: int, start: str) -> Callable[[Row], bool]:
    return lambda row: row.values[slot].startswith(start)


def _f1(truth: Sequence[bool], guess: Sequence[bool]) -> float:
    both = sum(one and two for one, two in zip(truth, guess, strict=True))
    return 2 * both / max(1, sum(truth) + sum(guess))
