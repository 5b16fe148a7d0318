"""What `[types]` can say of a field: the one table of types, `FIELD_TYPES`, and how each reads a text.

A type is an entry of that table: what a site file may say, how a text is converted, which columns a record has for it,
and its line in docs/field-types.md follow from it. `extract.fields` converts records by it, the store makes columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gwc_crawler.field_types.context import MAX_CHARS, NotOfType, ValueContext
from gwc_crawler.field_types.dates import to_date
from gwc_crawler.field_types.numbers import to_number, to_price
from gwc_crawler.urls import join_url

RAW, CURRENCY = "_raw", "_currency"
"""What is put behind a field's name for the text that a typed value was read from, and for a price's currency."""

FILE = "_file"
"""The same for where a file lies that the value leads to."""


@dataclass(frozen=True, slots=True)
class FieldType:
    """One type of fields.

    Attributes:
        read: converts one text; raises `NotOfType`.
        about: its line in the documentation, behind its name.
        example: a text, which the documentation shows with what becomes of it.
        parts: where `read` gives a dict: what is put behind the field's name ("" for the field itself) → key.
        keeps_raw: the text stands beside the value.
        is_number: its column holds numbers; is_date: dates.
        is_list: one text gives a list, and a list is taken as it is.
        is_html: the value is read with its tags.
        is_file: the value is the URL of a file that is fetched and kept.
    """

    read: Callable[[str, ValueContext], Any]
    about: str
    example: str
    parts: Mapping[str, str] = field(default_factory=dict)
    keeps_raw: bool = False
    is_number: bool = False
    is_date: bool = False
    is_list: bool = False
    is_html: bool = False
    is_file: bool = False

    def companions(self, name: str) -> tuple[str, ...]:
        """Return the names of what a record has beside a field of this type.

        >>> FIELD_TYPES["price"].companions("cost"), FIELD_TYPES["date"].companions("born"), UNTYPED.companions("title")
        (('cost_currency', 'cost_raw'), ('born_raw',), ())
        """
        return (*(name + tail for tail in self.parts if tail), *([name + RAW] if self.keeps_raw else []))


def _to_text(text: str, context: ValueContext) -> str:
    return " ".join(text.split())


def _to_html(text: str, context: ValueContext) -> str:
    return text


def _to_list(text: str, context: ValueContext) -> list[str]:
    return [part for part in (" ".join(one.split()) for one in re.split(r"[,，、;；\n]", text)) if part]


def _to_url(text: str, context: ValueContext) -> str:
    href = text.strip()
    url = join_url(context.url, href) if href else None
    if url is None:
        raise NotOfType(f"not an http(s) URL: {href[:MAX_CHARS]!r}")
    return url


def _to_file(text: str, context: ValueContext) -> dict[str, str | None]:
    return {"url": _to_url(text, context), "path": None}


UNTYPED = FieldType(_to_html, "as it is on the page", "a  b")
"""Of fields of which nothing is said."""

FIELD_TYPES: dict[str, FieldType] = {
    "text": FieldType(_to_text, "white space folded", " a\n b "),
    "number": FieldType(
        to_number,
        "the text's first number, whole or not: `1,234`, `1.234,5`, `２３`, `1.2万`, `1.2k`, `三百二十`",
        "1.2万 sold",
        keeps_raw=True,
        is_number=True,
    ),
    "price": FieldType(
        to_price,
        "the amount, and beside it the currency: a code where the sign means one only, else the sign",
        "$ 11.48",
        {"": "amount", CURRENCY: "currency"},
        keeps_raw=True,
        is_number=True,
    ),
    "date": FieldType(
        to_date,
        "ISO 8601, as exact as the text; `8小时前` and `yesterday` are told from the time of the fetch",
        "12 June 2010",
        keeps_raw=True,
        is_date=True,
    ),
    "url": FieldType(_to_url, "absolute and normalised", "/img/1.jpg#top", keeps_raw=True),
    "file": FieldType(
        _to_file,
        "as `url`; what lies there is fetched and kept, and beside it stands where (empty until then)",
        "/img/1.jpg",
        {"": "url", FILE: "path"},
        keeps_raw=True,
        is_file=True,
    ),
    "list": FieldType(_to_list, "one text is cut at commas, semicolons and line breaks", "a, b、c", is_list=True),
    "html": FieldType(_to_html, "the HTML of the element that the value stands in", "<b>a</b> b", is_html=True),
}
"""Name → type: what a site file's [types] may say."""


def type_of(name: str) -> FieldType:
    """Return the type of a name in `FIELD_TYPES`; "" is `UNTYPED`."""
    return FIELD_TYPES[name] if name else UNTYPED
