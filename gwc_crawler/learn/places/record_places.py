"""Where the records of a sample stand: which occurrence of each value belongs to which record.

A record's values stand close together and records follow one another. So of all occurrences of a record's rarest value
those are taken, in page order, around which the record's other values are nearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gwc_crawler.extract import URL_ATTRIBUTES
from gwc_crawler.extract.fields import is_empty, is_url, same_url, squeeze
from gwc_crawler.learn.places.context import Context
from gwc_crawler.learn.places.text_index import TextIndex

MOST_HITS = 60
FAR = 10**7


@dataclass(frozen=True, slots=True)
class Box:
    """The part of the page that holds one record: its range in the squeezed text and the smallest element around."""

    start: int
    end: int
    cover: Any
    first: Any
    """The element in which the record's first text stands."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An occurrence of one value: a range, and the element where it is an attribute's value."""

    start: int
    end: int
    element: Any = None


def locate_records(contexts: Sequence[Context]) -> dict[int, list[Box]]:
    """The boxes of the wanted records in page order, for each context in which every record has a value on the page."""
    located = {n: found for n, one in enumerate(contexts) if not one.empty and (found := _located(one))}
    keys = {asked.key for found in located.values() for row in found.rows for asked in row}
    sides = {key: _side(key, list(located.values())) for key in keys}
    return {
        n: [_box(contexts[n].at.index, hits) for hits in _on_one_side(found, sides)] for n, found in located.items()
    }


@dataclass(frozen=True, slots=True)
class Located:
    """The records of one page: the occurrences of all values, and which one each record starts from."""

    rows: list[list[Asked]]
    pivots: list[Hit]

    def windows(self, number: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """The ranges before and after pivot *number*, up to its neighbours."""
        before = self.pivots[number - 1].end if number else 0
        after = self.pivots[number + 1].start if number + 1 < len(self.pivots) else FAR
        return (before, self.pivots[number].start), (self.pivots[number].end, after)


def _located(context: Context) -> Located | None:
    finder = _HitFinder(context)
    rows = []
    for record in context.wanted:
        row = [Asked(key, hits) for key, text in texts_of(record) if (hits := finder.hits(text))]
        if not row:
            return None
        rows.append(row)
    pivots = _pivots(rows)
    found = _in_order([list(_options(row, pivot)) for row, pivot in zip(rows, pivots, strict=True)])
    return None if found is None else Located(rows, [hits[0] for hits in found])


def texts_of(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of a record with their keys, those of its lists one by one."""
    for key, value in record.items():
        if isinstance(value, str):
            yield from [(key, value)] if value.strip() else []
        elif not is_empty(value):
            yield from ((key, text) for text in value if isinstance(text, str) and text.strip())


@dataclass(frozen=True, slots=True)
class Asked:
    """One value of a record: its key and all its occurrences."""

    key: str
    hits: list[Hit]


class _HitFinder:
    def __init__(self, context: Context) -> None:
        self.index, self.page = context.at.index, context.at.page
        self._known: dict[str, list[Hit]] = {}

    def hits(self, text: str) -> list[Hit]:
        if text not in self._known:
            found = [Hit(start, end) for start, end in self.index.hits(squeeze(text), MOST_HITS)]
            exact = [hit for hit in found if self._stands_alone(hit)]
            self._known[text] = exact or found or list(self._attribute_hits(text))
        return self._known[text]

    def _stands_alone(self, hit: Hit) -> bool:
        if self.index.spans.get(self.index.cover(hit.start, hit.end)) == (hit.start, hit.end):
            return True
        chunk = self.index.chunks[self.index.chunk_at(hit.start)]
        return (chunk.start, chunk.end) == (hit.start, hit.end)

    def _attribute_hits(self, text: str) -> Iterator[Hit]:
        page, address, plain = self.page, is_url(text), squeeze(text)
        for element, span in self.index.spans.items():
            for name, value in element.attrib.items():
                same = address and name in URL_ATTRIBUTES and same_url(page.absolute(value), text)
                if same or squeeze(value) == plain:
                    yield Hit(span[0], span[0], element)
                    break


