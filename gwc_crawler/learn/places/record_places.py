"""Locate the records of a sample: assign each occurrence of a value to a record.

A record's values stand close together, and records follow one another. So of the occurrences of a record's rarest
value those are taken, in page order, that have the record's other values nearest to them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from gwc_crawler.extract.fields import is_url, same_url, squeeze
from gwc_crawler.learn.degrees import A_HANDFUL, ENOUGH, VERY_MANY
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage, texts_in
from gwc_crawler.learn.texts.text_index import TextIndex

LOOSE_TIMES = 3
LOOSE_MORE = 60
"""Factor, and characters to add, for the distance of a value inside a longer text, beside one that stands alone."""


@dataclass(frozen=True, slots=True)
class Box:
    """The part of the page that holds one record: the smallest element around, and the one with its first text."""

    cover: Any
    first: Any


@dataclass(frozen=True, slots=True)
class Hit:
    """An occurrence of one value: a range, and the element if the value is an attribute's."""

    start: int
    end: int
    element: Any = None


@dataclass(frozen=True, slots=True)
class LocatedRecords:
    """The records that were found, and their boxes.

    Attributes:
        contexts: the given ones, but only with records that have a value on the page; in page order if the given order
            is another.
        boxes: for the contexts with records (by number) one box for each of them.
    """

    contexts: list[ExampleContext]
    boxes: dict[int, list[Box]]


def locate_records(contexts: Sequence[ExampleContext]) -> Iterator[LocatedRecords]:
    """Find the boxes of the wanted records: in the order given, where they stand closest together, as late as they may.

    A table of contents has the names in the order given, but nothing else of a record. What a function returns may
    have the names and types of its first parameters. Each guess is made only when asked for.
    """
    known = {n: wanted for n, one in enumerate(contexts) if not one.empty and (wanted := _Wanted(one)).rows}
    key = _common_key([one.rows for one in known.values()])
    for one in known.values():
        one.start_from(key)
    seen = []
    for guess in (
        lambda one: one.in_order() or one.closest(),
        _Wanted.closest,
        lambda one: one.in_order(late=True) or one.closest(),
    ):
        located = {n: guess(one) for n, one in known.items()}
        places = [(hit.start, hit.end) for one in located.values() for hit in one.pivots]
        if places not in seen:
            seen.append(places)
            yield _boxed(contexts, located)


def _boxed(contexts: Sequence[ExampleContext], located: Mapping[int, Located]) -> LocatedRecords:
    kept = [replace(one, wanted=located[n].records) if n in located else one for n, one in enumerate(contexts)]
    keys = {asked.key for found in located.values() for row in found.rows for asked in row}
    sides = {key: _side(key, list(located.values())) for key in keys}
    boxes = {
        n: [_box(contexts[n].at.index, hits) for hits in _on_one_side(found, sides)] for n, found in located.items()
    }
    return LocatedRecords(kept, boxes)


