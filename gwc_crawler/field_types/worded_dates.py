"""Dates with the name of a month: "5 de março de 2024", "Mar 5", "2024年3月", "令和6年3月5日".

A text is brought to a form first in which all languages are alike: `with_month_signs`, of which the patterns here are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from gwc_crawler.field_types.date_words import fold, month_numbers
from gwc_crawler.field_types.numbers import chinese_number
from gwc_crawler.field_types.numeric_dates import START, day_of, in_calendar

_ERAS = {"民": (1911, 200), "令": (2018, 99), "平": (1988, 31), "昭": (1925, 64), "大": (1911, 15), "明": (1867, 45)}
"""An era's first sign → the year before it began, and how many years it had."""

_ERA = re.compile(r"(?:中華|中华)?(民[国國]|令和|平成|昭和|大正|明治) ?(\d{1,3}|元)(?!\d)")
_CHINESE_DATE = re.compile(r"[零〇○一二三四五六七八九十百]+(?= ?[年月日号號])")
_NUMBERED_MONTH = re.compile(
    r"(?<!\d)(1[0-2]|0?[1-9]) ?[月월](?![前後后之以])|\b(?:tháng|thg) ?(1[0-2]|0?[1-9])(?!\d)", re.I
)
_DASH = re.compile(r"(?<=\d)[‐‑‒–−](?=\d)")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\s\d,:;/()\[\]|'’–—-]+")

_ORDINAL = r"(?:st|nd|rd|th|er|re|ème|го|-го|-е|[oaeº°日号號일.])"
_TO = r"(?:\s?[-–—~/&]\s?|\s(?:and|to|till|bis|und|au|et|al|y|до|по|и)\s)"
_DAY = rf"(?P<d>\d\d?)(?!\d){_ORDINAL}?(?:{_TO}\d\d?(?!\d){_ORDINAL}?)?"
_MONTH = "(?P<m>[\ue001-\ue00c])\ue000*"
_LINK = r"[\s.,/'’-]{0,3}(?:day\s)?(?:[^\W\d_]{1,4}[\s.'’]{1,2})?"
_OF = r"[\s./-]{0,2}(?:(?:of|the|de|d)[\s'’]{1,2})?"
_CLOCK = r"(?P<clock>\s\d\d?:\d\d(?::\d\d)?(?:\s(?:[A-Z]{3,4}|[+-]\d{4}))?)?"
_YEAR = r"(?P<y>\d{4})(?!\d)"
_YEAR_OR_24 = r"(?P<y>\d{4}(?!\d)|(?<=['’])\d\d(?!\d))"


def _forms(*forms: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(START + form, re.I) for form in forms)


_FIRST_YEAR = r"(?P<y>\d{4}|1[0-4]\d(?=\s?年)|\d\d(?=\s?[年년]))(?!\d)\s?[年년]?"
_LAST_YEAR = r"(?P<y>\d{4}(?!\d)|(?<=[-/'’])\d\d(?![\d:])|(?<=[ ,])\d\d(?=\s*(?:$|[,|·()]|\s\d\d?:)))"
_DAYS = _forms(
    rf"{_DAY}{_LINK}{_MONTH}{_LINK}{_LAST_YEAR}",
    rf"{_MONTH}{_LINK}{_DAY}{_CLOCK}{_LINK}{_LAST_YEAR}",
    rf"{_FIRST_YEAR}{_LINK}{_MONTH}{_LINK}{_DAY}",
    rf"{_YEAR}{_LINK}{_DAY}{_LINK}{_MONTH}",
)
MONTHS = _forms(
    rf"(?<!\d )(?<!\d\. ){_MONTH}{_LINK}{_YEAR_OR_24}(?![-–]\d)", rf"{_FIRST_YEAR}{_LINK}{_MONTH}(?!{_LINK}\d)"
)
"""What finds a month of a year: its groups are `y` and, as `month_of` reads it, `m`."""

YEARLESS = _forms(rf"{_DAY}{_OF}{_MONTH}", rf"{_MONTH}{_OF}{_DAY}(?!:)")
"""What finds a day of a month: `d` and `m`. The first comes first: "mar. 5 avril" begins with a Tuesday."""


@dataclass(frozen=True, slots=True)
class WordedDate:
    """A date with the name of a month, as `NumericDate` is one in digits.

    It ends where a time of day begins that stands in it: "Tue Mar 5 10:00:00 2024".
    """

    match: re.Match[str]
    start: int
    end: int

    def day(self, notation: str, latest_year: int) -> date:
        """Return the day; of "28 Feb – 3 Mar 2024" and "May 5 and June 7, 2024" the first.

        Raises:
            NotOfType: it is not in the calendar.
        """
        match, text = self.match, self.match.string
        last = day_of(match["y"], month_of(match), match["d"], latest_year)
        first = next(filter(None, (form.search(text, 0, self.start) for form in YEARLESS)), None)
        if last is None or first is None:
            return in_calendar(last, text)
        days = (day_of(str(last.year - back), month_of(first), first["d"], 0) for back in (0, 1))
        return in_calendar(next((day for day in days if day and day <= last), None), text)


def first_worded_date(text: str) -> WordedDate | None:
    """Return the first date of a text `with_month_signs` that has day, month and year."""
    found = filter(None, (form.search(text) for form in _DAYS))
    match = min(found, key=lambda match: match.start(), default=None)
    if match is None:
        return None
    return WordedDate(match, match.start(), match.start("clock") if match.groupdict().get("clock") else match.end())


def month_of(match: re.Match[str]) -> str:
    """Return the number of the month that a pattern here has found."""
    return str(ord(match["m"]) - 0xE000)


def in_digits(text: str) -> str:
    """Return a text with the numbers of its Chinese dates in digits, and our years for those of an era.

    >>> in_digits("令和元年五月一日"), in_digits("民國113/03/05")
    ('2019年5月1日', '2024/03/05')
    """
    if text.isascii():
        return text
    text = _DASH.sub("-", _PRIVATE.sub(" ", text))
    text = _CHINESE_DATE.sub(lambda match: str(chinese_number(match.group())), text)
    return _ERA.sub(_in_our_era, text)


def _in_our_era(match: re.Match[str]) -> str:
    before, years = _ERAS[match[1][0]]
    count = 1 if match[2] == "元" else int(match[2])
    return str(before + count) if 0 < count <= years else match.group()


def with_month_signs(text: str) -> str:
    """Return a text, as long as it was, with one private character and fillers for each month's name and "3月"."""
    if not text.isascii():
        text = _NUMBERED_MONTH.sub(lambda match: _month_sign(int(match[1] or match[2]), match), text)
    return _WORD.sub(_without_name, text) if _LETTER.search(text) else text


def _without_name(match: re.Match[str]) -> str:
    number = month_numbers().get(fold(match.group()))
    return _month_sign(number, match) if number else match.group()


def _month_sign(number: int, match: re.Match[str]) -> str:
    return chr(0xE000 + number).ljust(len(match.group()), "\ue000")
