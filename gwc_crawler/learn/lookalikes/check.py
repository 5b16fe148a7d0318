"""Make the check that tells target pages from other pages of the same URL form: `Knowledge.page_check`.

It answers the paper's open problem. In: a `Split`. Out: a page check for `extract.page_check.page_agrees`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from math import floor
from typing import Any

from gwc_crawler.learn.degrees import A_DOZEN, ENOUGH, FEW, HALF, HARDLY_ANY, OFTEN, SEVERAL
from gwc_crawler.learn.lookalikes.probe import Probe
from gwc_crawler.learn.lookalikes.probes import RENAMED, Split, mean_keywords
from gwc_crawler.learn.texts.context import spread

_REQUIRED_ON = (1.0, 0.97, 0.9)
"""Shares of the good pages that have to have a required mark: the first with which there are some marks, and the check
loses no page."""
_NAMED, _LINK = re.compile(r"[.#]"), re.compile(r"a(?=$|[.#])")


def page_check(
    split: Split,
    common: Mapping[str, float],
    keywords: str,
    places: Mapping[str, frozenset[str]] | None = None,
    start: Set[str] = frozenset(),
) -> dict[str, Any]:
    """Return the page check that tells the good pages of *split* from foreign ones, and pages without any mark.

    Args:
        common: mark → in which share of the site's URL groups it stands.
        keywords: the site file's expression.
        places: field → the nesting marks of its element on the samples; where several pages of another category were
            seen, one of them is enough to tell.
        start: the marks of the site's start page: its frame, which is required only where nothing else tells.
    """
    seen = any(len(group) >= SEVERAL for group in split.foreign)
    telling = frozenset().union(*(places or {}).values()) if seen else frozenset()
    shares = _shares(split.good)
    others = [_shares(group) for group in split.foreign]
    bare = [other for other in others if not _own(shares, other)]
    least = HALF if split.foreign else 0.34
    tried = [others, *([bare, *([one] for one in bare)] if bare else [])]  # what has marks of its own can be forbidden
    frames = [start, frozenset[str]()] if start else [start]
    drawn = (_required(split, some, common, telling, least, frame) for some in tried for frame in frames)
    required = _said_once(next(filter(None, drawn), []), split, least)
    check: dict[str, Any] = {}
    if required:
        check = {"required": spread(required, ENOUGH), "least_required": _least(required, split, least)}

    strangers = [probe for group in split.foreign for probe in group]
    asked = check.get("required", ())
    found = (len(probe.marks.intersection(asked)) for probe in strangers)
    if not asked or any(count >= check["least_required"] * len(asked) for count in found):
        check |= _forbidden(shares, others)
    good, bad = mean_keywords(split.good), mean_keywords(strangers)
    if keywords and good is not None and bad is not None and good >= 0.98 and bad <= HARDLY_ANY:
        check["keywords"] = keywords
    return check


def _required(
    split: Split,
    others: Sequence[Mapping[str, float]],
    common: Mapping[str, float],
    telling: frozenset[str],
    least: float,
    frame: Set[str],
) -> list[str]:
    """Return the marks of good pages that hardly one of *others* has, nor the *frame*; [] if there are too few.

    Where the name of an element tells the kinds, only those in *telling*, if any: a page that lacks others, such as its
    examples and notes, may lack most of them.
    """
    shares = _shares(split.good)
    samples = [probe.marks for probe in split.good if probe.is_sample] or [probe.marks for probe in split.good]
    required: list[str] = []
    enough = False
    for share in _REQUIRED_ON:
        required = [
            mark
            for mark in sorted(frozenset.intersection(*samples))
            if shares[mark] >= share
            and mark not in frame
            and (common.get(mark, 0) <= HALF or split.foreign)
            and all(other.get(mark, 0) <= (FEW if mark in telling else HARDLY_ANY) for other in others)
        ]
        lost = any(len(probe.marks.intersection(required)) < least * len(required) for probe in split.good)
        enough = len(required) >= SEVERAL or not telling.isdisjoint(required)
        if enough and not lost:
            break
    names = [mark for mark in required if mark in telling] if RENAMED in split.reasons else []
    return names or (required if enough else [])


def _said_once(required: list[str], split: Split, least: float) -> list[str]:
    """Return the required marks; of a link that most of them are about only one, where that tells as much.

    A link to the next post is five marks beside the heading's one: the last post has no such link.
    """
    for part in _parts(required):
        about_a_link = 2 * sum(any(_LINK.match(step) for step in mark.split(">")) for mark in part) >= len(part)
        if len(part) == len(required) or len(part) < HALF * len(required) or not about_a_link:
            continue
        few = [mark for mark in required if mark not in part[1:]]
        asked = _least(few, split, least) * len(few)
        lost = any(len(probe.marks.intersection(few)) < asked for probe in split.good)
        let_in = any(len(probe.marks.intersection(few)) >= asked for group in split.foreign for probe in group)
        if not lost and not let_in:
            return few
    return required


def _parts(marks: Sequence[str]) -> list[list[str]]:
    """Group the marks by part of a page: an element with a name of its own, and the elements in it."""
    parts: list[list[str]] = []
    for mark in marks:
        inside = [part for part in parts if any(_holds(mark, one) or _holds(one, mark) for one in part)]
        parts = [part for part in parts if part not in inside] + [[*(one for part in inside for one in part), mark]]
    return parts


def _holds(mark: str, other: str) -> bool:
    """Tell whether the element of *mark* stands around that of *other*."""
    element = mark.rpartition(">")[2]
    return bool(_NAMED.search(element)) and ">" in mark and element in other.split(">")


def _least(required: Sequence[str], split: Split, least: float) -> float:
    """Return the share of the marks to ask for: at most that of the poorest good page, if the others have less.

    A good page with less than half of the usual share is ignored: it may be an unnoticed stranger.
    """
    strangers = [probe for group in split.foreign for probe in group]
    good, others = ([len(probe.marks.intersection(required)) for probe in some] for some in (split.good, strangers))
    poorest = min(good)
    asked = least * len(required)
    if poorest <= max(others, default=0) or not asked / 2 <= poorest < asked:
        return least
    return floor(1000 * poorest / len(required)) / 1000


def _shares(probes: Sequence[Probe]) -> dict[str, float]:
    counts = Counter(mark for probe in probes for mark in probe.marks)
    return {mark: count / len(probes) for mark, count in counts.items()}


def _forbidden(shares: Mapping[str, float], others: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Choose marks from each foreign group that most of its pages have and no good page, about as many from each.

    A page with half of the marks of the group with the fewest would be one of that group: it has to have less.
    """
    owned = [own for other in others if (own := _own(shares, other))]
    fewest = min(map(len, owned), default=0)
    chosen = [spread(own, min(A_DOZEN, max(SEVERAL, 2 * fewest))) for own in owned]
    marks = list(dict.fromkeys(mark for some in chosen for mark in some))
    if not marks:
        return {}
    return {"forbidden": marks, "most_forbidden": floor(500 * min(map(len, chosen)) / len(marks)) / 1000}


def _own(shares: Mapping[str, float], other: Mapping[str, float]) -> list[str]:
    return sorted(mark for mark, share in other.items() if share >= OFTEN and shares.get(mark, 0) <= 0.01)
