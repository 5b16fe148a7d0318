"""Dates, as pages write them: ISO 8601, as exact as the text."""

from __future__ import annotations

import re
import warnings
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from gwc_crawler.field_types.context import NotOfType, ValueContext, short
from gwc_crawler.field_types.numbers import chinese_number

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

LANGUAGES = ("en", "zh", "zh-Hant", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ja", "ko")
"""The languages dates are read in, the likeliest first. An ambiguous 03/04/2010 is read as English: March 4."""

_YEAR = r"(?:1[0-9]|20)\d\d"
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


def to_date(text: str, context: ValueContext) -> str:
    """Read a date; a relative one is told from the time of the fetch.

    Raises:
        NotOfType: there is none in the text.
    """
    narrow = _with_arabic_digits(short(text, "date"))
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
