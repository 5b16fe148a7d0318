"""`--since`: a moment as people write it → seconds since 1970, and back."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from gwc_crawler.errors import InputError

_AGO = re.compile(r"(?P<number>\d{1,9}(?:\.\d+)?)\s*(?P<unit>[smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_EPOCH = re.compile(r"\d{9,11}(?:\.\d+)?")


def parse_moment(text: str, now: float) -> float:
    """Return the moment in seconds since 1970.

    Takes ISO 8601 (a day, or with time; without an offset it is local time), `2h` or `3d` ago, and seconds since 1970.

    Raises:
        InputError: it is none of these.

    >>> parse_moment("2010-06-12T10:00:00Z", 0.0), parse_moment("2h", 10_000.0), parse_moment("1700000000", 0.0)
    (1276336800.0, 2800.0, 1700000000.0)
    """
    wanted = text.strip()
    if match := _AGO.fullmatch(wanted):
        return now - float(match["number"]) * _SECONDS[match["unit"]]
    if _EPOCH.fullmatch(wanted):
        return float(wanted)
    try:
        return datetime.fromisoformat(wanted).timestamp()
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"{text!r} is no time; write 2026-03-01, 2026-03-01T12:30Z, or how long ago: 90m, 2h, 3d, 1w"
        ) from None


def moment_text(seconds: float) -> str:
    """Return a moment as exports have it: ISO 8601 in UTC, to the millisecond.

    >>> moment_text(1276336800.5)
    '2010-06-12T10:00:00.500Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
