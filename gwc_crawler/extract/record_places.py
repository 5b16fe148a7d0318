"""Where the records of a sample stand: which occurrence of each value belongs to which record.

A record's values stand close together and records follow one another. So of all occurrences of a record's rarest value
those are taken, in page order, around which the record's other values are nearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gwc_crawler.extract.context import Context
from gwc_crawler.extract.nodes import URL_ATTRIBUTES
from gwc_crawler.extract.text_index import TextIndex
from gwc_crawler.extract.values import is_empty, is_url, same_url, squeeze

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


def locate_records(context: Context) -> list[Box] | None:
    """The boxes of the wanted records in page order; None where some record has no value on the page."""
    finder = _HitFinder(context)
    rows = [[finder.hits(text) for text in texts_of(record)] for record in context.wanted]
    rows = [[hits for hits in row if hits] for row in rows]
    if not all(rows):
        return None
    options = [list(_options(row)) for row in rows]
    chosen = _in_order(options)
    if chosen is None:
        return None
    return [_box(context.at.index, hits) for hits in chosen]


def texts_of(record: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a record, those of its lists one by one."""
    for value in record.values():
        if isinstance(value, str):
            yield from [value] if value.strip() else []
        elif not is_empty(value):
            yield from (text for text in value if isinstance(text, str) and text.strip())


class _HitFinder:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.index = context.at.index
        self._known: dict[str, list[Hit]] = {}

    def hits(self, text: str) -> list[Hit]:
        if text not in self._known:
            found = [Hit(start, end) for start, end in self.index.find(squeeze(text), MOST_HITS)]
            exact = [hit for hit in found if self._stands_alone(hit)]
            self._known[text] = exact or found or list(self._attribute_hits(text))
        return self._known[text]

    def _stands_alone(self, hit: Hit) -> bool:
        if self.index.spans.get(self.index.cover(hit.start, hit.end)) == (hit.start, hit.end):
            return True
        chunk = self.index.chunks[self.index.chunk_at(hit.start)]
        return (chunk.start, chunk.end) == (hit.start, hit.end)

    def _attribute_hits(self, text: str) -> Iterator[Hit]:
        page, address, plain = self.context.at.page, is_url(text), squeeze(text)
        for element, span in self.index.spans.items():
            for name, value in element.attrib.items():
                same = address and name in URL_ATTRIBUTES and same_url(page.absolute(value), text)
                if same or squeeze(value) == plain:
                    yield Hit(span[0], span[0], element)
                    break


def _options(row: Sequence[list[Hit]]) -> Iterator[tuple[int, list[Hit]]]:
    """For each occurrence of the rarest value: how far the record spreads around it, and its hits."""
    pivot = min(row, key=lambda hits: (len(hits), hits[0].start - hits[0].end))
    for hit in pivot:
        chosen = [hit if hits is pivot else min(hits, key=lambda one: abs(one.start - hit.start)) for hits in row]
        spread = max(one.end for one in chosen) - min(one.start for one in chosen)
        yield spread, chosen


def _in_order(options: Sequence[list[tuple[int, list[Hit]]]]) -> list[list[Hit]] | None:
    """One option for each record, starts rising, with the least spread in all (dynamic programming)."""
    best: list[tuple[float, int, int]] = [(0.0, -1, -1)]
    trail: list[list[tuple[float, int, int]]] = []
    for number, row in enumerate(options):
        row.sort(key=lambda option: _start(option[1]))
        here: list[tuple[float, int, int]] = []
        for spread, hits in row:
            start = _start(hits)
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
