"""Dates in digits, and which number of them is the day: 17.03.2024, 3/12/24, 113-03-05.

The order is told by the form (a year of four digits comes first or last), by the column that the text stands in, or by
its sign: dots are day first. What only one order makes a date of is read in that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, time, timedelta, timezone, tzinfo
from functools import lru_cache

from gwc_crawler.field_types.context import NotOfType

ORDERS = ("dmy", "mdy", "ymd")
"""In which order a date in digits names day, month and year."""

_USUAL = {".": ("dmy", "mdy", "ymd"), "-": ("mdy", "ymd", "dmy"), "_": ("ymd", "mdy", "dmy")}
_USUAL |= dict.fromkeys("/\\ ", ("mdy", "dmy", "ymd"))
"""The sign between → the orders that are tried where the column tells none."""

START = r"(?<![A-Za-z\d$€£¥+#])(?<!\d[-/.,:–])"
_AMOUNT_END = r"(?!\d|[.,]\d|\s?[%€$£¥])"
END = rf"{_AMOUNT_END}(?![-/]\d)"
_SIGNED = re.compile(
    rf"{START}(\d{{4}}|1[0-4]\d|\d\d?)\s?(?P<s>[-/._\\])\s?(\d\d?)\s?(?P=s)\s?(\d{{4}}|\d\d?)(?!(?P=s)\d){_AMOUNT_END}"
    rf"|{START}(\d\d|\d{{4}})(?P<blank> )(\d\d) (\d{{4}}|\d\d){END}"
)


@dataclass(frozen=True, slots=True)
class NumericDate:
    """Three numbers that may be a date, and where they stand."""

    parts: tuple[str, str, str]
    sign: str
    start: int
    end: int

    @property
    def is_sure(self) -> bool:
        """Whether one is a year of four digits, or of Taiwan's three: then words around it don't matter."""
        first, _, last = self.parts
        return self.sign != " " and (max(len(first), len(last)) == 4 or (len(first) == 3 and self.sign != "."))

    def days(self, latest_year: int) -> dict[str, date]:
        """Return order → the day that it makes of the numbers; the orders that make none are left out."""
        first, _, last = self.parts
        found = {}
        for order in ("ymd",) if len(first) > 2 else ("dmy", "mdy") if len(last) > 2 else ORDERS:
            named = dict(zip(order, self.parts, strict=True))
            day = None if self._is_of_another_kind() else day_of(named["y"], named["m"], named["d"], latest_year)
            if day:
                found[order] = day
        return found

    def _is_of_another_kind(self) -> bool:
        """Tell whether the numbers look like a date of Iran's calendar or the Hijra's, or like a version."""
        first, second, third = self.parts
        if len(first) < 4 and self.sign == ".":
            return len(third) < 2 or (len(first) == 3 and len(second) < 2)
        return len(first) == 4 and 1300 <= int(first) < 1500 and (self.sign == "/" or not first.isascii())

    def orders(self, latest_year: int) -> frozenset[str]:
        """Return the orders that make a day of the numbers; none where all make the same, or the form tells it."""
        found = self.days(latest_year)
        if len(self.parts[0]) > 2 or (len(found) > 1 and len({*found.values()}) == 1):
            return frozenset()
        return frozenset(["dmy"] if self.sign == "." and "dmy" in found else found)

    def day(self, notation: str, latest_year: int) -> date:
        """Return the day.

        Raises:
            NotOfType: no order makes one of it, or two do that are alike usual.
        """
        found, text = self.days(latest_year), self.sign.join(self.parts)
        if notation in found:
            return found[notation]
        if not found:
            in_calendar(None, text)
        if self.sign in "/\\ " and "mdy" not in found and len({*found.values()}) > 1:
            raise NotOfType(f'{text!r} may be {" or ".join(map(str, found.values()))}: which, date(order="…") says')
        return next(found[usual] for usual in _USUAL[self.sign] if usual in found)


def numeric_dates(text: str) -> Iterator[NumericDate]:
    """Yield what may be a date in digits, from left to right."""
    for match in _SIGNED.finditer(text):
        first, second, third = match.group(*((1, 3, 4) if match["s"] else (5, 7, 8)))
        yield NumericDate((first, second, third), match["s"] or " ", match.start(), match.end())


def day_of(year: str, month: str, day: str, latest_year: int) -> date | None:
    """Return the day that three numbers name, None where the calendar has none.

    Years of three digits are Taiwan's, 2400 to 2700 are the Buddhist calendar's. One of two digits is the latest that
    does not lie behind *latest_year*; one digit is no year.
    """
    count = int(year)
    if len(year) == 2:
        count += latest_year // 100 * 100
        count -= 100 if count > latest_year else 0
    elif len(year) == 3:
        count += 1911
    elif 2400 < count < 2700:
        count -= 543
    try:
        return date(count, int(month), int(day)) if len(year) > 1 else None
    except ValueError:
        return None


def in_calendar(day: date | None, text: str) -> date:
    """Return the day that a text names.

    Raises:
        NotOfType: it is None.
    """
    if day is None:
        raise NotOfType(f"{text!r} is not in the calendar")
    return day


# --- The time of day beside a date: what `dates` puts behind the day, with the zone if there is one -------------------


_BEFORE_NOON = "上午|凌晨|清晨|早上|早晨|午前|오전"
_AFTER_NOON = "下午|中午|晚上|傍晚|午後|오후"
HALF_DAY = re.compile(f"{_BEFORE_NOON}|{_AFTER_NOON}")
_ZONE = r"(?P<zone>Z\b|\(?(?:UTC|GMT)?\s?[+−-]\d{1,2}(?::?\d\d)?(?!\d)\)?|\(?(?-i:[A-Z]{2,5})\b\)?)"
_CLOCK = rf"""
    (?P<half>{_BEFORE_NOON}|{_AFTER_NOON})?\s?
    (?: (?<=T)(?P<packed>\d{{4}}(?:\d\d)?)(?:\.\d+)?
      | (?P<h>\d{{1,2}})
        (?: \s?(?:[:时時点點시h]|(?=\.\d\d(?:\s?[ap]\.?m|\sUhr|\s(?-i:[A-Z]{{3}}))\b)\.)
            \s?(?P<m>\d\d|半|반)(?!\d)(?:\s?[分분])?(?:\s?:?(?P<s>\d\d)(?:[.,]\d+)?[秒초]?)?
          | (?=\s?[ap]\.?m\b) | [时時点點시]整? | h\b | \sUhr )
        (?:\s?(?P<m12>[ap])\.?m\b\.?)?
    )
    (?:\sUhr|h\b)?(?:\s?{_ZONE})?"""
_BEHIND = re.compile(r"[^\d|;]{0,16}?" + _CLOCK, re.X | re.I)
_AHEAD = re.compile(
    rf"(?<!\d)(?<!\d[.,:–-]){_CLOCK}\s?[\s,·•–-]{{1,3}}(?:[^\W\d_]{{2,10}}[.,]{{0,2}}\s){{0,2}}$", re.X | re.I
)


def clock_beside(text: str, start: int, end: int) -> tuple[str, int]:
    """Return the time that stands beside the date at *start* to *end* as "T12:30:00+08:00", and where both end.

    Without one, or with one that no clock shows, "" and *end*.
    """
    if match := _BEHIND.match(text, end):
        return _iso(match), match.end()
    match = _AHEAD.search(text, 0, start) if start > 3 else None
    return (_iso(match) if match else ""), end


def _iso(match: re.Match[str]) -> str:
    packed = match["packed"] or ""
    minute = "30" if match["m"] in ("半", "반") else match["m"] or "0"
    hour, minute, second = (packed[:2], packed[2:4], packed[4:] or "0") if packed else (match["h"], minute, match["s"])
    try:
        moment = time(_hour(int(hour), match), int(minute), int(second or 0))
    except ValueError:
        return ""
    return f"T{moment.replace(tzinfo=_zone_of(match)).isoformat()}"


def _hour(hour: int, match: re.Match[str]) -> int:
    half, letter = match["half"] or "", (match["m12"] or "").lower()
    if hour > 12 or not (half or letter):
        return hour
    late = letter == "p" or half in _AFTER_NOON.split("|")
    if half == "中午" and hour == 11:
        return hour
    if hour == 12 and half in ("晚上", "傍晚"):
        return 24  # midnight of which day can't be told
    return hour % 12 + (12 if (half and late) or letter == "p" else 0)


def _zone_of(match: re.Match[str]) -> tzinfo | None:
    name = (match["zone"] or "").strip("()").replace("−", "-")
    if not name:
        return None
    if (
        name[:1] == "-"
        and ":" in name
        and not (match["s"] or match["packed"] or match.string[match.start("h") - 1] == "T")
    ):
        return None  # 12:30-14:00 is a span
    return _zone(name)


@lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo | None:
    match = re.fullmatch(r"(?:UTC|GMT)?\s?([+-])(\d{1,2}):?(\d\d)?", name, re.I)
    if match:
        offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        return timezone(offset if match[1] == "+" else -offset) if offset < timedelta(hours=15) else None
    if name.upper() in ("Z", "UTC", "GMT"):
        return UTC
    from dateparser.timezone_parser import pop_tz_offset_from_string

    _, found = pop_tz_offset_from_string(f"12:00 {name}")
    return timezone(found.utcoffset(None) or timedelta()) if found else None
