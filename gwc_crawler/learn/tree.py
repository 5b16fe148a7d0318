"""The pattern tree: URLs → groups of one pattern, by splitting on the slot that tells most.

In: URLs. Out: groups of rows. It is right where comparing segments one by one is not: early segments that vary, many
directories for one class, differences in the query alone, numbers against words, file extensions, several hosts.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import log2

from gwc_crawler.learn.slots import Row, is_number, row_of

_LEAST_SUPPORT = 3
"""URLs that must share a value before it can be a branch."""
_COVERAGE = 0.6
"""Share of the URLs that the branches of a split must cover."""
_FEW = 8
"""Up to so many values always make branches; more only if what lies below them differs (see `_are_alike`)."""
_ALIKE = 0.6
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9]{0,14}[_.-]|[A-Za-z]{2,15}(?=[0-9]+$)")
"""A word with the delimiter behind it, or with nothing but a number behind it."""

_KINDS = ("number", "word")

_Key = Callable[[Row], str]


def split_into_groups(urls: Iterable[str]) -> list[list[Row]]:
    """Split URLs into groups, each describable by one pattern.

    URLs are first parted by layout (segments, slash, query keys). A part is split on the slot of least entropy whose
    few values, or prefixes, cover most of its URLs, again and again. A slot with many values is a variable, not a
    branching, when the URLs below its values look alike.

    Source:
        After Lei, Cai, Yang et al., "A pattern tree-based approach to learning URL normalization rules", WWW 2010; we
        split on prefixes of segments too, and tell variables from branchings by what lies below, not by count alone.
    """
    by_layout: dict[object, list[Row]] = defaultdict(list)
    for url in dict.fromkeys(urls):
        row = row_of(url)
        by_layout[row.layout].append(row)
    return [group for rows in by_layout.values() for group in _split(rows)]


def _split(rows: Sequence[Row]) -> list[list[Row]]:
    branches = _best_branches(rows) if len(rows) >= 2 * _LEAST_SUPPORT else None
    if branches is None:
        return [list(rows)]
    return [group for branch in branches for group in _split(branch)]


def _best_branches(rows: Sequence[Row]) -> list[list[Row]] | None:
    """The branches of the split of least entropy, the rows it does not cover last; None if nothing splits."""
    best: tuple[float, list[list[Row]]] | None = None
    for key in _split_keys(rows):
        branches = _branches(rows, key)
        if branches and _is_branching(rows, branches, key):
            entropy = _entropy([len(branch) for branch in branches])
            if best is None or entropy < best[0] - 1e-9:
                best = (entropy, branches)
    return best[1] if best else None


def _split_keys(rows: Sequence[Row]) -> list[_Key]:
    """The ways to look at a row: is a slot a number, its value, its first word with the delimiter behind it."""
    keys: list[_Key] = []
    for slot in range(len(rows[0].values)):
        values = {row.values[slot] for row in rows}
        if len(values) == 1:
            if prefix_depth := _common_depth(values):
                keys.append(_prefix_key(slot, prefix_depth))
            continue
        keys.append(_kind_key(slot))
        keys.append(_value_key(slot))
        keys.append(_prefix_key(slot, _common_depth(values)))
    return keys


def _kind_key(slot: int) -> _Key:
    return lambda row: _KINDS[0] if is_number(row.values[slot]) else _KINDS[1]


def _value_key(slot: int) -> _Key:
    return lambda row: "" if is_number(row.values[slot]) else f"={row.values[slot]}"


def _prefix_key(slot: int, depth: int) -> _Key:
    """The word after *depth* characters (that all rows share), together with the delimiter behind it."""

    def key(row: Row) -> str:
        found = _PREFIX.match(row.values[slot], depth)
        return found.group() if found else ""

    return key


def _common_depth(values: Iterable[str]) -> int:
    """Length of the words (each with its delimiter) that all *values* begin with."""
    texts = list(values)
    depth = 0
    while found := _PREFIX.match(texts[0], depth):
        if not all(text.startswith(found.group(), depth) for text in texts):
            break
        depth = found.end()
    return depth


def _branches(rows: Sequence[Row], key: _Key) -> list[list[Row]]:
    """Rows by key, largest first; keys that are rare or say nothing are put together, last."""
    by_key: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_key[key(row)].append(row)
    rest = by_key.pop("", [])
    frequent: list[list[Row]] = []
    for branch in by_key.values():
        if len(branch) >= _LEAST_SUPPORT:
            frequent.append(branch)
        else:
            rest.extend(branch)
    frequent.sort(key=lambda branch: -len(branch))
    return [*frequent, rest] if rest else frequent


def _is_branching(rows: Sequence[Row], branches: Sequence[Sequence[Row]], key: _Key) -> bool:
    if len(branches) < 2:
        return False
    names = [{key(row) for row in branch} for branch in branches]
    frequent = [branch for branch, own in zip(branches, names, strict=True) if len(own) == 1 and "" not in own]
    if not frequent or sum(map(len, frequent)) < _COVERAGE * len(rows):
        return False
    if key(frequent[0][0]) in _KINDS:
        return min(map(len, branches)) >= _LEAST_SUPPORT
    few = 1 if all(_begins_title(name) for own in names[: len(frequent)] for name in own) else _FEW
    return len(frequent) <= few or not _are_alike(frequent)


def _begins_title(name: str) -> bool:
    """Is a branch a first word with a hyphen, as titles in URLs begin, and no value and no prefix like "pr_"?"""
    return name.endswith("-") and not name.startswith("=")


def _are_alike(branches: Sequence[Sequence[Row]]) -> bool:
    """Do the URLs of the branches look the same but for the value that parts them? Then that is a variable."""
    signatures = [_signature(branch) for branch in branches]
    counts = Counter(feature for signature in signatures for feature in signature)
    shared = {feature for feature, count in counts.items() if count >= len(branches) / 2}
    likeness = [len(signature & shared) / max(1, len(signature | shared)) for signature in signatures]
    return sum(likeness) / len(likeness) >= _ALIKE


def _signature(rows: Sequence[Row]) -> set[tuple[int, str]]:
    """What is typical of rows: per slot that varies, its kinds, and words and prefixes that a quarter of them share."""
    signature: set[tuple[int, str]] = set()
    for slot in range(len(rows[0].values)):
        values = [row.values[slot] for row in rows]
        if len(set(values)) == 1 and len(values) > 1:
            continue
        signature.add((slot, "number" if is_number(values[0][_common_depth(values) :]) else "word"))
        depth = _common_depth(values)
        prefixes = [found.group() for value in values if (found := _PREFIX.match(value, depth))]
        words = [f"={value}" for value in values if not is_number(value)]
        for feature, count in Counter([*words, *prefixes]).items():
            if count >= max(3, len(rows) / 4):
                signature.add((slot, feature))
    return signature


def _entropy(sizes: Sequence[int]) -> float:
    total = sum(sizes)
    return -sum(size / total * log2(size / total) for size in sizes)
