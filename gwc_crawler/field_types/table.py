"""The table of field types for `[types]` of a site file, `FIELD_TYPES`: words, conversion, columns, docs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from gwc_crawler.field_types.numbers import (
    MAX_CHARS,
    NotOfType,
    ValueContext,
    number_decimals,
    to_number,
    usual_decimal,
)
from gwc_crawler.field_types.prices import price_decimals, to_price
from gwc_crawler.urls import join_url


# --- The notation of a column: `7.250` is 7250 in one column and 7.25 in another, and its other texts tell. Which is
# right is said in a site file, `number(decimal=".")`, or decided by `vote` when the site is learned -----------------
@dataclass(frozen=True, slots=True)
class Notations:
    """The ways in which texts of a type may be written.

    Attributes:
        allowed: the ways in which a text can be read; none if all mean the same, or it is not of the type.
        usual: the way of a language ("de", "en-GB"); "" if the language does not tell.
    """

    option: str  # the word in a site file: "decimal"
    choices: tuple[str, ...]  # ".", ","
    allowed: Callable[[str], frozenset[str]]
    usual: Callable[[str], str] = lambda language: ""


@dataclass(frozen=True, slots=True)
class Vote:
    """The evidence of a column's texts: the `chosen` way, "" if none has most votes; the votes for each; the number of
    texts that allow several ways (`open`), and one of them (`example`, "" for none)."""

    chosen: str
    votes: dict[str, int]
    open: int
    example: str


def vote(texts: Iterable[str], notations: Notations) -> Vote:
    """Let the texts of a column decide in which way it is written; a text that allows every way has no vote.

    >>> kinds = Notations("decimal", (".", ","), lambda text: frozenset(".,") - set(text[-2:-1]))
    >>> vote(["1.5", "7.250", "2,5", "3.5"], kinds)
    Vote(chosen=',', votes={'.': 1, ',': 2}, open=1, example='7.250')
    """
    ways = [(text, notations.allowed(text)) for text in texts]
    votes = Counter(dict.fromkeys(notations.choices, 0))
    for _, allowed in ways:
        if len(allowed) < len(notations.choices):
            votes.update(allowed)
    (first, most), (_, second) = votes.most_common(2)
    doubtful = [text for text, allowed in ways if len(allowed) > 1]
    return Vote(first if most > second else "", dict(votes), len(doubtful), next(iter(doubtful), ""))


RAW, CURRENCY = "_raw", "_currency"
"""Suffixes of a field's name for the text that a typed value was read from, and for a price's currency."""

FILE = "_file"  # the same for where a file lies that the value leads to


@dataclass(frozen=True, slots=True)
class FieldType:
    """One type of fields.

    Attributes:
        read: converts one text; raises `NotOfType`. If there are `notations`, it takes one by that name.
        parts: if `read` gives a dict: suffix of the field's name ("" for the field itself) → key.
        notations: the ways its texts may be written, one for each column; None: there is only one.
    """

    read: Callable[..., Any]
    about: str  # its line in the documentation, behind its name
    example: str  # a text, which the documentation shows with its value
    parts: Mapping[str, str] = field(default_factory=dict)
    keeps_raw: bool = False  # the text stands beside the value
    is_number: bool = False  # its column holds numbers
    is_date: bool = False  # its column holds dates
    is_list: bool = False  # one text gives a list, and a list is taken unchanged
    is_html: bool = False  # the value is read with its tags
    is_file: bool = False  # the value is the URL of a file that is fetched and kept
    notations: Notations | None = None

    def companions(self, name: str) -> tuple[str, ...]:
        """Return the names of the further columns of a field of this type.

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


def _to_date(text: str, context: ValueContext, notation: str = "") -> str:
    from gwc_crawler.field_types.dates import to_date  # its many patterns take 50 ms to compile

    return to_date(text, context, notation)


def _date_orders(text: str) -> frozenset[str]:
    from gwc_crawler.field_types.dates import date_orders

    return date_orders(text)


def _usual_order(language: str) -> str:
    from gwc_crawler.field_types.date_words import usual_order

    return usual_order(language)


