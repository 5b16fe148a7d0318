"""Rows of the store → rows of an export: lists exploded, filters asked, values that don't fit their column found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gwc_crawler.export.columns import Column, ColumnKind, ColumnPlan
from gwc_crawler.export.filters import Filter, Judge
from gwc_crawler.store import as_extracted
from gwc_crawler.store.outlet import EXACT, RecordTable

Row: TypeAlias = tuple[Any, ...]


@dataclass
class LateValue(Exception):
    """A value came that a column can't take: it was stored after the columns were settled."""

    column: str


def read_rows(
    table: RecordTable,
    plan: ColumnPlan,
    *,
    since: float | None = None,
    filters: Sequence[Filter] = (),
    tell: Callable[[str], object] = lambda note: None,
) -> Iterator[list[Row]]:
    """Give the rows of an export in batches.

    A value is as the store has it: lists as JSON, times as numbers.

    Args:
        tell: told at the end what a person should know of the filters.
    Raises:
        InputError: no record could pass a filter.
        LateValue: a value is of another kind than its column.
        StoreError: the database can't be read.
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
    """Return what makes rows of the export of one of the store."""
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
    """The items of a list; a record without one keeps its row, as one whose value is no list does."""
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
