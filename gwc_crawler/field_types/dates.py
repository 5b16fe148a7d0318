"""Dates as pages write them, in words, in digits, or relative to now → ISO 8601, as exact as the text.

Any text in the form of a date is one, whatever is around it; the first in a text counts. One that is not in the
calendar (31.02.2024) is refused. Forms that other things have, too (24-03-12, 20240312, 1999, yesterday), have to
stand alone or behind a label. `numeric_dates` decides which number of a date in digits is the day."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache

from gwc_crawler.field_types.date_words import (
    UNITS,
    Span,
    about_words,
    fold,
    month_numbers,
    spans_ago,
    spoken_days,
    spoken_numbers,
    spoken_spans,
    squeeze,
    stands_alone,
    starts_alone,
    unit_names,
)
from gwc_crawler.field_types.numbers import NotOfType, ValueContext, chinese_number, short

# The order of a date in digits is told by the form (a year of four digits comes first or last), by the column that the
# text stands in, or by its sign: dots are day first. What only one order makes a date of is read in that.

ORDERS = ("dmy", "mdy", "ymd")  # the orders of day, month and year in a date in digits

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
    """Three numbers that may be a date, and their place."""

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
        """Return the day. Raises NotOfType: no order makes one of it, or two do that are alike usual."""
        found, text = self.days(latest_year), self.sign.join(self.parts)
        if notation in found:
            return found[notation]
        if not found:
            in_calendar(None, text)
        if self.sign in "/\\ " and "mdy" not in found and len({*found.values()}) > 1:
            raise NotOfType(f'{text!r} may be {" or ".join(map(str, found.values()))}: which, date(order="…") says')
        return next(found[usual] for usual in _USUAL[self.sign] if usual in found)


def numeric_dates(text: str) -> Iterator[NumericDate]:
    """Yield possible dates in digits, from left to right."""
    for match in _SIGNED.finditer(text):
        first, second, third = match.group(*((1, 3, 4) if match["s"] else (5, 7, 8)))
        yield NumericDate((first, second, third), match["s"] or " ", match.start(), match.end())


def day_of(year: str, month: str, day: str, latest_year: int) -> date | None:
    """Return the day that three numbers name, None where the calendar has none. Years of three digits are Taiwan's,
    2400 to 2700 are the Buddhist calendar's. One of two digits is the latest not behind *latest_year*; one digit is no
    year.
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
    """Return the day that a text names. Raises NotOfType: it is None."""
    if day is None:
        raise NotOfType(f"{text!r} is not in the calendar")
    return day


# --- The time of day beside a date: `dates` puts it behind the day, with the zone if there is one ---------------------

_BEFORE_NOON = "上午|凌晨|清晨|早上|早晨|午前|오전"
_AFTER_NOON = "下午|中午|晚上|傍晚|午後|오후"
HALF_DAY = re.compile(f"{_BEFORE_NOON}|{_AFTER_NOON}")
_ZONE = r"(?P<zone>Z\b|\(?(?:UTC|GMT)?\s?[+−-]\d{1,2}(?::?\d\d)?(?!\d)\)?|\(?(?-i:[A-Z]{2,5})\b\)?)"
_TIME_OF_DAY = rf"""
    (?P<half>{_BEFORE_NOON}|{_AFTER_NOON})?\s?
    (?: (?<=T)(?P<packed>\d{{4}}(?:\d\d)?)(?:\.\d+)?
      | (?P<h>\d{{1,2}})
        (?: \s?(?:[:时時点點시h]|(?=\.\d\d(?:\s?[ap]\.?m|\sUhr|\s(?-i:[A-Z]{{3}}))\b)\.)
            \s?(?P<m>\d\d|半|반)(?!\d)(?:\s?[分분])?(?:\s?:?(?P<s>\d\d)(?:[.,]\d+)?[秒초]?)?
          | (?=\s?[ap]\.?m\b) | [时時点點시]整? | h\b | \sUhr )
        (?:\s?(?P<m12>[ap])\.?m\b\.?)?
    )
    (?:\sUhr|h\b)?(?:\s?{_ZONE})?"""
_BEHIND = re.compile(r"[^\d|;]{0,16}?" + _TIME_OF_DAY, re.X | re.I)
_AHEAD = re.compile(
    rf"(?<!\d)(?<!\d[.,:–-]){_TIME_OF_DAY}\s?[\s,·•–-]{{1,3}}(?:[^\W\d_]{{2,10}}[.,]{{0,2}}\s){{0,2}}$", re.X | re.I
)


def clock_beside(text: str, start: int, end: int) -> tuple[str, int]:
    """Return the time beside the date at *start* to *end* as "T12:30:00+08:00" ("": none), and where both end."""
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
        return 24  # midnight of an unknown day
    return hour % 12 + (12 if (half and late) or letter == "p" else 0)


def _zone_of(match: re.Match[str]) -> tzinfo | None:
    name = (match["zone"] or "").strip("()").replace("−", "-")
    if name[:1] == "-" and ":" in name and not (match["s"] or match["packed"]):  # 12:30-14:00 is a span
        return _zone(name) if match.string[match.start("h") - 1] == "T" else None
    return _zone(name) if name else None


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