@dataclass(frozen=True, slots=True)
class Located:
    """The records of one page: the occurrences of all their values, and which one each record starts from."""

    records: list[Mapping[str, Any]]
    rows: list[list[WantedValue]]
    pivots: list[Hit]

    def windows(self, number: int) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Return the ranges before and after pivot *number*, up to its neighbours, and its own."""
        before = self.pivots[number - 1].end if number else 0
        after = self.pivots[number + 1].start if number + 1 < len(self.pivots) else sys.maxsize
        start, end = self.pivots[number].start, self.pivots[number].end
        return (before, start), (end, after), (start, end)


class _Wanted:
    """The records of a page that have a value on it, and the occurrences of their values."""

    def __init__(self, context: ExampleContext) -> None:
        hits_of = cache(lambda text: _hits(text, context.at))
        asked = [
            [WantedValue(key, *hits) for key, text in texts_in(record) if (hits := hits_of(text))[0]]
            for record in context.wanted
        ]
        self.records = [record for record, row in zip(context.wanted, asked, strict=True) if row]
        self.rows = [row for row in asked if row]
        self._options: list[list[tuple[int, list[Hit]]]] = []

    def start_from(self, key: str | None) -> None:
        """Look for each record around its value for *key*; with None for the one that is rarest on the page."""
        pivots = _pivots(self.rows, key)
        self._options = [list(_options(row, pivot)) for row, pivot in zip(self.rows, pivots, strict=True)]

    def in_order(self, *, late: bool = False) -> Located | None:
        """Return the records in sequence, of equally good places the first or the last; None if there is none."""
        found = _in_order(self._options, late=late)
        return None if found is None else Located(self.records, self.rows, [hits[0] for hits in found])

    def closest(self) -> Located:
        """Return the records wherever they stand closest together, in page order."""
        found = zip(self.records, self.rows, _in_any_order(self._options), strict=True)
        records, rows, pivots = zip(*sorted(found, key=lambda one: one[2].start), strict=True)
        return Located(list(records), list(rows), list(pivots))


@dataclass(frozen=True, slots=True)
class WantedValue:
    """One value of a record: its key, its occurrences that stand alone (all, if none does), and all occurrences."""

    key: str
    hits: list[Hit]
    loose: list[Hit]

    def within(self, low: int, high: int, *, loosely: bool) -> list[Hit]:
        """Return the occurrences in a range, those that stand alone or all."""
        return [hit for hit in (self.loose if loosely else self.hits) if low <= hit.start and hit.end <= high]


def _hits(text: str, at: LearnPage) -> tuple[list[Hit], list[Hit]]:
    found = [Hit(start, end) for start, end in at.index.hits(squeeze(text), VERY_MANY)]
    best = [hit for hit in found if _stands_alone(hit, at.index)] or found or list(_attribute_hits(text, at))
    return best, found or best


def _stands_alone(hit: Hit, index: TextIndex) -> bool:
    if index.spans.get(index.cover(hit.start, hit.end)) == (hit.start, hit.end):
        return True
    chunk = index.chunks[index.chunk_at(hit.start)]
    return (chunk.start, chunk.end) == (hit.start, hit.end)


def _attribute_hits(text: str, at: LearnPage) -> Iterator[Hit]:
    address, plain = is_url(text), squeeze(text)
    for element, span in at.index.spans.items():
        said = at.addresses(element) if address else ()
        same = any(same_url(one, text) for _, one in said)
        if same or any(squeeze(value) == plain for value in element.attrib.values()):
            yield Hit(span[0], span[0], element)


def _common_key(pages: Sequence[Sequence[list[WantedValue]]]) -> str | None:
    """Return the key to start from on all *pages*; None where on some another one that all records have is far rarer.

    On which side of it the others stand can be compared then: the name before a remark is the first cell elsewhere.
    """
    totals = [_totals(rows) for rows in pages]
    if not all(totals):
        return None
    common = [key for key in next(iter(totals), {}) if all(key in one for one in totals)]
    best = min(common, key=lambda key: sum(one[key] for one in totals), default=None)
    return best if best and all(one[best] <= A_HANDFUL * min(one.values()) for one in totals) else None


def _totals(rows: Sequence[list[WantedValue]]) -> dict[str, int]:
    """Count for each key that all records have how often its values stand on the page."""
    shared = set.intersection(*({one.key for one in row} for row in rows))
    in_order = (key for key in dict.fromkeys(one.key for one in rows[0]) if key in shared)
    return {key: sum(min(len(one.loose) for one in row if one.key == key) for row in rows) for key in in_order}


def _pivots(rows: Sequence[list[WantedValue]], key: str | None) -> list[WantedValue]:
    """Return the value of each record to start from: that of *key*, else of the key that is rarest over all records."""
    totals = _totals(rows)
    best = key or min(totals, key=lambda one: totals[one], default=None)
    return [
        min(
            (one for one in row if best in (None, one.key)),
            key=lambda one: (len(one.loose), one.hits[0].start - one.hits[0].end),
        )
        for row in rows
    ]


def _options(row: list[WantedValue], pivot: WantedValue) -> Iterator[tuple[int, list[Hit]]]:
    """Yield for each occurrence of the pivot the extent of the record around it, and its hits, the pivot's first."""
    others = [one for one in row if one is not pivot]
    for hit in pivot.hits[:ENOUGH]:
        chosen = [hit, *(min(one.hits, key=lambda other: abs(other.start - hit.start)) for one in others)]
        yield max(one.end for one in chosen) - min(one.start for one in chosen), chosen


def _on_one_side(found: Located, sides: Mapping[str, tuple[int, bool]]) -> Iterator[list[Hit]]:
    """Choose each key's hits on its side of the pivot, between the neighbouring pivots; else the hits in the pivot."""
    for number, row in enumerate(found.rows):
        pivot = found.pivots[number]
        hits = [pivot]
        for one in row:
            if pivot in one.hits:
                continue
            side, loosely = sides[one.key]
            *_, inside = windows = found.windows(number)
            best = one.within(*windows[side], loosely=loosely) or one.within(*inside, loosely=loosely)
            seen = best or (one.loose if loosely else one.hits)
            hits.append(min(seen, key=lambda hit: abs(hit.start - pivot.start)))
        yield hits


