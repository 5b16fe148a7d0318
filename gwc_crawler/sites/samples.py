"""The [[samples]] of a site file → SampleSpecs, with every mistake noted. Called by `validation`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from gwc_crawler.field_types.table import type_of
from gwc_crawler.items import FieldValue, ValueShape
from gwc_crawler.knowledge.selectors import SELECTED, SELECTOR_KINDS, Fault, selector_fault
from gwc_crawler.sites.keys import check_keys, read_url, take_table
from gwc_crawler.sites.schema import SampleSpec
from gwc_crawler.sites.toml_text import KeyPath, Notes, describe, numbered
from gwc_crawler.urls import host_of, same_site

PlacedSample: TypeAlias = tuple[KeyPath, SampleSpec]

STORED_ANYWAY = ("url", "fetched_at")  # columns that every record has; no field can be called so

_FIELD_NAME = re.compile(r"\w(?:[\w -]{0,62}[\w-])?")


def read_samples(data: Mapping[str, Any], types: Mapping[str, str], notes: Notes) -> list[PlacedSample]:
    """Read all samples that have a usable URL, each with its key path.

    *types* tells which fields are lists: there a single text becomes a list of one.
    """
    items = numbered(("samples",), data.get("samples", []))
    if items is None or not all(isinstance(item, dict) for _, item in items):
        notes.mistake(("samples",), "'samples' is no list of tables; begin each sample with a line [[samples]]")
        return []
    samples: list[PlacedSample] = []
    for path, item in items:
        check_keys(path, item, "[[samples]]", notes)
        url = _read_sample_url(path, item, samples, notes)
        fields = _read_fields((*path, "fields"), item.get("fields", {}), types, notes)
        if url:
            samples.append((path, SampleSpec(url, fields, notes.line(path))))
    _check_cases(items, notes)
    _check_shapes(samples, notes)
    return samples


def written_fields(data: Mapping[str, Any]) -> list[str]:
    """Return all field names of samples and [fields], in order of first appearance, those with mistakes, too."""
    samples = data.get("samples")
    tables = [item.get("fields") for item in samples if isinstance(item, dict)] if isinstance(samples, list) else []
    tables.append(data.get("fields"))
    return list(dict.fromkeys(name for table in tables if isinstance(table, dict) for name in table))


def check_scope(samples: Iterable[PlacedSample], sites: Collection[str], notes: Notes) -> None:
    """Note every sample that lies on none of the *sites*."""
    for path, sample in samples:
        if not same_site(sample.url, sites):
            hint = f'if it belongs to the crawl: hosts = ["{host_of(sample.url)}"]'
            notes.mistake((*path, "url"), f"the sample {sample.url} is outside {', '.join(sorted(sites))}; {hint}")


def check_enough(samples: Sequence[PlacedSample], selected: Collection[str], notes: Notes) -> None:
    """Warn where learning will work, but with less than it could have; *selected* are the fields with selectors."""
    if len(samples) == 1:
        advice = "what is common to two pages can't be seen on one; add another [[samples]]"
        notes.warning(samples[0][0], f"only one sample: {advice}")
    if selected:
        return
    if not any(sample.fields for _, sample in samples):
        notes.warning(("samples",), "no sample has fields: target pages are found and stored, but no records are made")
        return
    for path, sample in samples:
        if not sample.fields:
            what = "a sample without fields only says that this is a target page"
            notes.warning(path, f"{what}; add the values you see there")


def shape_of(value: FieldValue) -> ValueShape:
    """Name the shape of a field's value."""
    if isinstance(value, str):
        return ValueShape.TEXT
    return ValueShape.LIST if isinstance(value[0], str) else ValueShape.RECORDS


def value_fault(name: str, value: Any) -> str:
    """Return the fault of a sample's value; "" for none."""
    notes = Notes({})
    _check_value((), name, value, notes)
    return next((text for _, text in notes.mistakes), "")


def _read_sample_url(
    path: KeyPath, item: Mapping[str, Any], before: Iterable[PlacedSample], notes: Notes
) -> str | None:
    if "url" not in item:
        notes.mistake(path, "missing key 'url' in [[samples]]: the address of the sample page")
        return None
    path = (*path, "url")
    if not isinstance(item["url"], str):
        notes.mistake(path, f"'url' is {describe(item['url'])}; write it in quotes")
        return None
    url = read_url(path, item["url"], "url", notes)
    for _, other in before:
        if url == other.url:
            notes.mistake(path, f"the sample {url} is the same page as in line {other.line}; take another page")
    return url


def _read_fields(path: KeyPath, table: Any, types: Mapping[str, str], notes: Notes) -> dict[str, FieldValue]:
    if not isinstance(table, dict):
        hint = 'write fields = { title = "…" } or lines below [samples.fields]'
        notes.mistake(path, f"'fields' is {describe(table)}; {hint}")
        return {}
    fields: dict[str, FieldValue] = {}
    for name, value in table.items():
        check_field_name((*path, name), name, notes)
        noted = len(notes.mistakes)
        _check_value((*path, name), name, value, notes)
        if len(notes.mistakes) == noted:
            fields[name] = [value] if isinstance(value, str) and type_of(types.get(name, "")).is_list else value
    return fields


