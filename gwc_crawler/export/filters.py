"""`--where`: selects records by the value of a field."""

from __future__ import annotations

import math
import operator
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from gwc_crawler.errors import InputError

# --- `--since`: a moment as people write it → seconds since 1970, and back --------------------------------------------


_AGO = re.compile(r"(?P<number>\d{1,9}(?:\.\d+)?)\s*(?P<unit>[smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_EPOCH = re.compile(r"\d{9,11}(?:\.\d+)?")


def parse_moment(text: str, now: float) -> float:
    """Return a moment in seconds since 1970.

    Takes ISO 8601 (a day, or with time; without an offset it is local time), `2h` or `3d` ago, and seconds since 1970.

    Raises:
        InputError: the text has another form.

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


MOMENT = "fetched_at"

_FORM = re.compile(r"(?P<field>.+?)\s*(?P<sign>!=|>=|<=|!~|==?|~|>|<)\s*(?P<value>.*)", re.DOTALL)

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


_ISO = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ].*)?)?)?")
_DAY = re.compile(r"\d{4}-\d\d")
_LIKE_NUMBER = re.compile(r"\W*\d")


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition: `FIELD=VALUE`, `!=`, `~` (holds it, whatever the case), `!~`, `<`, `<=`, `>`, `>=`.

    Numbers are compared as numbers, dates (ISO 8601) as dates (of a moment its day, where a day is asked for), other
    values as texts; an empty VALUE means that the field has none. Whether a value can be asked for that at all, `suits`
    says: "$9" is neither less nor more than 10.
    """

    field: str
    sign: str
    value: str

    def takes(self, value: Any) -> bool:
        """Say whether a record with this *value* (as stored) is meant."""
        if self.sign in _COMPARE:
            return value is not None and self.suits(value) and self._compares(value)
        if self.sign in ("~", "!~"):
            return (self.value.casefold() in str("" if value is None else value).casefold()) is (self.sign == "~")
        if value is None or isinstance(value, str):
            return ((value or "") == self.value) is (self.sign == "=")
        return (_number(self.value) == value) is (self.sign == "=")

    def suits(self, value: Any) -> bool:
        """Say whether the condition can be asked of a *value*, which is not empty."""
        number = _number(self.value)
        if self.sign in ("~", "!~"):
            return True
        if not isinstance(value, str):
            return number is not None or self.sign == "!=" or self.value == ""
        if self.sign not in _COMPARE:
            return value[:1] != "[" or self.value[:1] in ("", "[")
        if _number(value) is not None and number is not None:
            return True
        if _ISO.fullmatch(self.value):
            return _ISO.fullmatch(value) is not None
        return number is None and value[:1] != "[" and not _DAY.match(value)

    def _compares(self, value: Any) -> bool:
        compare, wanted = _COMPARE[self.sign], _number(self.value)
        if not isinstance(value, str):
            return bool(compare(value, wanted))
        number = _number(value)
        if wanted is not None and number is not None:
            return compare(number, wanted)
        return compare(*_alike(value, self.value))


class Judge:
    """Asks one condition of many values, and knows afterwards of how many it could not be asked."""

    def __init__(self, condition: Filter) -> None:
        self._condition = condition
        self._first: Any = None
        self._unlike: Any = None
        self._count = self._asked = self._taken = self._empty = 0

    def takes(self, value: Any) -> bool:
        """See `Filter.takes`."""
        if value is None or value == "":
            self._empty += 1
        else:
            self._first = value if self._asked == 0 else self._first
            self._asked += 1
            if not self._condition.suits(value):
                self._unlike = value if self._count == 0 else self._unlike
                self._count += 1
        taken = self._condition.takes(value)
        self._taken += taken
        return taken

    @property
    def note(self) -> str:
        """Return a note for a person: the number of values that could not be compared, or that none fits; else ""."""
        if self._count and not self._is_unlike:
            return f"--where '{self._text}' leaves out {self._count:,} of {self._asked:,} values: {self._why}"
        if self._taken or not (self._asked or self._empty):
            return ""
        values = f"{self._asked:,} values, such as {str(self._first)[:60]!r}"
        return f"--where '{self._text}' holds for none of " + (values if self._asked else f"{self._empty:,} empty ones")

    def check(self) -> None:
        """Look whether any value could pass. Raises InputError: none, as the condition can be asked of none."""
        if self._asked and self._count == self._asked:
            told = "every record passes" if self._is_unlike else "no record can pass"
            raise InputError(f"{told} --where '{self._text}': {self._why}")

    @property
    def _is_unlike(self) -> bool:
        return self._condition.sign == "!="  # a value that can't be compared is not equal

    @property
    def _text(self) -> str:
        return f"{self._condition.field}{self._condition.sign}{self._condition.value}"

    @property
    def _why(self) -> str:
        field, value = self._condition.field, self._unlike
        if not isinstance(value, str):
            return f"{field} holds numbers, such as {value}, and {self._condition.value!r} is none"
        if value[:1] == "[":
            return f"{field} holds lists; `{field}~TEXT` finds what one of their items says, `{field}!~TEXT` the others"
        return (
            f"{field} holds texts, such as {value[:60]!r}, which are neither less nor more than "
            f"{self._condition.value!r}; with its type in the site file ([types] {field} = "
            '"price", "number" or "date") and `scrapy extract`, they become numbers and dates'
        )


def parse_filter(text: str) -> Filter:
    """Read one condition.

    Raises:
        InputError: the text is no condition.

    >>> parse_filter("price >= 10").takes(11), parse_filter("title~thor").takes("The Mighty Thor")
    (True, True)
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InputError(f"--where {text!r} is no condition; write FIELD=VALUE, FIELD~TEXT, or one of != !~ < <= > >=")
    field, sign, value = match["field"], match["sign"].replace("==", "="), match["value"]
    if sign in _COMPARE and not value:
        raise InputError(
            f"--where {text!r} names no value; `{field}=` holds for what has none, `{field}!=` for the others"
        )
    if sign == "=" and value[:1] in ("<", ">") and _LIKE_NUMBER.match(value):
        raise InputError(f"--where {text!r}: write {value[0]}= for {sign}{value[0]}")
    if sign in _COMPARE and field == MOMENT and _number(value) is None:
        value = str(parse_moment(value, time.time()))
    if sign in _COMPARE and _LIKE_NUMBER.match(value) and _number(value) is None and not _ISO.fullmatch(value):
        raise InputError(
            f"--where {text!r}: {value!r} is no number; write numbers as 9.50, without a currency, "
            "and dates as 2010-06-12"
        )
    return Filter(field, sign, value)


def _alike(value: str, wanted: str) -> tuple[str, str]:
    """Return two texts as they are compared: dates as exact as the one that is asked for, moments in UTC.

    >>> _alike("2010-06-12T08:00:00", "2010-06-12"), _alike("2010-06-12T01:00+08:00", "2010-06-11T17:00Z")
    (('2010-06-12', '2010-06-12'), ('2010-06-11T17:00:00+00:00', '2010-06-11T17:00:00+00:00'))
    """
    if not (_ISO.fullmatch(value) and _ISO.fullmatch(wanted)):
        return value, wanted
    if len(wanted) <= len("2010-06-12"):
        return value[: len(wanted)], wanted
    with suppress(ValueError):  # a clock of its own kind
        return _in_utc(value), _in_utc(wanted)
    return value, wanted


def _in_utc(text: str) -> str:
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).isoformat()


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
