"""Dates, as pages write them: ISO 8601, as exact as the text.

A date is what has the form of one, whatever stands around it; the first of a text is meant. What has the form but is
not in the calendar (31.02.2024) is refused. Forms that other things have, too (24-03-12, 20240312, 1999, yesterday),
have to stand alone or behind a label. Of a date in digits `numeric_dates` tells which number is the day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from gwc_crawler.field_types.clock_times import clock_beside
from gwc_crawler.field_types.context import NotOfType, ValueContext, short
from gwc_crawler.field_types.date_words import stands_alone
from gwc_crawler.field_types.numeric_dates import END, ORDERS, START, day_of, numeric_dates
from gwc_crawler.field_types.relative_dates import relative_date, says_ago
from gwc_crawler.field_types.worded_dates import (
    MONTHS,
    YEARLESS,
    first_worded_date,
    in_digits,
    month_of,
    with_month_signs,
)

_YEARS_AHEAD = 20
"""A year of two digits lies at most so far behind the fetch, as with Java's SimpleDateFormat; else a century before."""

_LATEST_YEAR = 2068
"""The same where the time of the fetch is not known, as POSIX has it."""

_YEAR = re.compile(rf"{START}(?P<y>1\d{{3}}|20\d\d)(?!\d|[-/.,:–]\w|\s[-–]\s\d)\s?[年년]?")
_PACKED = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?:((?:[01]\d|2[0-3]))([0-5]\d)([0-5]\d))?(?!\d)")
_NUMERIC_MONTH = re.compile(rf"{START}(?:(\d{{4}})\s?[-/.]\s?(\d\d?)|(\d\d?)(?:\s?[-/.]\s?|(?<=\d\d) )(\d{{4}})){END}")
_NUMERIC_YEARLESS = re.compile(rf"{START}(\d\d?)(?:[-/](\d\d?){END}|\.(\d\d)\.(?!\d))")
_TIMESTAMP = re.compile(r"(1\d{9})(?:\d{3}|\.\d+)?")
_ANY_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_SPAN_BEFORE = re.compile(r"(?:\d\.|\d[./]\d\d?) ?[-–—~] ?$")


def to_date(text: str, context: ValueContext, notation: str = "") -> str:
    """Read the first date of a text; a relative one is told from the time of the fetch.

    Args:
        notation: one of `ORDERS`, which the text's column has; "" where that is not known.
    Raises:
        NotOfType: there is none in the text, or one that is not in the calendar, or may be two.
    """
    told = in_digits(short(text, "date"))
    if year := _YEAR.fullmatch(told):
        return year["y"]
    plain = with_month_signs(told)
    found = _sure_date(plain, told, context, notation) or relative_date(told, context)
    found = found or _timestamp(plain) or _lone_date(plain, context, notation)
    if not found:
        raise NotOfType(f"no date in {text.strip()[:80]!r}")
    return found


def date_orders(text: str) -> frozenset[str]:
    """Return the orders in which a text may be read as a date in digits; none where it is not, or where all are alike.

    Dots are day first, unless no day has that number.

    >>> sorted(date_orders("13/04/2024")), sorted(date_orders("03/04/2024")), sorted(date_orders("2024-03-04"))
    (['dmy'], ['dmy', 'mdy'], [])
    """
    try:
        plain = with_month_signs(in_digits(short(text, "date")))
    except NotOfType:
        return frozenset()
    for one in numeric_dates(plain):
        if one.is_sure or _is_alone(plain, one.start, one.end):
            return one.orders(_LATEST_YEAR)
    match = _NUMERIC_YEARLESS.search(plain)
    if match and _is_alone(plain, *match.span()):
        return _orders_of_day(int(match[1]), int(match[2] or match[3]), bool(match[3]))
    return frozenset()


def _orders_of_day(first: int, second: int, has_dots: bool) -> frozenset[str]:
    if first == second or max(first, second) > 31 or min(first, second) > 12:
        return frozenset()
    if first > 12 or (has_dots and second <= 12):
        return frozenset(["dmy"])
    return frozenset(["mdy", "ymd"] if second > 12 else ORDERS)