# --- Dates with the name of a month: "5 de março de 2024", "Mar 5", "2024年3月", "令和6年3月5日" ----------------------

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
_NAME = re.compile(r"[^\s\d,:;/()\[\]|'’–—-]+")

_ORDINAL = r"(?:st|nd|rd|th|er|re|ème|го|-го|-е|[oaeº°日号號일.])"
_TO = r"(?:\s?[-–—~/&]\s?|\s(?:and|to|till|bis|und|au|et|al|y|до|по|и)\s)"
_DAY = rf"(?P<d>\d\d?)(?!\d){_ORDINAL}?(?:{_TO}\d\d?(?!\d){_ORDINAL}?)?"
_MONTH = "(?P<m>[\ue001-\ue00c])\ue000*"
_LINK = r"[\s.,/'’-]{0,3}(?:day\s)?(?:[^\W\d_]{1,4}[\s.'’]{1,2})?"
_OF = r"[\s./-]{0,2}(?:(?:of|the|de|d)[\s'’]{1,2})?"
_CLOCK = r"(?P<clock>\s\d\d?:\d\d(?::\d\d)?(?:\s(?:[A-Z]{3,4}|[+-]\d{4}))?)?"
_YEAR_PART = r"(?P<y>\d{4})(?!\d)"
_YEAR_OR_24 = r"(?P<y>\d{4}(?!\d)|(?<=['’])\d\d(?!\d))"


def _forms(*forms: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(START + form, re.I) for form in forms)


_FIRST_YEAR = r"(?P<y>\d{4}|1[0-4]\d(?=\s?年)|\d\d(?=\s?[年년]))(?!\d)\s?[年년]?"
_LAST_YEAR = r"(?P<y>\d{4}(?!\d)|(?<=[-/'’])\d\d(?![\d:])|(?<=[ ,])\d\d(?=\s*(?:$|[,|·()]|\s\d\d?:)))"
_DAY_FORMS = _forms(
    rf"{_DAY}{_LINK}{_MONTH}{_LINK}{_LAST_YEAR}",
    rf"{_MONTH}{_LINK}{_DAY}{_CLOCK}{_LINK}{_LAST_YEAR}",
    rf"{_FIRST_YEAR}{_LINK}{_MONTH}{_LINK}{_DAY}",
    rf"{_YEAR_PART}{_LINK}{_DAY}{_LINK}{_MONTH}",
)
MONTHS = _forms(
    rf"(?<!\d )(?<!\d\. ){_MONTH}{_LINK}{_YEAR_OR_24}(?![-–]\d)", rf"{_FIRST_YEAR}{_LINK}{_MONTH}(?!{_LINK}\d)"
)
"""Matches a month of a year: its groups are `y` and, as `month_of` reads it, `m`."""

YEARLESS = _forms(rf"{_DAY}{_OF}{_MONTH}", rf"{_MONTH}{_OF}{_DAY}(?!:)")
"""Matches a day of a month: `d` and `m`. The first form goes first: "mar. 5 avril" begins with a Tuesday."""


@dataclass(frozen=True, slots=True)
class WordedDate:
    """A date with the name of a month; it ends where a time of day stands in it: "Tue Mar 5 10:00:00 2024"."""

    match: re.Match[str]
    start: int
    end: int

    def day(self, notation: str, latest_year: int) -> date:
        """Return the day; of "28 Feb – 3 Mar 2024" the first; NotOfType: it is not in the calendar."""
        match, text = self.match, self.match.string
        last = day_of(match["y"], month_of(match), match["d"], latest_year)
        first = next(filter(None, (form.search(text, 0, self.start) for form in YEARLESS)), None)
        if last is None or first is None:
            return in_calendar(last, text)
        days = (day_of(str(last.year - back), month_of(first), first["d"], 0) for back in (0, 1))
        return in_calendar(next((day for day in days if day and day <= last), None), text)


def first_worded_date(text: str) -> WordedDate | None:
    """Return the first date of a text `with_month_signs` that has day, month and year."""
    found = filter(None, (form.search(text) for form in _DAY_FORMS))
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
    return _NAME.sub(_without_name, text) if _LETTER.search(text) else text


def _without_name(match: re.Match[str]) -> str:
    number = month_numbers().get(fold(match.group()))
    return _month_sign(number, match) if number else match.group()


def _month_sign(number: int, match: re.Match[str]) -> str:
    return chr(0xE000 + number).ljust(len(match.group()), "\ue000")


# --- Dates that are told from now: "3 days ago", "昨天 12:30", "vor 2 Stunden", "上周" --------------------------------

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
"""Matches phrases in which Slavic languages leave "one" out: "час назад", "před hodinou"."""
_PAIR = re.compile(r"(\d+) ?([^\W\d_]+)\.?,? ?(?:[^\W\d_]{1,3} )?(\d+) ?([^\W\d_]+)")
_WORD = re.compile(r"[⺀-鿿가-힣]|[^\W\d_⺀-鿿가-힣]+\.?")
_WORDS_BEFORE = re.compile(r"(?:[^\W\d_]+ ?){1,4}$")


