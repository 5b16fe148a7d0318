"""`--where`: which records are meant, by the value of a field."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gwc_crawler.errors import InputError

_FORM = re.compile(r"(?P<field>.+?)\s*(?P<sign>!=|>=|<=|!~|=|~|>|<)\s*(?P<value>.*)", re.DOTALL)

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition: `FIELD=VALUE`, `!=`, `~` (holds it, whatever the case), `!~`, `<`, `<=`, `>`, `>=`.

    Numbers are compared as numbers, other values as texts; an empty VALUE means that the field has none. Less and more
    are asked of a text against a number only where the text begins like one ("12", "2010-06-12"): "$9" is neither.
    """

    field: str
    sign: str
    value: str

    def takes(self, value: Any) -> bool:
        """Say whether a record with this *value* (as stored) is meant."""
        if self.sign in _COMPARE:
            return self._compares(value)
        if self.sign in ("~", "!~"):
            return (self.value.casefold() in str("" if value is None else value).casefold()) is (self.sign == "~")
        return self._equals(value) is (self.sign == "=")

    def _equals(self, value: Any) -> bool:
        if value is None or value == "":
            return self.value == ""
        if isinstance(value, str):
            return value == self.value
        return bool(_number(self.value) == value)

    def _compares(self, value: Any) -> bool:
        compare = _COMPARE[self.sign]
        if value is None:
            return False
        wanted = _number(self.value)
        if isinstance(value, str):
            return _compares_texts(compare, value, self.value, wanted)
        return wanted is not None and bool(compare(value, wanted))


def parse_filter(text: str) -> Filter:
    """Read one condition.

    Raises:
        InputError: it is none.

    >>> parse_filter("price >= 10").takes(11), parse_filter("title~thor").takes("The Mighty Thor")
    (True, True)
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InputError(f"--where {text!r} is no condition; write FIELD=VALUE, FIELD~TEXT, or one of != !~ < <= > >=")
    return Filter(match["field"], match["sign"], match["value"])


def _compares_texts(compare: Callable[[Any, Any], bool], value: str, given: str, wanted: float | None) -> bool:
    if wanted is None:
        return compare(value, given)
    number = _number(value)
    if number is not None:
        return compare(number, wanted)
    return value[:1].isdigit() and compare(value, given)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