def _sure_date(text: str, told: str, context: ValueContext, notation: str) -> str | None:
    """Read the first date that has a year, unless something is said to be "3 days ago" before it."""
    numeric = next((one for one in numeric_dates(text) if one.is_sure), None)
    worded = None if numeric and not numeric.start else first_worded_date(text)
    found = numeric if worded is None or (numeric and numeric.start < worded.start) else worded
    if found is None or (found.start and says_ago(told[: found.start])):
        return None
    if _SPAN_BEFORE.search(text, 0, found.start):
        raise NotOfType(f"a span of days: {told!r}")
    day = found.day(notation, _latest_year(context))
    return day.isoformat() + clock_beside(text, found.start, found.end)[0]


def _latest_year(context: ValueContext) -> int:
    fetched_at = context.fetched_at
    return _LATEST_YEAR if fetched_at is None else datetime.fromtimestamp(fetched_at, UTC).year + _YEARS_AHEAD


def _timestamp(text: str) -> str | None:
    seconds = _TIMESTAMP.fullmatch(text)
    return datetime.fromtimestamp(int(seconds[1]), UTC).isoformat() if seconds else None


def _is_alone(text: str, start: int, end: int) -> bool:
    return stands_alone(text, start, clock_beside(text, start, end)[1])


def _lone_date(text: str, context: ValueContext, notation: str) -> str | None:
    """Read what is a date if nothing but a label and a time stands beside it."""
    for one in numeric_dates(text):
        if _is_alone(text, one.start, one.end):
            day = one.day(notation, _latest_year(context))
            return day.isoformat() + clock_beside(text, one.start, one.end)[0]
    for form, read in _LONE:
        match = form.search(text)
        if match and _is_alone(text, *match.span()) and (found := read(match, context, notation)):
            return found + (clock_beside(text, *match.span())[0] if len(found) == len("2026-03-01") else "")
    return None


def _packed(match: re.Match[str], context: ValueContext, notation: str) -> str | None:
    year, month, day, *clock = match.groups()
    found = day_of(year, month, day, 0)
    return found.isoformat() + (f"T{':'.join(clock)}" if clock[0] else "") if found else None


def _numeric_month(match: re.Match[str], context: ValueContext, notation: str) -> str | None:
    found = day_of(match[1] or match[4], match[2] or match[3], "1", 0)
    return found.isoformat()[:7] if found and 1000 < found.year < 2100 else None


def _worded_month(match: re.Match[str], context: ValueContext, notation: str) -> str | None:
    found = day_of(match["y"], month_of(match), "1", _latest_year(context))
    return found.isoformat()[:7] if found else None


def _numeric_yearless(match: re.Match[str], context: ValueContext, notation: str) -> str | None:
    """Read 13.04. and 04/13: the month comes first unless there are dots, or the column has it otherwise."""
    first, second = match[1], match[2] or match[3]
    days = [_latest_day(second, first, context), _latest_day(first, second, context)]
    return next(filter(None, days if notation == "dmy" or (match[3] and not notation) else days[::-1]), None)


def _worded_yearless(match: re.Match[str], context: ValueContext, notation: str) -> str | None:
    return None if _ANY_YEAR.search(match.string) else _latest_day(month_of(match), match["d"], context)


def _latest_day(month: str, day: str, context: ValueContext) -> str | None:
    """Return the latest such day that had begun somewhere on earth when the page was fetched."""
    if context.fetched_at is None:
        raise NotOfType("it has no year, and when the page was fetched is not known")
    today = datetime.fromtimestamp(context.fetched_at, UTC).date() + timedelta(days=1)
    days = (day_of(str(today.year - back), month, day, 0) for back in range(9))  # a leap day may be eight years ago
    return next((found.isoformat() for found in days if found and found <= today), None)


def _year(match: re.Match[str], context: ValueContext, notation: str) -> str:
    return match["y"]


_LONE: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], ValueContext, str], str | None]], ...] = (
    *((form, _worded_month) for form in MONTHS),
    *((form, _worded_yearless) for form in YEARLESS),
    (_PACKED, _packed),
    (_NUMERIC_MONTH, _numeric_month),
    (_NUMERIC_YEARLESS, _numeric_yearless),
    (_YEAR, _year),
)
