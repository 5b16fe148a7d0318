"""Groups of URLs → fewer groups, where one tight regex serves several and matches no stranger.

In: rows by group, and URLs that must stay outside. Out: rows by merged group, for `regex.class_regexes`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gwc_crawler.learn.targets.survey import pattern_of
from gwc_crawler.learn.urls import SlottedUrl, class_regexes, is_number


def merge_rows(
    groups: Collection[Sequence[SlottedUrl]], strangers: Collection[str], *, strict: bool
) -> list[list[SlottedUrl]]:
    """Put groups of rows together where one tight regex for them matches none of *strangers*.

    Only groups of one skeleton are put together: equal numbers of segments, query keys, slash and extension; numbers,
    words that vary and words that never do in the same slots. All of them are tried at once, then those that agree in
    the first segment, the second, and so on.

    Args:
        strict: also take a single group apart, as far as needed, whose own regex matches strangers.
    """
    skeletons: dict[object, list[Sequence[SlottedUrl]]] = {}
    for rows in groups:
        skeletons.setdefault(_skeleton(rows), []).append(rows)
    return [merged for alike in skeletons.values() for merged in _merge(alike, strangers, 1, strict)]


def _skeleton(rows: Sequence[SlottedUrl]) -> object:
    count = rows[0].layout[0]
    kinds = tuple(_kind([row.values[place] for row in rows]) for place in range(1, count + 1))
    return rows[0].layout, rows[0].values[count + 1], kinds


def _kind(values: Sequence[str]) -> str:
    if all(map(is_number, values)):
        return "number"
    return "word" if len(set(values)) == 1 else "words"


def _merge(
    groups: Sequence[Sequence[SlottedUrl]], strangers: Collection[str], depth: int, strict: bool
) -> list[list[SlottedUrl]]:
    rows = [row for group in groups for row in group]
    if len(groups) == 1:
        return _take_apart(rows, strangers) if strict else [rows]
    if not _hits(rows, strangers):
        return [rows]
    if depth >= len(rows[0].values):
        return [part for group in groups for part in _merge([group], strangers, depth, strict)]
    parts: dict[str, list[Sequence[SlottedUrl]]] = {}
    for number, group in enumerate(groups):
        values = {row.values[depth] for row in group}
        key = next(iter(values)) if len(values) == 1 else f"*{number}"
        parts.setdefault(key, []).append(group)
    return [merged for part in parts.values() for merged in _merge(part, strangers, depth + 1, strict)]


def _hits(rows: Sequence[SlottedUrl], strangers: Collection[str]) -> bool:
    return any(map(pattern_of(class_regexes(rows)).fullmatch, strangers))


def _take_apart(rows: list[SlottedUrl], strangers: Collection[str]) -> list[list[SlottedUrl]]:
    """Part *rows* by the first slot that varies, until no part's regex matches a stranger."""
    if not _hits(rows, strangers):
        return [rows]
    for depth in range(1, len(rows[0].values)):
        parts: dict[str, list[SlottedUrl]] = {}
        for row in rows:
            parts.setdefault(row.values[depth], []).append(row)
        if len(parts) > 1:
            return [apart for part in parts.values() for apart in _take_apart(part, strangers)]
    return [rows]
