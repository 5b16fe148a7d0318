"""Which columns an export has, and of what kind: from the store's table, the site's types, and what stands in it.

`plan_columns` settles it once; every format writes its own form of a kind.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from gwc_crawler.errors import InputError
from gwc_crawler.store.outlet import ColumnFacts, RecordTable

POSITION = "position"
"""What stands behind an exploded field's name, with a point between: which item of its list a row has, from 1."""


class ColumnKind(StrEnum):
    """What the values of a column are. `None` may stand in each."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    """Whole or not."""
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
        name: as it stands in the export.
        source: the store's column its values come from; for the parts of an exploded list, all the same.
        part: of an exploded list, the part of each item; None: the item itself.
    """

    name: str
    kind: ColumnKind
    source: str
    part: str | None = None


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """All columns of an export, in order; `exploded` is the store's column whose list makes a row for each item."""

    columns: tuple[Column, ...]
    exploded: str | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The store's columns that are read."""
        return tuple(dict.fromkeys(column.source for column in self.columns))

    @property
    def key(self) -> tuple[str, ...]:
        """The columns by which a row is known; () where they were left out."""
        wanted = ("url", f"{self.exploded}.{POSITION}") if self.exploded else ("url",)
        return wanted if {column.name for column in self.columns} >= set(wanted) else ()


def plan_columns(
    table: RecordTable,
    *,
    fields: Sequence[str] | None = None,
    known: Sequence[str] = (),
    texts: Collection[str] = (),
    explode: str | None = None,
) -> ColumnPlan:
    """Settle the columns.

    Args:
        fields: the chosen columns in order; None: `url`, `fetched_at` and those of *known* that are there; where
            nothing is known, all.
        known: the site's fields as the store names them.
        texts: those that are never lists.
        explode: the field whose lists become rows.

    Raises:
        InputError: there is no such column.
    """
    names = tuple(fields) if fields is not None else _default(table, known)
    if explode is not None and explode not in names:
        names = (*names, explode)
    for name in names:
        _require(table, name)
    looked_at = [name for name in names if name not in ("url", "fetched_at")]
    facts = table.facts(looked_at)
    columns: list[Column] = []
    for name in names:
        if name == explode:
            columns += _exploded(table, name)
        else:
            columns.append(Column(name, _kind(name, facts.get(name), is_text=name in texts), name))
    return ColumnPlan(tuple(columns), explode)


def _default(table: RecordTable, known: Sequence[str]) -> tuple[str, ...]:
    if not known:
        return table.columns
    return ("url", "fetched_at", *(name for name in known if name in table.columns))


def _require(table: RecordTable, name: str) -> None:
    if name not in table.columns:
        near = get_close_matches(name, table.columns, 1)
        raise InputError(
            f"the records have no field {name!r}"
            + (f" (did you mean {near[0]}?)" if near else "")
            + f"; they have {', '.join(table.columns)}"
        )


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


def _exploded(table: RecordTable, name: str) -> list[Column]:
    """The position, the items themselves, and each of their parts."""
    found = table.item_types(name) or {None: set()}
    columns = [Column(f"{name}.{POSITION}", ColumnKind.INTEGER, name)]
    for part, types in sorted(found.items(), key=lambda one: one[0] is not None):
        title = name if part is None else f"{name}.{part}"
        if title == columns[0].name:
            title += "_2"
        columns.append(Column(title, _kind_of_items(types - {"null"}), name, part))
    return columns


def _kind_of_items(types: Collection[str]) -> ColumnKind:
    if not types or types == {"text"}:
        return ColumnKind.TEXT
    if types == {"array"}:
        return ColumnKind.LIST
    if types == {"integer"}:
        return ColumnKind.INTEGER
    return ColumnKind.NUMBER if set(types) <= {"integer", "real"} else ColumnKind.MIXED
