"""What `[types]` can say of a field: the one table of types, `FIELD_TYPES`, and how each reads a text.

A type is an entry of that table: what a site file may say, how a text is converted, which columns a record has for it,
and its line in docs/field-types.md follow from it. `extract.fields` converts records by it, the store makes columns.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gwc_crawler.urls import join_url

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

RAW, CURRENCY = "_raw", "_currency"
"""What is put behind a field's name for the text that a typed value was read from, and for a price's currency."""

FILE = "_file"
"""The same for where a file lies that the value leads to."""

LANGUAGES = ("en", "zh", "zh-Hant", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ja", "ko")
"""The languages dates are read in, the likeliest first. An ambiguous 03/04/2010 is read as English: March 4."""

MAX_CHARS = 200
"""Longer texts are no number, price or date."""


class NotOfType(ValueError):
    """The text can't be read as the type; the message is the reason, for the exceptions table."""


@dataclass(frozen=True, slots=True)
class ValueContext:
    """What a value's meaning may depend on: the page's URL and when it was fetched (seconds since the epoch)."""

    url: str = ""
    fetched_at: float | None = None


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


_AMOUNT = r"\d(?:[\d.,' ]*\d)?"
_YEAR = r"(?:1[0-9]|20)\d\d"


def _narrow(text: str) -> str:
    """Fold full-width signs and white space: ￥１２ → ¥12."""
    return " ".join(unicodedata.normalize("NFKC", text[: 10 * MAX_CHARS]).split())


# ---------------------------------------------------------------------------- text, list, html, url


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


# ---------------------------------------------------------------------------- number and price

_NUMBER = re.compile(rf"(?P<sign>[-+−]?)(?P<digits>{_AMOUNT}|\.\d+)\s?(?P<unit>[千万億亿]{{1,2}}|[kKM]\b)?")
_UNITS = {"千": 1000, "k": 1000, "K": 1000, "万": 10_000, "M": 1_000_000, "亿": 100_000_000, "億": 100_000_000}
_CHINESE_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}
_CHINESE_NUMBER = re.compile(r"[零〇○一二两三四五六七八九十百千万亿]+")


def _to_number(text: str, context: ValueContext) -> int | float:
    narrow = _short(text, "number")
    if match := _NUMBER.search(narrow):
        return _plain(_amount(match))
    if match := _CHINESE_NUMBER.search(narrow):
        return chinese_number(match.group())
    raise NotOfType(f"no number in {narrow!r}")


def _short(text: str, what: str) -> str:
    narrow = _narrow(text)
    if not narrow or len(narrow) > MAX_CHARS:
        raise NotOfType(f"no {what}: {'empty' if not narrow else f'{len(narrow)} characters long'}")
    return narrow


def _amount(match: re.Match[str]) -> Decimal:
    from price_parser.parser import parse_number

    amount = parse_number(match["digits"].replace("'", "").replace(" ", "")) or Decimal(0)
    for sign in match["unit"] or "":
        amount *= _UNITS[sign]
    before = match.string[: match.start()]
    negative = match["sign"] in ("-", "−") and not before[-1:].isalnum()  # "A-5" is no minus
    return -amount if negative and match["sign"] else amount


def _plain(amount: Decimal) -> int | float:
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def chinese_number(signs: str) -> int:
    """Read a whole number in Chinese numerals; a row of digits is read digit by digit.

    >>> chinese_number("三百二十"), chinese_number("二〇一〇"), chinese_number("一万零五"), chinese_number("十二")
    (320, 2010, 10005, 12)
    """
    if all(sign in _CHINESE_DIGITS for sign in signs):
        return int("".join(str(_CHINESE_DIGITS[sign]) for sign in signs))
    total = section = digit = 0
    for sign in signs:
        if sign in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[sign]
        elif sign in _CHINESE_UNITS:
            section += (digit or 1) * _CHINESE_UNITS[sign]
            digit = 0
        else:
            total = (total + section + digit or 1) * _UNITS[sign]
            section = digit = 0
    return total + section + digit


_CURRENCY_CODES = {"元": "CNY", "人民币": "CNY", "RMB": "CNY", "CN¥": "CNY", "€": "EUR", "£": "GBP"}
"""Signs that mean one currency only; "$" and "¥" do not, and stay as they are."""


def _to_price(text: str, context: ValueContext) -> dict[str, Any]:
    from price_parser import Price

    narrow = _short(text, "price")
    match = _NUMBER.search(narrow)
    if match is None:
        raise NotOfType(f"no amount in {narrow!r}")
    currency = Price.fromstring(narrow).currency
    if currency in (None, "¥") and re.search("元|人民币|RMB", narrow):
        currency = "CNY"
    return {"amount": _plain(_amount(match)), "currency": _CURRENCY_CODES.get(currency or "", currency)}


# ---------------------------------------------------------------------------- date

