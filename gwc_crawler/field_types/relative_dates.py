"""Dates that are told from now: "3 days ago", "昨天 12:30", "vor 2 Stunden", "上周".

Of spans finer than a day the instant is told, in UTC; of others the day, the month or the year, as exact as the text.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from gwc_crawler.field_types.clock_times import HALF_DAY, clock_beside
from gwc_crawler.field_types.context import NotOfType, ValueContext
from gwc_crawler.field_types.date_words import (
    UNITS,
    Span,
    about_words,
    fold,
    spans_ago,
    spoken_days,
    spoken_numbers,
    spoken_spans,
    squeeze,
    stands_alone,
    starts_alone,
    unit_names,
)
from gwc_crawler.field_types.numbers import chinese_number

_SMALLER = {"year": (12, "month"), "month": (30, "day"), "week": (7, "day"), "day": (24, "hour")}
_SMALLER |= {"hour": (60, "minute"), "minute": (60, "second")}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_DAYS = {"day": 1, "week": 7}
_MAX_COUNT = 1e6

_ONES = "一二两兩三四五六七八九"
_CHINESE_COUNT = re.compile(
    rf"(?<![{_ONES}十百])(?:[{_ONES}](?![{_ONES}])|[十百])+(?= ?[个個天日周週月年小星礼禮分秒])"  # 两三天 are some days
)
_AND_A_HALF = re.compile(r"(\d+) ?(?:[个個]半(?=月|小|星|[礼禮])|([年天周週])半)")
_HALF = re.compile(r"半(?=[个個年天日小月])")
_COUNT = re.compile(r"(?<![A-Za-z\d])(?<!\d[.,:~ –-])\d+(?:[.,]\d)?(?![\d.])")
_COUNT_WORD = re.compile(r"\b(?:half (?=an? ))?([^\W\d_]+'|[^\W\d_]+ )(?=([^\W\d_]+))")
_NO_COUNT = re.compile(
    r"(?:(?<=^)|(?<=[:|(·])|(?<=[:|·] ))(?:(?P<ago>před|pred) )?(?P<unit>[^\W\d_]+)(?(ago)| (?=(?:назад|тому|temu)\b))"
)
"""Where Slavic languages leave "one" out: "час назад", "před hodinou"."""
_PAIR = re.compile(r"(\d+) ?([^\W\d_]+)\.?,? ?(?:[^\W\d_]{1,3} )?(\d+) ?([^\W\d_]+)")
_WORD = re.compile(r"[⺀-鿿가-힣]|[^\W\d_⺀-鿿가-힣]+\.?")
_WORDS_BEFORE = re.compile(r"(?:[^\W\d_]+ ?){1,4}$")


def relative_date(text: str, context: ValueContext) -> str | None:
    """Read a date that is told from the time of the fetch; None where a text tells none.

    Raises:
        NotOfType: it does, but when the page was fetched is not known, or it is too long ago.
    """
    counted = with_counts(text)
    span, start, end = counted_span(counted) or _spoken_span(counted) or ((0, ""), 0, 0)
    if not span[1]:
        return None
    if context.fetched_at is None:
        raise NotOfType(f"{text!r} is relative, and when the page was fetched is not known")
    try:
        told = _before(datetime.fromtimestamp(context.fetched_at, UTC), *_whole(*span))
    except (OverflowError, ValueError) as error:
        raise NotOfType(f"{text!r} is no date of the calendar") from error
    return told + (clock_beside(counted, start, end)[0] if len(told) == len("2026-03-01") else "")


def says_ago(text: str) -> bool:
    """Return whether a text holds a span of time that has gone by."""
    return any(sign.isdigit() or sign > "⺀" for sign in text) and counted_span(with_counts(text)) is not None


def _whole(count: float, unit: str) -> tuple[int, str]:
    """Return a span in whole units: half a year is six months."""
    while count != int(count) and unit in _SMALLER:
        factor, unit = _SMALLER[unit]
        count *= factor
    return int(count), unit


def _before(moment: datetime, count: int, unit: str) -> str:
    if unit in _SECONDS:
        return (moment - timedelta(seconds=count * _SECONDS[unit])).replace(microsecond=0).isoformat()
    if unit in _DAYS:
        return (moment - timedelta(days=count * _DAYS[unit])).date().isoformat()
    year, month = divmod(moment.year * 12 + moment.month - 1 - count * (12 if unit == "year" else 1), 12)
    return moment.replace(year=year, month=month + 1, day=1).date().isoformat()[: 4 if unit == "year" else 7]


def with_counts(text: str) -> str:
    """Return a text with its counts in digits, and with one where two units follow each other.

    >>> with_counts("an hour ago"), with_counts("两个半小时前"), with_counts("2 days 3 hours ago")
    ('1 hour ago', '2.5小时前', '51 hours ago')
    """
    if not text.isascii():
        text = _CHINESE_COUNT.sub(lambda match: str(chinese_number(match.group().replace("兩", "两"))), text)
        text = _HALF.sub("0.5", _AND_A_HALF.sub(r"\1.5\2", text))
    words, meanings = spoken_spans()
    text = words.sub(lambda match: meanings[fold(match.group())], text)
    text = _NO_COUNT.sub(_with_one, _COUNT_WORD.sub(_in_digits, text))
    while (merged := _PAIR.sub(_as_one, text, count=1)) != text:
        text = merged
    return text


def _in_digits(match: re.Match[str]) -> str:
    number = spoken_numbers().get(match[1].strip()) if _unit_at_start(match[2]) else None
    return match.group() if number is None else f"{0.5 if match.group().startswith('half') else number:g} "


def _with_one(match: re.Match[str]) -> str:
    ago, unit = match["ago"], match["unit"]
    return match.group() if not _unit_at_start(unit) else f"{ago} 1 {unit}" if ago else f"1 {match.group()}"


def _unit_at_start(word: str) -> str:
    """Return the unit that a word names; of Chinese, that it begins with."""
    folded, names = squeeze(word), unit_names()
    ends = range(len(folded), 0, -1) if word[0] >= "⺀" else (len(folded),)
    return next((names[folded[:end]] for end in ends if folded[:end] in names), "")


def _as_one(match: re.Match[str]) -> str:
    unit, smaller = _unit_at_start(match[2]), _unit_at_start(match[4])
    if not unit or not smaller or UNITS.index(unit) <= UNITS.index(smaller):
        return match.group()
    count = int(match[1])
    while unit != smaller and unit in _SMALLER and unit != "month":
        factor, unit = _SMALLER[unit]
        count *= factor
    if unit != smaller:
        return f"{match[1]}+{match[2]} {match[3]}+{match[4]}"  # no number of one unit: neither is read
    return f"{count + int(match[3])} {match[4]}"


def counted_span(text: str) -> tuple[Span, int, int] | None:
    """Return the first span of time that a text says has gone by, and where it stands; one that lies ahead if alone."""
    for match in _COUNT.finditer(text):
        if found := _framed(text, match.start(), match.end()):
            (sign, unit), start, end = found
            if sign > 0 or stands_alone(text, start, end):
                return (sign * min(float(match.group().replace(",", ".")), _MAX_COUNT), unit), start, end
    return None


def _framed(text: str, start: int, end: int) -> tuple[Span, int, int] | None:
    """Return what the words around a number make of it: the longest that `spans_ago` has."""
    before = _WORDS_BEFORE.search(text, 0, start)
    words = [match.start() for match in _WORD.finditer(text, before.start() if before else start, start)]
    heads = [*((at, _head(text[at:start])) for at in words), (start, "")]
    for stop in reversed([match.end() for match in _WORD.finditer(text, end, end + 24)]):
        tail = squeeze(text[end:stop])
        for at, head in heads:
            if span := spans_ago().get((head, tail)):
                return span, at, stop
    return None


def _head(text: str) -> str:
    return "".join(word for word in map(fold, text.split()) if word not in about_words())


def _spoken_span(text: str) -> tuple[Span, int, int] | None:
    """Return what "yesterday" and the like say that stand alone, but for a label, a time, and what is behind signs."""
    for start in starts_alone(text):
        for stop in reversed([match.end() for match in _WORD.finditer(text, start, start + 30)]):
            span = spoken_days().get(fold(text[start:stop]))
            is_whole = not text[stop : stop + 1].isalpha() or HALF_DAY.match(text, stop)
            if span and is_whole and stands_alone(text, start, clock_beside(text, start, stop)[1]):
                return span, start, stop
    return None