def _pivots(rows: Sequence[list[Asked]]) -> list[Asked]:
    """Of each record the value to start from: that of the key that is rarest on the page and in every record."""
    shared = set.intersection(*({one.key for one in row} for row in rows))
    in_order = (key for key in dict.fromkeys(one.key for one in rows[0]) if key in shared)
    totals = {key: sum(min(len(one.hits) for one in row if one.key == key) for row in rows) for key in in_order}
    best = min(totals, key=lambda key: totals[key], default=None)
    return [
        min(
            (one for one in row if best in (None, one.key)),
            key=lambda one: (len(one.hits), one.hits[0].start - one.hits[0].end),
        )
        for row in rows
    ]


def _options(row: list[Asked], pivot: Asked) -> Iterator[tuple[int, list[Hit]]]:
    """For each occurrence of the pivot: how far the record spreads around it, and its hits, the pivot's first."""
    others = [one for one in row if one is not pivot]
    for hit in pivot.hits:
        chosen = [hit, *(min(one.hits, key=lambda other: abs(other.start - hit.start)) for one in others)]
        spread = max(one.end for one in chosen) - _start(chosen)
        yield spread, chosen


def _on_one_side(found: Located, sides: Mapping[str, int]) -> Iterator[list[Hit]]:
    """Choose each key's hits on its side of the pivot, between the pivots around."""
    for number, row in enumerate(found.rows):
        pivot = found.pivots[number]
        hits = [pivot]
        for one in row:
            if pivot in one.hits:
                continue
            low, high = found.windows(number)[sides[one.key]]
            inside = [hit for hit in one.hits if low <= hit.start and hit.end <= high]
            hits.append(min(inside or one.hits, key=lambda hit: abs(hit.start - pivot.start)))
        yield hits


def _side(key: str, pages: Sequence[Located]) -> int:
    """0 before the pivot, 1 after it: where more of the key's values are, then where they are nearer."""
    scores = []
    for side in (0, 1):
        count, distance = 0, 0
        for page in pages:
            for number, row in enumerate(page.rows):
                low, high = page.windows(number)[side]
                for one in row:
                    if one.key == key:
                        inside = [hit for hit in one.hits if low <= hit.start and hit.end <= high]
                        count += bool(inside)
                        distance += min((abs(hit.start - page.pivots[number].start) for hit in inside), default=0)
        scores.append((-count, distance))
    return 0 if scores[0] < scores[1] else 1


def _in_order(options: Sequence[list[tuple[int, list[Hit]]]]) -> list[list[Hit]] | None:
    """One option for each record, starts rising, with the least spread in all (dynamic programming)."""
    best: list[tuple[float, int, int]] = [(0.0, -1, -1)]
    trail: list[list[tuple[float, int, int]]] = []
    for number, row in enumerate(options):
        row.sort(key=lambda option: option[1][0].start)
        here: list[tuple[float, int, int]] = []
        for spread, hits in row:
            start = hits[0].start
            before = [(cost, place) for place, (cost, at, _) in enumerate(best) if at < start or number == 0]
            if before:
                cost, place = min(before)
                here.append((cost + spread, start, place))
            else:
                here.append((float(FAR) * FAR, start, 0))
        trail.append(here)
        best = here
    if not best or min(best)[0] >= FAR * FAR:
        return None
    place = min(range(len(best)), key=lambda n: best[n][0])
    chosen: list[list[Hit]] = []
    for row, here in zip(reversed(options), reversed(trail), strict=True):
        chosen.append(row[place][1])
        place = here[place][2]
    return chosen[::-1]


def _start(hits: Sequence[Hit]) -> int:
    return min(hit.start for hit in hits)


def _box(index: TextIndex, hits: Sequence[Hit]) -> Box:
    start, end = _start(hits), max(hit.end for hit in hits)
    cover = index.cover(start, max(end, start + 1)) if any(hit.element is None for hit in hits) else hits[0].element
    for hit in hits:
        while hit.element is not None and cover is not None and not _holds(cover, hit.element):
            cover = cover.getparent()
    first = min(hits, key=lambda hit: hit.start)
    return Box(start, end, cover, first.element if first.element is not None else _text_element(index, start))


def _text_element(index: TextIndex, position: int) -> Any:
    chunk = index.chunks[index.chunk_at(position)]
    return chunk.parent


def _holds(outer: Any, inner: Any) -> bool:
    return inner is outer or any(one is outer for one in inner.iterancestors())
