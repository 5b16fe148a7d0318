"""The pattern tree: URLs → groups of one pattern, by splitting on the slot that tells most.

In: URLs. Out: groups of rows. It is right where comparing segments one by one is not: early segments that vary, many
directories for one class, differences in the query alone, numbers against words, file extensions, several hosts.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf, log2

from gwc_crawler.extract.fields import overlap
from gwc_crawler.learn.degrees import HALF, SEVERAL
from gwc_crawler.learn.urls.url_parts import SlottedUrl, is_number, row_of

_MOST_URLS = 0.6
"""Share of the URLs that the branches of a split must cover; and of those below a slot's values that must look alike
for the slot to be a variable."""
_FEW = 8
"""Maximum number of values or prefixes that always branch. More of them, or first words of titles and names, do so
only if the URLs below them differ (see `_are_alike`)."""
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9]{0,14}[_.-]|[A-Za-z]{2,15}(?=[0-9]+$)")
"""A word with the delimiter behind it, or with nothing but a number behind it."""

_KINDS = ("number", "word")


class _Aspect(Enum):
    """The feature of a slot that is looked at."""

    KIND = "kind"
    """Whether it is a number."""
    VALUE = "value"
    PREFIX = "prefix"
    """The word that begins at a depth of it."""


@dataclass(frozen=True, slots=True)
class _Key:
    """A way to look at a row: whether a slot is a number, its value, or the word that begins at a depth of it."""

    slot: int
    look: _Aspect
    depth: int = 0

    def of(self, row: SlottedUrl) -> str:
        """Return the value of the row; "" if it can't be a branch."""
        value = row.values[self.slot]
        if self.look is _Aspect.KIND:
            return _KINDS[0] if is_number(value) else _KINDS[1]
        if self.look is _Aspect.VALUE:
            return "" if is_number(value) else f"={value}"
        found = _PREFIX.match(value, self.depth)
        return found.group() if found else ""


def split_into_groups(urls: Iterable[str]) -> list[list[SlottedUrl]]:
    """Split URLs into groups, each describable by one pattern.

    URLs are first parted by layout (segments, slash, query keys). A part is split on the slot of least entropy whose
    few values, or prefixes, cover most of its URLs, again and again.

    Source:
        After Lei, Cai, Yang et al., "A pattern tree-based approach to learning URL normalization rules", WWW 2010; we
        split on prefixes of segments too, and tell variables from branchings by what lies below, not by count alone.
    """
    by_layout: dict[object, list[SlottedUrl]] = defaultdict(list)
    for url in dict.fromkeys(urls):
        row = row_of(url)
        by_layout[row.layout].append(row)
    return [group for rows in by_layout.values() for group in _split(rows)]


def _split(rows: Sequence[SlottedUrl]) -> list[list[SlottedUrl]]:
    """Split rows by the split of least entropy, the rows it does not cover last, and so on."""
    least, best = inf, [list(rows)]
    columns = {slot: set(values) for slot, values in _columns(rows).items()} if len(rows) >= 2 * SEVERAL else {}
    for slot, values in columns.items():
        depth = _common_depth(values) if len(values) > 1 else 0
        ways = (_Key(slot, _Aspect.KIND), _Key(slot, _Aspect.VALUE), _Key(slot, _Aspect.PREFIX, depth))
        for key in ways if len(values) > 1 else ():
            branches = _branches(rows, key)
            shares = [len(branch) / len(rows) for branch in branches]
            entropy = -sum(share * log2(share) for share in shares)
            if entropy < least - 1e-9 and _is_branching(rows, branches, key):
                least, best = entropy, branches
    return best if len(best) == 1 else [group for branch in best for group in _split(branch)]


def _common_depth(values: Iterable[str]) -> int:
    """Length of the words (each with its delimiter) that all *values* begin with, in whatever order they come."""
    texts = set(values)
    one = min(texts)
    depth = 0
    while found := _PREFIX.match(one, depth):
        if not all(text.startswith(found.group(), depth) for text in texts):
            break
        depth = found.end()
    return depth


def _branches(rows: Sequence[SlottedUrl], key: _Key) -> list[list[SlottedUrl]]:
    """Return rows by key, largest first; keys that are rare or say nothing are put together, last."""
    by_key: dict[str, list[SlottedUrl]] = defaultdict(list)
    for row in rows:
        by_key[key.of(row)].append(row)
    rest = by_key.pop("", [])
    rest += [row for branch in by_key.values() if len(branch) < SEVERAL for row in branch]
    frequent = sorted((branch for branch in by_key.values() if len(branch) >= SEVERAL), key=lambda one: -len(one))
    return [*frequent, rest] if rest else frequent


def _is_branching(rows: Sequence[SlottedUrl], branches: Sequence[Sequence[SlottedUrl]], key: _Key) -> bool:
    if len(branches) < 2:
        return False
    names = [{key.of(row) for row in branch} for branch in branches]
    frequent = [branch for branch, own in zip(branches, names, strict=True) if len(own) == 1 and "" not in own]
    if not frequent or sum(map(len, frequent)) < _MOST_URLS * len(rows):
        return False
    if key.look is _Aspect.KIND:
        # a few numbers among words may be words of digits; a few words among numbers are strangers
        return min(map(len, branches)) >= SEVERAL or names[0] == {_KINDS[0]}
    titles = key.look is _Aspect.PREFIX and all(key.of(branch[0])[-1] in "-." for branch in frequent)
    return len(frequent) <= (1 if titles else _FEW) or not _are_alike(rows, frequent, key)


def _are_alike(rows: Sequence[SlottedUrl], branches: Sequence[Sequence[SlottedUrl]], key: _Key) -> bool:
    """Tell whether most URLs of the branches are alike but for the slot: then it varies within one class."""
    varying = {slot: _common_depth(values) for slot, values in _columns(rows).items() if len(set(values)) > 1}
    signatures = [_signature(branch, key, varying) for branch in branches]
    counts = Counter(feature for signature in signatures for feature in signature)
    shared = {feature for feature, count in counts.items() if count >= len(branches) / 2}
    alike = sum(len(branch) for branch, own in zip(branches, signatures, strict=True) if overlap(own, shared) >= HALF)
    return alike >= _MOST_URLS * sum(map(len, branches))


def _signature(rows: Sequence[SlottedUrl], key: _Key, depths: Mapping[int, int]) -> set[tuple[int, str]]:
    """Return the words and prefixes that a quarter of a branch share, by slot; else whether the slot has numbers."""
    signature: set[tuple[int, str]] = set()
    for slot, values in _columns(rows).items():
        if slot not in depths or (slot == key.slot and key.look is _Aspect.VALUE):
            continue
        depth = _common_depth(values) if slot == key.slot else depths[slot]
        prefixes = [found.group() for value in values if (found := _PREFIX.match(value, depth))]
        words = [f"={value}" for value in values if value and not is_number(value)]
        least = max(SEVERAL, len(rows) / 4)
        typical = {(slot, feature) for feature, count in Counter([*words, *prefixes]).items() if count >= least}
        signature |= typical or {(slot, "number" if is_number(values[0][depth:]) else "word")}
    return signature


def _columns(rows: Sequence[SlottedUrl]) -> dict[int, list[str]]:
    return {slot: [row.values[slot] for row in rows] for slot in range(len(rows[0].values))}