def _side(key: str, pages: Sequence[Located]) -> tuple[int, bool]:
    """Return the side of a key's values (0 before the pivot, 1 after, 2 in it), and whether they stand in longer texts.

    The side with more of the values wins, then the nearer one. Values that stand alone (in a table of contents) count
    less than values inside longer texts that are much nearer.
    """
    scores = []
    for loosely, side in ((False, 0), (False, 1), (False, 2), (True, 0), (True, 1)):
        count, distance = _nearness(key, pages, side, loosely=loosely)
        if loosely:
            distance = LOOSE_TIMES * distance + LOOSE_MORE * count
        scores.append((-count, distance, loosely, side))
    *_, loosely, side = min(scores)
    return side, loosely


def _nearness(key: str, pages: Sequence[Located], side: int, *, loosely: bool) -> tuple[int, int]:
    """Return how many of a key's values stand on one side of their pivots, and how far off in all.

    Those from which records start on one page say nothing of where they stand on others.
    """
    count, distance = 0, 0
    for page in pages:
        for number, row in enumerate(page.rows):
            for one in row:
                if one.key == key and page.pivots[number] not in one.hits:
                    inside = one.within(*page.windows(number)[side], loosely=loosely)
                    count += bool(inside)
                    distance += min((abs(hit.start - page.pivots[number].start) for hit in inside), default=0)
    return count, distance


def _in_order(options: Sequence[list[tuple[int, list[Hit]]]], *, late: bool) -> list[list[Hit]] | None:
    """Return one option for each record, starts rising, with the least spread in all (dynamic programming).

    Of options as good the first, or the last.
    """
    turn = -1 if late else 1
    best: list[tuple[float, int, Any]] = [(0.0, -1, None)]
    for row in options:
        row.sort(key=lambda option: option[1][0].start)
        here: list[tuple[float, int, Any]] = []
        for spread, hits in row:
            start = hits[0].start
            before = [(cost, turn * n, chain) for n, (cost, at, chain) in enumerate(best) if at < start]
            if before:
                cost, _, chain = min(before, key=lambda one: one[:2])
                here.append((cost + spread, start, (chain, hits)))
        best = here
    if not best:
        return None
    _, _, chain = min(((cost, turn * n, chain) for n, (cost, _, chain) in enumerate(best)), key=lambda one: one[:2])
    chosen: list[list[Hit]] = []
    while chain:
        chain, hits = chain
        chosen.append(hits)
    return chosen[::-1]


def _in_any_order(options: Sequence[list[tuple[int, list[Hit]]]]) -> list[Hit]:
    """Return a pivot for each record, wherever it stands: the densest first, none twice while there are others.

    Of places where a record is equally dense the one nearest to the other records.
    """
    taken: set[tuple[int, int]] = set()
    pivots: dict[int, Hit] = {}
    densest = (sorted(row, key=lambda option: option[0])[:2] for row in options)
    sure = [row[0][1][0].start for row in densest if len(row) == 1 or row[0][0] < row[1][0]]
    middle = sorted(sure)[len(sure) // 2] if sure else 0
    for _, _, n, hit in sorted(
        ((spread, abs(hits[0].start - middle), n, hits[0]) for n, row in enumerate(options) for spread, hits in row),
        key=lambda one: (*one[:3], one[3].start),
    ):
        if n not in pivots and (hit.start, hit.end) not in taken:
            pivots[n] = hit
            taken.add((hit.start, hit.end))
    return [pivots[n] if n in pivots else row[0][1][0] for n, row in enumerate(options)]


def _box(index: TextIndex, hits: Sequence[Hit]) -> Box:
    first = min(hits, key=lambda hit: hit.start)
    start, end = first.start, max(hit.end for hit in hits)
    cover = index.cover(start, max(end, start + 1)) if any(hit.element is None for hit in hits) else hits[0].element
    for inner in (hit.element for hit in hits if hit.element is not None):
        around = {inner, *inner.iterancestors()}
        while cover is not None and cover not in around:
            cover = cover.getparent()
    head = first.element if first.element is not None else index.chunks[index.chunk_at(start)].parent
    return Box(cover, head)
