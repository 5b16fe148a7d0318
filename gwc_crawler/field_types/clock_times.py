"""The time of day beside a date: what `dates` puts behind the day, with the zone if there is one."""

from __future__ import annotations

import re
from datetime import UTC, time, timedelta, timezone, tzinfo
from functools import lru_cache

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
