"""The columns of an export and their kinds: from the store's table, the site's types, and the stored values.

`plan_columns` settles them once; every format writes its own form of a kind.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from itertools import groupby, islice
from typing import Any, TypeAlias

from gwc_crawler.errors import InputError
from gwc_crawler.export.filters import Filter, Judge
from gwc_crawler.store.reading import EXACT, ColumnFacts, Exportable
from gwc_crawler.store.sink import as_extracted

POSITION = "position"
"""Suffix of an exploded field's name, after a dot: the place of a row's item in its list, from 1."""


class ColumnKind(StrEnum):
    """The kind of a column's values. `None` is allowed in each."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    DAY = "day"
    """`2010-06-12`, all of them."""
    MOMENT = "moment"
    """Seconds since 1970."""
    LIST = "list"
    """JSON, all of them."""
    MIXED = "mixed"
    """Lists as JSON beside texts and numbers; or numbers that no one type of numbers holds exactly."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an export.

    Attributes:
        source: the store's column its values come from; for the parts of an exploded list, all the same.
        part: of an exploded list, the part of each item; None: the item itself.
    """

    name: str
    kind: ColumnKind
    source: str
    part: str | None = None


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """All columns of an export, in order; `exploded` is the store's column whose list items become rows."""

    columns: tuple[Column, ...]
    exploded: str | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The store's columns that are read."""
        return tuple(dict.fromkeys(column.source for column in self.columns))

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that identify a row; () if they were left out."""
        wanted = ("url", f"{self.exploded}.{POSITION}") if self.exploded else ("url",)
        return wanted if {column.name for column in self.columns} >= set(wanted) else ()


def plan_columns(
    table: Exportable,
    *,
    fields: Sequence[str] | None = None,
    known: Sequence[str] = (),
    texts: Collection[str] = (),
    explode: str | None = None,
) -> ColumnPlan:
    """Settle the columns.

    Args:
        fields: the chosen columns in order; None: `url`, `fetched_at` and those of *known* that exist; if no field is
            known, all.
        known: the site's fields as the store names them.
        texts: fields that are never lists.
        explode: the field whose lists become rows.

    Raises:
        InputError: there is no such column.
    """
    own = ("url", "fetched_at")
    usual = (*own, *(name for name in known if name in table.columns)) if known else table.columns
    names = usual if fields is None else tuple(fields)
    if explode is not None and explode not in names:
        names = (*names, explode)
    for name in names:
        _require(table, name)
    facts = table.facts([name for name in names if name not in own])
    columns: list[Column] = []
    for name in names:
        if name == explode:
            columns += _exploded(table, name)
        else:
            columns.append(Column(name, _kind(name, facts.get(name), is_text=name in texts), name))
    return ColumnPlan(tuple(columns), explode)


def _require(table: Exportable, name: str) -> None:
    if name not in table.columns:
        near = get_close_matches(name, table.columns, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise InputError(f"the records have no field {name!r}{hint}; they have {', '.join(table.columns)}")


def _kind(name: str, facts: ColumnFacts | None, *, is_text: bool) -> ColumnKind:
    if facts is None:
        return ColumnKind.MOMENT if name == "fetched_at" else ColumnKind.TEXT
    if facts.texts:
        return _kind_of_texts(facts, is_text=is_text)
    if facts.fractions:
        return ColumnKind.MIXED if facts.large else ColumnKind.NUMBER
    return ColumnKind.INTEGER if facts.integers else ColumnKind.TEXT


def _kind_of_texts(facts: ColumnFacts, *, is_text: bool) -> ColumnKind:
    if facts.integers or facts.fractions:
        return ColumnKind.MIXED
    if facts.days == facts.texts:
        return ColumnKind.DAY
    if is_text or not facts.lists:
        return ColumnKind.TEXT
    return ColumnKind.LIST if facts.lists == facts.texts else ColumnKind.MIXED


def _exploded(table: Exportable, name: str) -> list[Column]:
    found = table.item_types(name) or {None: set()}
    columns = [Column(f"{name}.{POSITION}", ColumnKind.INTEGER, name)]
    for part, types in sorted(found.items(), key=lambda one: one[0] is not None):
        title = name if part is None else f"{name}.{part}"
        if title == columns[0].name:
            title += "_2"
        columns.append(Column(title, _kind_of_items(types - {"null"}), name, part))
    return columns


def _kind_of_items(types: Collection[str]) -> ColumnKind:
    for kind, known in ((ColumnKind.TEXT, {"text"}), (ColumnKind.INTEGER, {"integer"}), (ColumnKind.LIST, {"array"})):
        if set(types) <= known:
            return kind
    return ColumnKind.NUMBER if set(types) <= {"integer", "real"} else ColumnKind.MIXED


# --- Rows of the store → rows of an export ----------------------------------------------------------------------------


Row: TypeAlias = tuple[Any, ...]


@dataclass
class LateValue(Exception):
    """A value came that a column can't take: it was stored after the columns were settled."""

    column: str