def relative_date(text: str, context: ValueContext) -> str | None:
    """Read a date told from the time of the fetch; None for none; NotOfType: that is unknown, or too long ago."""
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
    """Return the first past span of time in a text, and its place; a future one only if it stands alone."""
    for match in _COUNT.finditer(text):
        if found := _framed(text, match.start(), match.end()):
            (sign, unit), start, end = found
            if sign > 0 or stands_alone(text, start, end):
                return (sign * min(float(match.group().replace(",", ".")), _MAX_COUNT), unit), start, end
    return None


def _framed(text: str, start: int, end: int) -> tuple[Span, int, int] | None:
    """Return the `Span` that the words around a number mean, by the longest match in `spans_ago`, and its place."""
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
    """Return the span of "yesterday" and the like that stand alone, but for a label, a time, and text behind signs."""
    for start in starts_alone(text):
        for stop in reversed([match.end() for match in _WORD.finditer(text, start, start + 30)]):
            span = spoken_days().get(fold(text[start:stop]))
            is_whole = not text[stop : stop + 1].isalpha() or HALF_DAY.match(text, stop)
            if span and is_whole and stands_alone(text, start, clock_beside(text, start, stop)[1]):
                return span, start, stop
    return None


_YEARS_AHEAD = 20
"""Years that a year of two digits may lie after the fetch, as in Java's SimpleDateFormat; else a century is removed."""

_LATEST_YEAR = 2068  # the same where the time of the fetch is not known, as POSIX has it

_YEAR = re.compile(rf"{START}(?P<y>1\d{{3}}|20\d\d)(?!\d|[-/.,:–]\w|\s[-–]\s\d)\s?[年년]?")
_PACKED = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?:((?:[01]\d|2[0-3]))([0-5]\d)([0-5]\d))?(?!\d)")
_NUMERIC_MONTH = re.compile(rf"{START}(?:(\d{{4}})\s?[-/.]\s?(\d\d?)|(\d\d?)(?:\s?[-/.]\s?|(?<=\d\d) )(\d{{4}})){END}")
_NUMERIC_YEARLESS = re.compile(rf"{START}(\d\d?)(?:[-/](\d\d?){END}|\.(\d\d)\.(?!\d))")
_TIMESTAMP = re.compile(r"(1\d{9})(?:\d{3}|\.\d+)?")
_ANY_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_SPAN_BEFORE = re.compile(r"(?:\d\.|\d[./]\d\d?) ?[-–—~] ?$")


def to_date(text: str, context: ValueContext, notation: str = "") -> str:
    """Read the first date of a text; a relative one counts from the time of the fetch; *notation*: of `ORDERS`, or "".

    Raises NotOfType: the text has no date, or one that is not in the calendar, or is ambiguous.
    """
    told = in_digits(short(text, "date"))
    if year := _YEAR.fullmatch(told):
        return year["y"]
    plain = with_month_signs(told)
    found = _sure_date(plain, told, context, notation) or relative_date(told, context)
    if not found and (seconds := _TIMESTAMP.fullmatch(plain)):
        return datetime.fromtimestamp(int(seconds[1]), UTC).isoformat()
    found = found or _lone_date(plain, context, notation)
    if not found:
        raise NotOfType(f"no date in {text.strip()[:80]!r}")
    return found


def date_orders(text: str) -> frozenset[str]:
    """Return the orders in which a text may be read as a date in digits; none if it is none, or all are the same.

    Dots are day first, unless no day has that number.

    >>> sorted(date_orders("13/04/2024")), sorted(date_orders("03/04/2024")), sorted(date_orders("2024-03-04"))
    (['dmy'], ['dmy', 'mdy'], [])
    """
    with suppress(NotOfType):
        return _orders(with_month_signs(in_digits(short(text, "date"))))
    return frozenset()


def _orders(plain: str) -> frozenset[str]:
    for one in numeric_dates(plain):
        if one.is_sure or _is_alone(plain, one.start, one.end):
            return one.orders(_LATEST_YEAR)
    match = _NUMERIC_YEARLESS.search(plain)
    if match and _is_alone(plain, *match.span()):
        first, second = int(match[1]), int(match[2] or match[3])
        if first == second or max(first, second) > 31 or min(first, second) > 12:
            return frozenset()
        if first > 12 or (bool(match[3]) and second <= 12):
            return frozenset(["dmy"])
        return frozenset(["mdy", "ymd"] if second > 12 else ORDERS)
    return frozenset()


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


def _is_alone(text: str, start: int, end: int) -> bool:
    return stands_alone(text, start, clock_beside(text, start, end)[1])


def _lone_date(text: str, context: ValueContext, notation: str) -> str | None:
    """Read a form that is a date only if nothing but a label and a time is beside it."""
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


_LONE: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], ValueContext, str], str | None]], ...] = (
    *((form, _worded_month) for form in MONTHS),
    *((form, _worded_yearless) for form in YEARLESS),
    (_PACKED, _packed),
    (_NUMERIC_MONTH, _numeric_month),
    (_NUMERIC_YEARLESS, _numeric_yearless),
    (_YEAR, lambda match, *_: str(match["y"])),
)
