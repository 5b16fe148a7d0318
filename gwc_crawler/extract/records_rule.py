"""Applying record rules: rows of a page, then each field inside its row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Any

from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.css import joined_css
from gwc_crawler.extract.fields import is_blank
from gwc_crawler.extract.locator import BEFORE, UNDER, Locator, Run, select
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Family

MOST_ROWS = 5_000  # rows read from one page; more can only be a hostile page
LEFT_OUT = "[not(contains("  # the beginning of the test in a path of rows that leaves out rows of a class
_TESTS = re.compile("|".join(map(re.escape, (LEFT_OUT, UNDER))))

DEEPEST_ROW = 200  # ancestors of a row that is still read, on a page with many rows


@dataclass(slots=True)
class RowRule:
    """One way to read the records.

    Attributes:
        must: a row without any one of these is no record (a header row); if empty, a row without any field.
        always: the sub-fields that all sample records have. A row inside another that lacks one is part of that one; a
            single row that lacks one and is a cell across the table is no record.
        parts: how the page is parted before (`PageView.parted`), () if records are elements or siblings.
    """

    rows: Locator  # selects the rows (or, if `flat`, the first element of each)
    flat: bool  # a row is the run of siblings from its head to the next one's
    fields: dict[str, BestRule]  # sub-field → rule, relative to the row
    must: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    fit: float = field(default=0.0, compare=False)  # the share of the samples' records that it gives (learning only)

    @property
    def path(self) -> str:
        """The address of the rows."""
        return self.rows.path

    @property
    def family(self) -> Family:
        """The feature that it relies on."""
        return self.rows.family

    @property
    def cost(self) -> float:
        """How much can break."""
        return self.rows.cost

    def read(self, page: PageView) -> list[dict[str, Any]]:
        """Return the records of the page in document order, sub-fields that a row does not have left out."""
        return [record for _, record in self.rows_with_records(page)]

    def rows_with_records(self, page: PageView) -> list[tuple[Any, dict[str, Any]]]:
        """Return the same, each with the element or `Run` that it was read from."""
        page = page.parted(self.parts)
        selected = _not_too_deep(select(self.rows.path, page)[:MOST_ROWS])
        scopes = runs_of(selected, self.rows.path, page) if self.flat else selected
        inside = _inside_others(selected) if self.always else frozenset()
        own = [key for key, rule in self.fields.items() if not rule.locators[0].path.startswith(BEFORE)]
        found = []
        for head, scope in zip(selected, scopes, strict=True):
            is_alone = len(selected) == 1 and not self.flat
            must = self.always if head in inside or (is_alone and is_across(head)) else self.must
            values = {key: rule.read_in(page, scope) for key, rule in self.fields.items()}
            record = {key: value for key, value in values.items() if not is_blank(value)}
            if any(key in record for key in own) and all(key in record for key in must):
                found.append((scope, record))
        return _without_wrappers(found) if inside and not self.flat else found

    def part_as_html(self, part: str) -> RowRule:
        """Return the same rule, giving one part as HTML."""
        rule = self.fields.get(part)
        return replace(self, fields={**self.fields, part: rule.as_html()}) if rule else self

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wrapper file."""
        conditions = {"flat": self.flat, "must": list(self.must), "always": list(self.always)}
        parts = {"parts": list(self.parts)} if self.parts else {}
        fields = {key: rule.to_json() for key, rule in self.fields.items()}
        return {"rows": self.rows.to_json(), **conditions, **parts, "fields": fields}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RowRule:
        """Return the rule that `to_json` wrote."""
        fields = {key: BestRule.from_json(rule) for key, rule in data["fields"].items()}
        must, always = tuple(data.get("must", ())), tuple(data.get("always", ()))
        parts = tuple(data.get("parts", ()))
        return cls(Locator.from_json(data["rows"]), bool(data.get("flat")), fields, must, always, parts)


