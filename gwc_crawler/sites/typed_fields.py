"""[types] and [paging] of a site file: what is said of fields besides their values. Called by `validation`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gwc_crawler.field_types import NoSuchType, checked_type, type_of
from gwc_crawler.items import ValueShape
from gwc_crawler.sites.keys import take_table
from gwc_crawler.sites.notes import Notes, describe, suggest
from gwc_crawler.sites.samples import PlacedSample, shape_of, written_fields
from gwc_crawler.sites.toml_text import KeyPath


def read_types(data: Mapping[str, Any], notes: Notes) -> dict[str, str]:
    """Read [types]: field, or "field.part", → type name."""
    types = {}
    for path, name, value in _flattened(take_table(data, "types", notes)):
        if not isinstance(value, str):
            notes.mistake(path, f'the type of field {name!r} is {describe(value)}; write {name} = "text"')
            continue
        try:
            checked_type(value)
            types[name] = value
        except NoSuchType as error:
            meant = suggest(error.word, error.known) or f"known: {', '.join(error.known) or 'none'}"
            notes.mistake(path, f"{error} of field {name!r} ({meant})")
    return types


def _flattened(table: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str, Any]]:
    """Each type with its key path: `reviews.date = …` is a table in TOML and means what `"reviews.date" = …` says."""
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from ((("types", name, part), f"{name}.{part}", one) for part, one in value.items())
        else:
            yield ("types", name), name, value


def check_types(
    data: Mapping[str, Any], types: Mapping[str, str], samples: Sequence[PlacedSample], notes: Notes
) -> None:
    """Note types of fields and parts that no sample has, and names that a type needs for itself."""
    shapes = _shapes(samples)
    written = written_fields(data)
    for name, kind in types.items():
        path = _path_of(data, name)
        owner, dot, part = name.partition(".")
        if owner not in written:
            hint = suggest(owner, written) or "give its value in a sample, or remove this line"
            notes.mistake(path, f"no sample has the field {owner!r} ({hint})")
        elif owner in shapes:
            _check_part(path, owner, part if dot else None, kind, shapes[owner], samples, notes)
    for name, kind in types.items():
        if "." not in name:
            for taken in type_of(kind).companions(name):
                if any(taken.casefold() == other.casefold() for other in written):
                    what = f"{name!r} of type {kind!r} has {taken!r} beside it"
                    notes.mistake(_path_of(data, name), f"{what}, which is a field's name already; rename that field")


def _check_part(
    path: KeyPath,
    owner: str,
    part: str | None,
    kind: str,
    shape: ValueShape,
    samples: Sequence[PlacedSample],
    notes: Notes,
) -> None:
    parts = _parts(owner, samples)
    if part is None and shape is ValueShape.RECORDS:
        name = next(iter(parts), "part")
        hint = f'write "{owner}.{name}" = "{kind}" for a part of it, or remove it'
        notes.mistake(path, f"{owner!r} is a list of records, which can't be of type {kind!r}; {hint}")
    elif part is not None and shape is not ValueShape.RECORDS:
        notes.mistake(path, f'{owner!r} is {shape.words} and has no parts; write {owner} = "{kind}"')
    elif part is not None and part not in parts:
        hint = suggest(part, parts) or f"its parts: {', '.join(parts)}"
        notes.mistake(path, f"no record of {owner!r} has the part {part!r} ({hint})")
    elif part is not None:
        for taken in type_of(kind).companions(part):
            if taken in parts:
                notes.mistake(
                    path, f"{part!r} of type {kind!r} has {taken!r} beside it, which is a part's name already"
                )


def read_paging(data: Mapping[str, Any], samples: Sequence[PlacedSample], notes: Notes) -> dict[str, str]:
    """Read [paging]: list field → the regex of its further pages' URLs, "" where that is to be learned."""
    shapes = _shapes(samples)
    written = written_fields(data)
    paging = {}
    for name, value in take_table(data, "paging", notes).items():
        path = ("paging", name)
        if name not in written:
            hint = suggest(name, written) or "give its value in a sample, or remove this line"
            notes.mistake(path, f"no sample has the field {name!r} ({hint})")
        elif shapes.get(name) is ValueShape.TEXT:
            notes.mistake(path, f"{name!r} is a text; only a list goes on on further pages")
        elif value is True:
            paging[name] = ""
        elif value is not False and (regex := _read_regex(path, name, value, notes)):
            paging[name] = regex
    return paging


def _read_regex(path: KeyPath, name: str, value: Any, notes: Notes) -> str:
    if not isinstance(value, str) or not value:
        hint = "write true, or a regex for the whole URL of the further pages"
        notes.mistake(path, f"{name} in [paging] is {describe(value)}; {hint}")
        return ""
    try:
        re.compile(value)
    except re.error as error:
        notes.mistake(path, f"{name} {value!r} in [paging] is no regular expression ({error})")
        return ""
    return value


def _shapes(samples: Sequence[PlacedSample]) -> dict[str, ValueShape]:
    return {name: shape_of(value) for _, sample in samples for name, value in sample.fields.items()}


def _parts(owner: str, samples: Sequence[PlacedSample]) -> list[str]:
    """The parts that the records of a field have in any sample."""
    records = [record for _, sample in samples for record in sample.fields.get(owner, ()) if isinstance(record, dict)]
    return list(dict.fromkeys(part for record in records for part in record))


def _path_of(data: Mapping[str, Any], name: str) -> KeyPath:
    """Where the type of a field stands: as "field.part", or as a table of its own."""
    owner, _, part = name.partition(".")
    return ("types", name) if name in data["types"] or not part else ("types", owner, part)
