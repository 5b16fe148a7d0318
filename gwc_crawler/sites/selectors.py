"""The [fields] of a site file: how values are read that a person gives selectors for. Called by `validation`.

Out comes for each field the rule as a knowledge file has it; every mistake is noted with its line, and with its column
where the selector stands on its line as it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from gwc_crawler.items import ValueShape
from gwc_crawler.knowledge.selectors import SELECTED, SELECTOR_KINDS, Fault, selector_fault
from gwc_crawler.sites.keys import check_keys, take_table
from gwc_crawler.sites.samples import PlacedSample, check_field_name, shape_of
from gwc_crawler.sites.toml_text import KeyPath, Notes, describe, numbered

Rule: TypeAlias = dict[str, Any]

_NEEDS = f"needs one of {', '.join(SELECTOR_KINDS)}"
_EXAMPLE = 'write css = "h1::text" below a line [fields.{name}]; what you see on a page belongs in [samples.fields]'


def read_selectors(data: Mapping[str, Any], source: str, notes: Notes) -> dict[str, Rule]:
    """Read [fields]: field → its rule; *source* is the file's text, in which columns are counted."""
    reader = _Reader(source.split("\n"), notes)
    rules = {}
    for name, value in take_table(data, "fields", notes).items():
        check_field_name(("fields", name), name, notes)
        if (rule := reader.field(name, value)) is not None:
            rules[name] = rule
    return rules


def check_against_samples(rules: Mapping[str, Rule], samples: Iterable[PlacedSample], notes: Notes) -> None:
    """Note fields that have another shape, or another case, in a sample than in [fields]."""
    folded = {name.casefold(): name for name in rules}
    for path, sample in samples:
        for name, value in sample.fields.items():
            place, other = (*path, "fields", name), folded.get(name.casefold(), name)
            if other != name:
                text = f"fields {other!r} and {name!r} differ in case only; a database takes them for one"
                notes.mistake(place, text)
            elif name in rules and (shape := ValueShape(rules[name]["shape"])) != shape_of(value):
                line = notes.line(("fields", name))
                hint = "; add many = true there" if shape is ValueShape.TEXT else ""
                both = f"{shape_of(value).words} here and {shape.words} in line {line}"
                notes.mistake(place, f"field {name!r} is {both}{hint}")


