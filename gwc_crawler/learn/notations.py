"""In which notation each typed column of a site is written: what the texts of its pages say.

In: the site file's types, and the fields of the samples and of further target pages. Out: the types with the notation
beside them where the texts decide it, or else the pages' language, and the evidence for the knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from gwc_crawler.field_types.table import in_notation, type_of, vote
from gwc_crawler.items import StoredPage


def decide_notations(
    types: Mapping[str, str], records: Sequence[Mapping[str, Any]], language: str = ""
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return *types* with the notations that the texts of *records* decide, and what they say of each type that has
    some: its `type` now, the `Vote`, and the *language* of the pages if that decided.

    >>> decide_notations({"kg": "number"}, [{"kg": "7.250"}, {"kg": "0.5"}])[0]
    {'kg': 'number(decimal=".")'}
    >>> decide_notations({"made": "date"}, [{"made": "03/04/2024"}], "en-GB")[0]
    {'made': 'date(order="dmy")'}
    """
    decided, evidence = dict(types), {}
    for name, written in types.items():
        if notations := type_of(written).notations:
            found = vote(_texts(name, records), notations)
            by_language = language and found.open and not found.chosen and notations.usual(language)
            if chosen := found.chosen or by_language:
                decided[name] = in_notation(written, chosen)
                found = replace(found, chosen=chosen)
            options = [in_notation(written, one) for one in notations.choices]
            evidence[name] = {"type": decided[name], **asdict(found), "options": options}
            if by_language:
                evidence[name]["language"] = language
    return decided, evidence


def is_undecided(evidence: Mapping[str, Any]) -> bool:
    """Say whether a type has texts of several readings, and none that decides."""
    return any(row["open"] and not row["chosen"] for row in evidence.values())


_LANGUAGE = re.compile(rb"""<html(?=\s)[^>]*?\slang\s*=\s*["']?([A-Za-z]{2,3}(?:[-_]\w+)*)""", re.IGNORECASE)
_HEAD_BYTES = 4_096


def language_of(pages: Iterable[StoredPage]) -> str:
    """Return the language that pages say they are in, as "de" or "en-GB"; "" where they say none, or several."""
    said = {match[1].decode() for page in pages if (match := _LANGUAGE.search(page.html[:_HEAD_BYTES]))}
    return said.pop() if len(said) == 1 else ""


def _texts(name: str, records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The texts of a field, or a "field.part", in all records: of a list each, of a list of records each one's."""
    owner, dot, part = name.partition(".")
    for record in records:
        for one in _listed(record.get(owner)):
            for text in _listed(one.get(part) if dot and isinstance(one, Mapping) else one):
                if isinstance(text, str):
                    yield text


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