def check_field_name(path: KeyPath, name: str, notes: Notes) -> None:
    """Note a name that no field can have."""
    if not _FIELD_NAME.fullmatch(name):
        what = "letters, digits, '_', '-', and spaces inside; 64 at most"
        notes.mistake(path, f"{name!r} can't be a field's name ({what})")
    elif name.casefold() in STORED_ANYWAY:
        notes.mistake(path, f"the field name {name!r} is taken: every record has {name!r} of itself; choose another")


def _check_value(path: KeyPath, name: str, value: Any, notes: Notes) -> None:
    """Note what is wrong with a field's value: it has one of the three shapes, and no empty parts."""
    items = numbered(path, value)
    if isinstance(value, dict):
        notes.mistake(path, f"field {name!r} is a table; records inside a page are a list: {name} = [{{ … }}, …]")
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        if not all(isinstance(item, dict) for item in value):
            notes.mistake(path, f"field {name!r} mixes records with other values; make every item a record, or none")
            return
        for place, item in items or ():
            _check_record(place, item, name, notes)
    else:
        _check_texts(path, f"field {name!r}", value, notes)


def _check_record(path: KeyPath, record: Mapping[str, Any], name: str, notes: Notes) -> None:
    if not record:
        notes.mistake(path, f"a record of field {name!r} is empty; fill it in or remove it")
    for key, part in record.items():
        if not _FIELD_NAME.fullmatch(key):
            notes.mistake((*path, key), f"{key!r} can't be a name in a record of field {name!r}")
        _check_texts((*path, key), f"{key!r} of field {name!r}", part, notes)


def _check_texts(path: KeyPath, what: str, value: Any, notes: Notes) -> None:
    """Note what is wrong with a text, or with a list of texts."""
    items = numbered(path, value)
    if items is None:
        _check_text(path, what, value, notes)
    elif not items:
        notes.mistake(path, f"{what} is an empty list; leave it out where the page does not have it")
    for place, item in items or ():
        _check_text(place, f"an item of {what}", item, notes)


def _check_text(path: KeyPath, what: str, value: Any, notes: Notes) -> None:
    if isinstance(value, list | dict):
        notes.mistake(path, f"{what} is {describe(value)}; write one text in quotes, as it stands on the page")
    elif not isinstance(value, str):
        notes.mistake(path, f"{what} is {describe(value)}; write it in quotes as it stands on the page")
    elif not value.strip():
        notes.mistake(path, f"{what} is empty; leave it out where the page does not have it")


def _check_cases(items: Iterable[tuple[KeyPath, Mapping[str, Any]]], notes: Notes) -> None:
    first: dict[str, str] = {}
    for path, item in items:
        fields = item.get("fields")
        for name in fields if isinstance(fields, dict) else ():
            other = first.setdefault(name.casefold(), name)
            if other != name:
                text = f"fields {other!r} and {name!r} differ in case only; a database takes them for one"
                notes.mistake((*path, "fields", name), text)


def _check_shapes(samples: Iterable[PlacedSample], notes: Notes) -> None:
    first: dict[str, tuple[ValueShape, int | None]] = {}
    for path, sample in samples:
        for name, value in sample.fields.items():
            place = (*path, "fields", name)
            here = shape_of(value)
            shape, line = first.setdefault(name, (here, notes.line(place)))
            if shape != here:
                one_text = {shape, here} == {ValueShape.TEXT, ValueShape.LIST}
                hint = f', as a list if there can be several: {name} = ["…"]' if one_text else ""
                both = f"{here.words} here and {shape.words} in line {line}"
                notes.mistake(place, f"field {name!r} is {both}; write the same in both{hint}")


# --- The [fields] of a site file: how values are read that a person gives selectors for -------------------------------
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
        """Return the rule of one field; None if it has a mistake."""
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
        """Return a rule that gives a text, or a list of texts where one of the *items* says so."""
        ways, is_list = list[dict[str, str]](), False
        for path, item in items:
            ways += self._ways(path, item, where)
            many = item.get("many", False) if isinstance(item, dict) else False
            is_list |= many is True
            if not isinstance(many, bool):
                text = f"many in {where} is {describe(many)}; write true or false, without quotes"
                self._notes.mistake((*path, "many"), text)
        shape = ValueShape.LIST if is_list else ValueShape.TEXT
        return {"kind": SELECTED, "shape": shape.value, "ways": ways} if ways else None

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
        """Return the ways that a text (CSS) or a table stands for, in the order in which they are tried."""
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
        items = [(path, value)] if isinstance(value, str) else numbered(path, value)
        if not items:
            what = "empty" if items == [] else describe(value)
            self._notes.mistake(path, f"{kind} in {where} is {what}; write a text in quotes, or a list of them")
        for place, item in items or ():
            if not isinstance(item, str):
                self._notes.mistake(place, f"{kind} in {where} holds {describe(item)}; write it in quotes")
            elif (fault := selector_fault(kind, item)) is not None:
                self._notes.mistake(place, f"{kind} {item!r} in {where}{self._column(place, item, fault)} {fault.text}")
            else:
                yield item

    def _column(self, path: KeyPath, selector: str, fault: Fault) -> str:
        if fault.at is None:
            return ""
        line = self._notes.line(path)
        start = self._lines[line - 1].find(selector) if line and selector else -1  # -1: it is in another form there
        return f", column {start + fault.at + 1}," if start >= 0 else f", at its character {fault.at + 1},"