UNTYPED = FieldType(_to_html, "as it is on the page", "a  b")  # the type of fields without a type

FIELD_TYPES: dict[str, FieldType] = {
    "text": FieldType(_to_text, "white space folded", " a\n b "),
    "number": FieldType(
        to_number,
        "the text's first number, whole or not: `1,234`, `1.234,5`, `1’234.5`, `1½`, `٣٫٥`, `1.2万`, `1.2k`, `1e3`, "
        "`三百二十`; of `3-5` and `4/5` the first",
        "1.2万 sold",
        keeps_raw=True,
        is_number=True,
        notations=Notations("decimal", (".", ","), number_decimals, usual_decimal),
    ),
    "price": FieldType(
        to_price,
        "the amount beside the currency (`2 for $5`, `35€99`, `12万5000元`, `was $30 now $20`), of a range the lower "
        "end; the currency in a field of its own: a code if the sign means only one, else the sign",
        "$ 11.48",
        {"": "amount", CURRENCY: "currency"},
        keeps_raw=True,
        is_number=True,
        notations=Notations("decimal", (".", ","), price_decimals, usual_decimal),
    ),
    "date": FieldType(
        _to_date,
        "ISO 8601, as exact as the text; `8小时前` and `yesterday` count from the time of the fetch. `12.04.2024` is "
        'in April; for `03/04/2024` the column\'s other values decide, or `date(order="dmy")` (mdy, ymd)',
        "12 June 2010",
        keeps_raw=True,
        is_date=True,
        notations=Notations("order", ("dmy", "mdy", "ymd"), _date_orders, _usual_order),
    ),
    "url": FieldType(_to_url, "absolute and normalised", "/img/1.jpg#top", keeps_raw=True),
    "file": FieldType(
        _to_file,
        "as `url`; the file there is fetched and kept, with its path in a field beside it (empty until then)",
        "/img/1.jpg",
        {"": "url", FILE: "path"},
        keeps_raw=True,
        is_file=True,
    ),
    "list": FieldType(_to_list, "one text is cut at commas, semicolons and line breaks", "a, b、c", is_list=True),
    "html": FieldType(_to_html, "the HTML of the element that the value stands in", "<b>a</b> b", is_html=True),
}
"""Name → type: the words for a site file's [types]."""


class NoSuchType(ValueError):
    """A text is no type: the `word` is a `what` ("unknown option"); `known` are the valid ones."""

    def __init__(self, what: str, word: str, known: Collection[str]) -> None:
        self.what, self.word, self.known = what, word, tuple(known)
        super().__init__(f"{what} {word!r}")


def type_of(written: str) -> FieldType:
    """Return the type by `checked_type`; `UNTYPED` for ""."""
    return checked_type(written) if written else UNTYPED


def in_notation(name: str, notation: str) -> str:
    """Write a type with the notation of its texts, as `type_of` reads it.

    >>> in_notation("price", ",")
    'price(decimal=",")'
    """
    kind = FIELD_TYPES[name]
    assert kind.notations is not None
    return f'{name}({kind.notations.option}="{notation}")'


_WITH_OPTION = re.compile(r"""\s*(\w+)\s*\(\s*(\w+)\s*=\s*(["']?)(.*?)\3\s*\)\s*""")


@lru_cache(maxsize=256)
def checked_type(written: str) -> FieldType:
    """Return the type of a name in `FIELD_TYPES`, or of one with its notation, `number(decimal=".")`; NoSuchType."""
    if written in FIELD_TYPES:
        return FIELD_TYPES[written]
    parts = _WITH_OPTION.fullmatch(written)
    name, option, notation = parts.group(1, 2, 4) if parts else (written, "", "")
    if name not in FIELD_TYPES:
        raise NoSuchType("unknown type", name, FIELD_TYPES)
    kind = FIELD_TYPES[name]
    known = kind.notations
    if known is None or option != known.option:
        raise NoSuchType("unknown option", option, [known.option] if known else [])
    if notation not in known.choices:
        raise NoSuchType(f"unknown {option}", notation, known.choices)
    return replace(kind, read=partial(kind.read, notation=notation), notations=None)
