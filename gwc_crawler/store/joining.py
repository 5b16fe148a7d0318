"""What of a record comes with other pages: lists that go over several, and the places of files that its fields name.

Pure, and the same for every store: `sqlite` and `mssql` keep the parts and the files in tables of their own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from gwc_crawler.field_types import FILE, RAW
from gwc_crawler.items import Record


def parts_of(record: Record, paged: Mapping[str, Sequence[str]]) -> list[tuple[str, list[list[Any]]]]:
    """Return field and rows of each paged list that a record's page shows; a row has a value for each of its columns.

    Args:
        paged: list field → the fields that make up its rows: itself, and what stands beside a typed one.
    """
    found = []
    for name, group in paged.items():
        columns = [record.fields.get(one) for one in group]
        lists = [column for column in columns if isinstance(column, list)]
        if len(lists) == len(columns):
            found.append((name, [list(row) for row in zip(*lists, strict=True)]))
    return found


def merge_parts(parts: Sequence[tuple[int | None, Sequence[Sequence[Any]]]], *, typed: bool = False) -> list[list[Any]]:
    """Put the rows of several pages together in the order of the pages' numbers.

    A part without a number takes the first, from 1 on, that no other has. Pages overlap where items were added between
    two fetches, or where a page is shown under two URLs; an item that another page has shown is not repeated, one that
    stands twice on one page is.

    Args:
        typed: the last column of a row is the text on the page, and tells by itself what is the same.

    >>> merge_parts([(None, [["a"], ["b"]]), (3, [["e"], ["e"]]), (2, [["b"], ["c"]])])
    [['a'], ['b'], ['c'], ['e'], ['e']]
    """
    taken = {number for number, _ in parts}
    free = next(number for number in count(1) if number not in taken)
    ordered = sorted(parts, key=lambda part: free if part[0] is None else part[0])
    shown: Counter[str] = Counter()
    merged = []
    for _, rows in ordered:
        here: Counter[str] = Counter()
        for row in rows:
            key = _identity(row[-1] if typed else row[0])
            here[key] += 1
            if here[key] > shown[key]:
                shown[key] += 1
                merged.append(list(row))
    return merged


def _identity(value: Any) -> str:
    """What makes two items the same: the texts on the page, not the values that were told from them and the time."""
    if isinstance(value, dict):
        value = {key: part for key, part in value.items() if key + RAW not in value}
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def filled(fields: Mapping[str, Any], named: Sequence[str], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return what belongs into which fields of a record: beside each URL where its file lies.

    Args:
        named: the fields, and "field.part"s, of type file.
        paths: URL → place of its file, of what is kept.

    >>> filled({"cover": "http://x/1", "more": [{"photo": "http://x/2"}]}, ["cover", "more.photo"], {"http://x/1": "1"})
    {'cover_file': '1', 'more': [{'photo': 'http://x/2', 'photo_file': None}]}
    """
    found: dict[str, Any] = {}
    for name in named:
        owner, _, part = name.partition(".")
        value = fields[owner]
        if not part:
            found[owner + FILE] = _paths_of(value, paths)
        elif isinstance(value, list):
            found[owner] = [
                {**one, part + FILE: _paths_of(one[part], paths)} if isinstance(one, dict) and part in one else one
                for one in found.get(owner, value)
            ]
    return found


def _paths_of(value: Any, paths: Mapping[str, str]) -> Any:
    """Return the path for a URL, paths for a list of them; None for what is not kept."""
    return [_paths_of(one, paths) for one in value] if isinstance(value, list) else paths.get(value)


def as_field(value: Any) -> Any:
    """Return a column's value as it was: lists stand there as JSON, and no URL begins like one."""
    return json.loads(value) if isinstance(value, str) and value.startswith("[") else value
