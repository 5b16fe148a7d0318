"""How well a learned wrapper reads target pages that it has not seen, and in which notation their columns are written.

In: a wrapper and unseen pages. Out: the values read there, and per field the figures for the report, ready for JSON.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from gwc_crawler.extract.fields import convert_fields
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.field_types.numbers import ValueContext
from gwc_crawler.field_types.table import in_notation, type_of, vote
from gwc_crawler.items import StoredPage, Typed, is_empty
from gwc_crawler.learn.degrees import A_HANDFUL
from gwc_crawler.learn.targets.decisions import SHOWN
from gwc_crawler.page.json_page import is_json


def read_unseen(wrapper: Wrapper, unseen: Sequence[StoredPage], types: Mapping[str, str]) -> list[dict[str, Any]]:
    """Extract from each of *unseen*; no value is typed yet."""
    reader = wrapper.with_html(types)
    return [reader.extract(page.html.decode(page.charset or "utf-8", errors="replace"), page.url) for page in unseen]


def judge_fields(
    wrapper: Wrapper, unseen: Sequence[StoredPage], found: Sequence[Mapping[str, Any]], types: Mapping[str, str]
) -> dict[str, Any]:
    """Report per field the values *found* on *unseen*: five of them (typed), coverage, distinct values, warnings; for
    JSON pages also the source that reads the field."""
    rows, mistyped = [], Counter[str]()
    for page, fields in zip(unseen, found, strict=True):
        typed = convert_fields(fields, types, ValueContext(page.url, page.fetched_at))
        mistyped.update({problem.field for problem in typed.problems})
        rows.append((page.url, typed.values))
    judged = {name: _judge(name, rows, _agreement(wrapper.report, name)) for name in wrapper.fields}
    for page in (one for one in unseen[:SHOWN] if is_json(one.content_type)):
        for name, source in wrapper.sources(PageView.parse(page.html, page.url)).items():
            judged[name].setdefault("read_by", source)
    for name, count in mistyped.items():
        what = f"no {types[name].partition('(')[0]} on {count} of {len(rows)} pages"
        judged[name.partition(".")[0]]["warnings"].append(f"{name}: {what}" if "." in name else what)
    return judged


def _judge(name: str, rows: Sequence[tuple[str, Mapping[str, Typed]]], agreement: float | None) -> dict[str, Any]:
    values = [(url, fields.get(name)) for url, fields in rows]
    present = [value for _, value in values if not is_empty(value)]
    distinct = len({json.dumps(value, ensure_ascii=False, sort_keys=True) for value in present})
    warnings = []
    if len(present) >= A_HANDFUL and distinct == 1:
        warnings.append("constant on all pages: boilerplate?")
    if rows and not present:
        warnings.append("found on none of the unseen pages")
    return {
        "values": [{"url": url, "value": value} for url, value in values[:SHOWN]],
        "unseen_pages": len(rows),
        "coverage": round(len(present) / len(rows), 3) if rows else None,
        "distinct": distinct,
        "agreement": agreement,
        "warnings": warnings,
    }


def _agreement(report: Mapping[str, Any], name: str) -> float | None:
    """Return the share to which the candidates for a field agree, if the wrapper keeps that figure."""
    row = report.get(name)
    value = row.get("agreement") if isinstance(row, Mapping) else None
    return round(float(value), 3) if isinstance(value, int | float) else None


# --- The notation of each typed column of a site, decided by the texts of its pages -----------------------------------


def decide_notations(
    types: Mapping[str, str], records: Sequence[Mapping[str, Any]], language: str = ""
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return *types* with the notations that the texts of *records* decide, and the evidence for each type that has
    notations: its `type` now, the `Vote`, and the *language* of the pages if that decided.

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
    """Return the language that pages declare, as "de" or "en-GB"; "" if they declare none, or several."""
    said = {match[1].decode() for page in pages if (match := _LANGUAGE.search(page.html[:_HEAD_BYTES]))}
    return said.pop() if len(said) == 1 else ""


def _texts(name: str, records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the texts of a field, or a "field.part", in all records: of a list each item, of records each one's."""
    owner, dot, part = name.partition(".")
    for record in records:
        for one in _listed(record.get(owner)):
            for text in _listed(one.get(part) if dot and isinstance(one, Mapping) else one):
                if isinstance(text, str):
                    yield text


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
