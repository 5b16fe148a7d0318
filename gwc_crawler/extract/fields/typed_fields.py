"""A record's fields as the site file wants them typed: `[types] price = "price"`.

In: extracted fields and the site's types. Out: the record as it is stored, with typed values, beside them the texts
they were read from (`price_raw`), and a problem for each text that is not of its type: its value is None then. Called
by `extract_record` where a field has a type, and by learning for its report.

A list is converted value by value, and what stands beside it are lists as long. A type for a part of records is written
`"reviews.date" = "date"`; what belongs to it stands beside the part, in the record: `date`, `date_raw`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gwc_crawler.field_types import MAX_CHARS, RAW, FieldType, NotOfType, ValueContext, type_of
from gwc_crawler.items import FieldProblem


@dataclass(frozen=True, slots=True)
class TypedFields:
    """All fields, typed where asked for, with what stands beside them; and what is not of its type."""

    values: dict[str, Any]
    problems: tuple[FieldProblem, ...] = ()


def convert_fields(fields: Mapping[str, Any], types: Mapping[str, str], context: ValueContext) -> TypedFields:
    """Convert a record's fields by *types* (field or "field.part" → type name); absent values stay absent.

    >>> convert_fields({"price": "$ 11.48"}, {"price": "price"}, ValueContext()).values
    {'price': 11.48, 'price_currency': '$', 'price_raw': '$ 11.48'}
    """
    parts: dict[str, dict[str, str]] = {}
    for name, type_name in types.items():
        owner, dot, part = name.partition(".")
        if dot:
            parts.setdefault(owner, {})[part] = type_name
    values: dict[str, Any] = {}
    problems: list[FieldProblem] = []
    for name, value in fields.items():
        if name in parts and isinstance(value, list):
            records = [_convert_parts(name, record, parts[name], context) for record in value]
            values[name] = [record for record, _ in records]
            problems += [problem for _, found in records for problem in found]
            continue
        beside, found = _convert_one(name, name, value, types.get(name, ""), context)
        values |= beside
        problems += found
    return TypedFields(values, tuple(problems))


def _convert_parts(
    owner: str, record: Any, types: Mapping[str, str], context: ValueContext
) -> tuple[Any, list[FieldProblem]]:
    """Convert the parts of one record of a list; a part it does not have is left out."""
    if not isinstance(record, dict):
        return record, []
    typed: dict[str, Any] = {}
    problems: list[FieldProblem] = []
    for part, value in record.items():
        beside, found = _convert_one(part, f"{owner}.{part}", value, types.get(part, ""), context)
        typed |= beside
        problems += found
    return typed, problems


def _convert_one(
    name: str, problem_name: str, value: Any, type_name: str, context: ValueContext
) -> tuple[dict[str, Any], list[FieldProblem]]:
    """Return a value under its name with what stands beside it, and what is not of its type."""
    kind = type_of(type_name)
    beside = kind.companions(name)
    if not type_name or (value is None and not beside):
        return {name: value}, []
    if value is None:
        return dict.fromkeys((name, *beside)), []
    texts = value if isinstance(value, list) else [value]
    if kind.is_list:
        return {name: value if isinstance(value, list) else kind.read(str(value), context)}, []
    problems: list[FieldProblem] = []
    typed = [_convert_text(text, kind, context, problem_name, problems) for text in texts]
    columns = {name + tail: [one and one[key] for one in typed] for tail, key in kind.parts.items()} or {name: typed}
    if kind.keeps_raw:
        columns[name + RAW] = texts
    return columns if isinstance(value, list) else {key: column[0] for key, column in columns.items()}, problems


def _convert_text(text: Any, kind: FieldType, context: ValueContext, name: str, problems: list[FieldProblem]) -> Any:
    """Return the converted text; None, and a problem, where it is not of the type."""
    try:
        return kind.read(str(text), context)
    except NotOfType as error:
        problems.append(FieldProblem(name, str(error), str(text)[:MAX_CHARS]))
        return None