@dataclass(frozen=True, slots=True)
class RecordsRule:
    """How a field of records is read: the first way that gives any."""

    ways: tuple[RowRule, ...]

    def read(self, page: PageView) -> list[dict[str, Any]]:
        """Return the records on *page*, [] if there are none."""
        for way in self.ways:
            if records := way.read(page):
                return records
        return []

    def count(self, page: PageView) -> int:
        """Return 1 if it finds anything on a page, else 0."""
        return int(bool(self.read(page)))

    def source(self, page: PageView) -> str:
        """Return which way gives the page's records, of how many, and the path of their rows."""
        for number, way in enumerate(self.ways, start=1):
            if way.read(page):
                return f"{way.family} {way.rows.path} (rule {number} of {len(self.ways)})"
        return ""

    def closest(self, page: PageView) -> str:
        """Report the rows that the first way's address selects, though none of them is a record."""
        way = self.ways[0]
        count = len(select(way.rows.path, page.parted(way.parts)))
        return f"{count} rows, none of them with the fields of a record" if count else ""

    def part_as_html(self, part: str) -> RecordsRule:
        """Return the same rule, giving one part of the records as HTML."""
        return replace(self, ways=tuple(way.part_as_html(part) for way in self.ways))

    def paper_form(self, name: str) -> dict[str, str]:
        """Return `{"label.field#text": "css path"}` for each sub-field whose row and own path CSS can express."""
        way = self.ways[0]
        form = {}
        for key, rule in way.fields.items():
            locator = rule.locators[0]
            if not way.flat and not way.parts and (css := joined_css(way.rows, locator)) is not None:
                form[f"{name}.{key}#{locator.read[1:] if locator.read[0] == '@' else 'text'}"] = css
        return form

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wrapper file."""
        return {"kind": "records", "ways": [way.to_json() for way in self.ways]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RecordsRule:
        """Return the rule that `to_json` wrote."""
        return cls(tuple(RowRule.from_json(way) for way in data["ways"]))


def is_across(row: Any) -> bool:
    """Tell whether a row is a cell across a table whose first row has several: it says that the table is empty."""
    cells = list(row.iterchildren("td", "th"))
    if row.tag != "tr" or len(cells) != 1 or (cells[0].get("colspan") or "1") == "1":
        return False
    first = next((one for table in islice(row.iterancestors("table"), 1) for one in table.iter("tr")), row)
    return first is not row and len(first) > 1


def _not_too_deep(rows: Sequence[Any]) -> Sequence[Any]:
    """Leave out rows nested beyond reason: each would be read through all those inside it."""
    if len(rows) < DEEPEST_ROW or not _is_deep(rows[-1]):
        return rows
    return [row for row in rows if not _is_deep(row)]


def _is_deep(row: Any) -> bool:
    return next(islice(row.iterancestors(), DEEPEST_ROW, None), None) is not None


def _inside_others(rows: Sequence[Any]) -> frozenset[Any]:
    """Return the rows inside another one, or inside a sibling of another one (like a dd beside its dt)."""
    parents = {row.getparent() for row in rows}
    if len(parents) < 2:
        return frozenset()
    return frozenset(row for row in rows if any(one.getparent() in parents for one in row.iterancestors()))


def _without_wrappers(found: list[tuple[Any, dict[str, Any]]]) -> list[tuple[Any, dict[str, Any]]]:
    """Leave out rows that give the same record as a row inside them: they are wrappers around replies."""
    same = ((outer, inner) for (outer, record), (inner, other) in pairwise(found) if record == other)
    wrappers = {id(outer) for outer, inner in same if any(one is outer for one in inner.iterancestors())}
    return [one for one in found if id(one[0]) not in wrappers] if wrappers else found


def runs_of(heads: Sequence[Any], path: str, page: PageView) -> list[Run]:
    """Return the runs of siblings from each of *heads*, which *path* gave, to the next, or to one that *path* leaves
    out.
    """
    whole = _TESTS.split(path, maxsplit=1)[0]
    starts = {*heads, *(select(whole, page) if whole != path else ())}
    runs = []
    for head in heads:
        members = [head]
        for sibling in head.itersiblings():
            if sibling in starts:
                break
            members.append(sibling)
        runs.append(Run(head, frozenset(members)))
    return runs