class _Reader:
    def __init__(self, lines: Sequence[str], notes: Notes) -> None:
        self._lines, self._notes = lines, notes

    def field(self, name: str, value: Any) -> Rule | None:
        """The rule of one field; None where it is mistaken."""
        path = ("fields", name)
        items = numbered(path, value) or [(path, value)]
        for place, item in items:
            if not isinstance(item, dict):
                self._notes.mistake(place, f"field {name!r} is {describe(item)}; {_EXAMPLE.format(name=name)}")
                return None
            check_keys(place, item, "[fields.NAME]", self._notes, f"[fields.{name}]")
        if any({"rows", "parts"} & item.keys() for _, item in items):
            return self._records(path, name, value)
        return self._values(items, f"[fields.{name}]")

    def _values(self, items: Iterable[tuple[KeyPath, Any]], where: str) -> Rule | None:
        """A rule that gives a text, or a list of texts where one of the *items* says so."""
        ways, is_list = list[dict[str, str]](), False
        for path, item in items:
            ways += self._ways(path, item, where)
            is_list |= isinstance(item, dict) and self._flag((*path, "many"), item.get("many", False), where)
        shape = ValueShape.LIST if is_list else ValueShape.TEXT
        return {"kind": SELECTED, "shape": shape.value, "ways": ways} if ways else None

    def _flag(self, path: KeyPath, value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            self._notes.mistake(path, f"many in {where} is {describe(value)}; write true or false, without quotes")
        return value is True

    def _records(self, path: KeyPath, name: str, value: Any) -> Rule | None:
        where = f"[fields.{name}]"
        if not isinstance(value, dict):
            self._notes.mistake(path, f"{where} is a list of tables with rows; write one, and a list after rows =")
            return None
        if strange := [key for key in (*SELECTOR_KINDS, "many") if key in value]:
            text = f"{strange[0]} in {where} stands beside rows; each part of a record has its own, below parts"
            self._notes.mistake((*path, strange[0]), text)
        parts = value.get("parts")
        if "rows" not in value or not isinstance(parts, dict) or not parts:
            hint = 'rows = ".review" and parts.author = ".author::text"'
            self._notes.mistake(path, f"records in {where} need both rows and parts: {hint}")
            return None
        rows = self._rows((*path, "rows"), value["rows"], where)
        rules = {part: self._part((*path, "parts", part), name, part, one, rows) for part, one in parts.items()}
        whole = {part: rule for part, rule in rules.items() if rule is not None}
        shape = ValueShape.RECORDS.value
        return {"kind": SELECTED, "shape": shape, "ways": rows, "parts": whole} if rows and whole else None

    def _rows(self, path: KeyPath, value: Any, where: str) -> list[dict[str, str]]:
        items = [(path, value)] if numbered(path, value) is None else numbered(path, value) or []
        for place, item in items:
            if isinstance(item, dict):
                check_keys(place, item, "rows", self._notes, f"rows of {where}")
        return [way for place, item in items for way in self._ways(place, item, f"rows of {where}")]

    def _part(self, path: KeyPath, name: str, part: str, value: Any, rows: Sequence[dict[str, str]]) -> Rule | None:
        check_field_name(path, part, self._notes)
        where = f"[fields.{name}.parts.{part}]"
        items = numbered(path, value) or [(path, value)]
        for place, item in items:
            if isinstance(item, dict):
                check_keys(place, item, "[fields.NAME.parts.PART]", self._notes, where)
        rule = self._values(items, where)
        for way in rule["ways"] if rule else ():
            if way.get("xpath", "").lstrip("( ").startswith("/"):
                text = f"xpath {way['xpath']!r} in {where} begins at the page's root, not in its row; write .//…"
                self._notes.mistake(path, text)
            if any("jmespath" in row for row in rows) and "jmespath" not in way:
                text = f"{where} selects in HTML, but rows are JSON; write jmespath"
                self._notes.mistake(path, text)
        return rule

    def _ways(self, path: KeyPath, value: Any, where: str) -> list[dict[str, str]]:
        """The ways that a text (CSS) or a table stands for, in the order in which they are tried."""
        if isinstance(value, str):
            return [{"css": text} for text in self._selectors("css", path, value, where)]
        if not isinstance(value, dict):
            self._notes.mistake(path, f"{where} is {describe(value)}; write a CSS selector in quotes, or a table")
            return []
        kinds = [kind for kind in SELECTOR_KINDS if kind in value]
        if value.keys() <= {"many"}:
            self._notes.mistake(path, f"{where} {_NEEDS}")
        if {"css", "xpath"} <= value.keys():
            text = f'{where} has css and xpath; where one is a fallback, write a list: [[fields.…]] css = "…"'
            self._notes.mistake((*path, "xpath"), text)
        texts = [list(self._selectors(kind, (*path, kind), value[kind], where)) for kind in kinds]
        return [dict(zip(kinds, way, strict=True)) for way in product(*texts)] if kinds else []

    def _selectors(self, kind: str, path: KeyPath, value: Any, where: str) -> Iterator[str]:
        """The selectors of a kind, one or a list; what is wrong with one is noted."""
        items = [(path, value)] if isinstance(value, str) else numbered(path, value)
        if not items:
            what = "empty" if items == [] else describe(value)
            self._notes.mistake(path, f"{kind} in {where} is {what}; write a text in quotes, or a list of them")
        for place, item in items or ():
            if not isinstance(item, str):
                self._notes.mistake(place, f"{kind} in {where} holds {describe(item)}; write it in quotes")
            elif (fault := selector_fault(kind, item)) is not None:
                column = self._column(place, item, fault)
                self._notes.mistake(place, f"{kind} {item!r} in {where}{column} {fault.text}")
            else:
                yield item

    def _column(self, path: KeyPath, selector: str, fault: Fault) -> str:
        """Where a fault stands: by the file's line; inside the selector where that is written otherwise there."""
        if fault.at is None:
            return ""
        line = self._notes.line(path)
        start = self._lines[line - 1].find(selector) if line and selector else -1
        return f", column {start + fault.at + 1}," if start >= 0 else f", at its character {fault.at + 1},"