def read_rows(
    table: Exportable,
    plan: ColumnPlan,
    *,
    since: float | None = None,
    filters: Sequence[Filter] = (),
    tell: Callable[[str], object] = lambda note: None,
) -> Iterator[list[Row]]:
    """Give the rows of an export in batches, with values as the store has them; *tell* hears of the filters at the end.

    Raises InputError: no record could pass a filter; LateValue: a value is of another kind than its column; StoreError.
    """
    sources = tuple(dict.fromkeys((*plan.sources, *(test.field for test in filters))))
    judges = [(Judge(test), sources.index(test.field)) for test in filters]
    make = _row_maker(plan, sources)
    for batch in table.read(sources, since=since):
        asked = [[judge.takes(row[place]) for judge, place in judges] for row in batch]  # each judge sees every row
        chosen = [row for row, taken in zip(batch, asked, strict=True) if all(taken)]
        yield [made for row in chosen for made in make(row)]
    for judge, _ in judges:
        judge.check()
        if judge.note:
            tell(judge.note)


def _row_maker(plan: ColumnPlan, sources: tuple[str, ...]) -> Callable[[Row], Iterable[Row]]:
    checks = [(place, _CHECKS[one.kind], one.name) for place, one in enumerate(plan.columns) if one.kind in _CHECKS]
    places = [sources.index(column.source) for column in plan.columns]

    def checked(row: Row) -> Row:
        for place, fits, name in checks:
            value = row[place]
            if value is not None and not fits(value):
                raise LateValue(name)
        return row

    if plan.exploded is None:
        return lambda row: (checked(tuple(row[place] for place in places)),)
    listed = sources.index(plan.exploded)
    own = [(column, place) for column, place in zip(plan.columns, places, strict=True)]

    def exploded(row: Row) -> Iterator[Row]:
        for number, item in enumerate(_items(row[listed]), 1):
            yield checked(
                tuple(_of_item(column, number, item, plan) if place == listed else row[place] for column, place in own)
            )

    return exploded


def _items(value: Any) -> list[Any]:
    found = as_extracted(value)
    return found if isinstance(found, list) and found else [None if isinstance(found, list) else found]


def _of_item(column: Column, number: int, item: Any, plan: ColumnPlan) -> Any:
    if column is next(one for one in plan.columns if one.source == plan.exploded):
        return None if item is None else number
    if isinstance(item, dict):
        if unknown := item.keys() - {one.part for one in plan.columns if one.source == plan.exploded}:
            raise LateValue(f"{plan.exploded}.{min(unknown)}")
        item = None if column.part is None else item.get(column.part)
    elif column.part is not None:
        return None
    return json.dumps(item, ensure_ascii=False) if isinstance(item, list | dict) else item


_CHECKS: dict[ColumnKind, Callable[[Any], bool]] = {
    ColumnKind.TEXT: lambda value: isinstance(value, str),
    ColumnKind.INTEGER: lambda value: isinstance(value, int),
    ColumnKind.NUMBER: lambda value: isinstance(value, float) or (isinstance(value, int) and abs(value) <= EXACT),
    ColumnKind.DAY: lambda value: isinstance(value, str) and len(value) == 10 and value[4] == value[7] == "-",
    ColumnKind.LIST: lambda value: isinstance(value, str) and value[:1] == "[",
}


# --- The records of several machines' files as one table: each URL once, as it was fetched last -----------------------


class MergedRecords(Exportable):
    """Tables that are read in the order of their URLs; see `Exportable`."""

    def __init__(self, tables: Sequence[Exportable]) -> None:
        self._tables = tables
        self.columns = tuple(dict.fromkeys(name for table in tables for name in table.columns))

    def read(self, columns: Sequence[str], *, since: float | None = None, batch: int = 200) -> Iterator[list[Row]]:
        rows = heapq.merge(*(_rows(table, columns, since) for table in self._tables), key=lambda row: row[0])
        newest = (max(same, key=lambda row: row[1])[2:] for _, same in groupby(rows, key=lambda row: row[0]))
        while some := list(islice(newest, batch)):
            yield some

    def count(self) -> int:
        """Return how many records there are at most."""
        return sum(table.count() for table in self._tables)


def _rows(table: Exportable, columns: Sequence[str], since: float | None) -> Iterator[Row]:
    """Give URL, time and the wanted values of each record; a column that a table has not is empty."""
    known = [name for name in columns if name in table.columns]
    places = [known.index(name) + 2 if name in known else None for name in columns]
    for batch in table.read(("url", "fetched_at", *known), since=since):
        for row in batch:
            yield row[0], row[1], *(None if place is None else row[place] for place in places)