_HAS_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\d)|(?<!\d)\d\d?[-/.]\d\d?[-/.]\d\d(?!\d)")
_YEAR_ONLY = re.compile(rf"({_YEAR}) ?年?$")
_AGO = re.compile(
    r"(\d+|[一二两三四五六七八九十]+|an?|半) ?(?:个)?"
    r"(秒钟?|分钟|小时|天|周|星期|月|年|seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?) ?(?:之?前|ago)",
    re.I,
)
_RELATIVE = re.compile(
    r"前|昨|今天|今日|刚刚|ago|yesterday|today|just now|\bnow\b"
    r"|gestern|heute|\bvor\b|hier|il y a|ayer|hace|вчера|назад",
    re.I,
)
_SPAN_SECONDS = {"秒": 1, "s": 1, "分": 60, "mi": 60, "小": 3600, "h": 3600}
_ROC_YEAR = re.compile(r"民[国國] ?(\d+|元) ?年")
_CHINESE_DATE = re.compile(r"[零〇○一二三四五六七八九十]+(?= ?[年月日号號])")


def _to_date(text: str, context: ValueContext) -> str:
    narrow = _with_arabic_digits(_short(text, "date"))
    if match := _YEAR_ONLY.match(narrow):
        return match[1]
    if exact := _exact_instant(narrow, context):
        return exact
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dateparser leans on deprecated parts of the standard library
        found = _read_date(narrow, context)
    if found is None:
        raise NotOfType(f"no date in {narrow!r}")
    return found


def _with_arabic_digits(text: str) -> str:
    text = _CHINESE_DATE.sub(lambda match: str(chinese_number(match.group())), text)
    return _ROC_YEAR.sub(lambda match: f"{1911 + (1 if match[1] == '元' else int(match[1]))}年", text)


def _exact_instant(text: str, context: ValueContext) -> str | None:
    """Return the instant of "8小时前" and "5 minutes ago" in UTC; None for coarser spans and other texts."""
    just_now = re.fullmatch(r"刚刚|刚才|just now|now", text, re.I)
    match = _AGO.search(text)
    unit = (match[2][:2].lower() if match else "") or "s"
    seconds = _SPAN_SECONDS.get(unit) or _SPAN_SECONDS.get(unit[0])
    if unit == "mo" or not (just_now or (match and seconds)):
        return None
    span = 0.0 if just_now or match is None or seconds is None else _count(match[1]) * seconds
    return (_base(text, context) - timedelta(seconds=span)).replace(microsecond=0).isoformat()


def _count(text: str) -> float:
    if text.isdigit():
        return min(int(text), 10**6)
    return 0.5 if text == "半" else 1.0 if text.lower() in ("a", "an") else float(chinese_number(text))


def _base(text: str, context: ValueContext) -> datetime:
    if context.fetched_at is None:
        raise NotOfType(f"{text!r} is relative, and when the page was fetched is not known")
    return datetime.fromtimestamp(context.fetched_at, UTC)


def _read_date(text: str, context: ValueContext) -> str | None:
    """Ask dateparser; without a year in the text the latest such day before the fetch is meant."""
    has_year = _HAS_YEAR.search(text) is not None
    base = datetime(2000, 1, 1) if has_year else _base(text, context).replace(tzinfo=None)
    parts = ("year",) if has_year else () if _RELATIVE.search(text) else ("month", "day")
    parser = _parser(parts, base)
    try:
        data = parser.get_date_data(text)
    except (ValueError, OverflowError, RecursionError):  # dateparser on odd texts
        return None
    return _as_exact(data.date_obj, data.period or "day") if data.date_obj else None


@lru_cache(maxsize=8)
def _parser(parts: tuple[str, ...], base: datetime) -> DateDataParser:
    from dateparser.date import DateDataParser

    return DateDataParser(
        languages=list(LANGUAGES),
        settings={
            "RELATIVE_BASE": base,
            "RETURN_TIME_AS_PERIOD": True,
            "PREFER_DATES_FROM": "past",
            "PREFER_DAY_OF_MONTH": "first",
            "PREFER_MONTH_OF_YEAR": "first",
            "REQUIRE_PARTS": list(parts),
        },
    )


def _as_exact(moment: datetime, period: str) -> str:
    """Write a moment as exactly as its text was."""
    if period == "time":
        return moment.replace(microsecond=0).isoformat()
    length = {"year": 4, "month": 7}.get(period, 10)
    return moment.date().isoformat()[:length]


# ---------------------------------------------------------------------------- the table

UNTYPED = FieldType(_to_html, "as it is on the page", "a  b")
"""Of fields of which nothing is said."""

FIELD_TYPES: dict[str, FieldType] = {
    "text": FieldType(_to_text, "white space folded", " a\n b "),
    "number": FieldType(
        _to_number,
        "the text's first number, whole or not: `1,234`, `1.234,5`, `２３`, `1.2万`, `1.2k`, `三百二十`",
        "1.2万 sold",
        keeps_raw=True,
        is_number=True,
    ),
    "price": FieldType(
        _to_price,
        "the amount, and beside it the currency: a code where the sign means one only, else the sign",
        "$ 11.48",
        {"": "amount", CURRENCY: "currency"},
        keeps_raw=True,
        is_number=True,
    ),
    "date": FieldType(
        _to_date,
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
