"""A field's value → the text from which the server makes its column's: exact, or said to be none."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

_DECIMAL = re.compile(r"DECIMAL\((\d+), (\d+)\)")
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_WHOLE = {"BIGINT": 63, "INT": 31, "SMALLINT": 15}
NUMBERS = frozenset({"FLOAT", "REAL"})
TRUE, FALSE = frozenset({"1", "true"}), frozenset({"0", "false"})


class Unfit(ValueError):
    """A value that its column can't hold; the message says why."""


def as_text(value: Any) -> str | None:
    """Return a value as a column of texts holds it: lists as JSON, None as NULL.

    >>> as_text(["黑", 1]), as_text(True), as_text(1.50)
    ('["黑", 1]', '1', '1.5')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def for_column(value: Any, kind: str) -> str | None:
    """Return a value as text that converts to a column's type without loss.

    Args:
        kind: the type, as `schema.Column` has it.
    Raises:
        Unfit: it does not.

    >>> for_column(11.48, "DECIMAL(38, 10)"), for_column("2010-06", "DATETIME2(6)"), for_column("a", "NVARCHAR(MAX)")
    ('11.48', '2010-06-01T00:00:00', 'a')
    """
    if value is None:
        return None
    if isinstance(value, list) and "CHAR" not in kind:
        raise Unfit(f"a list in a column of type {kind}")
    if match := _DECIMAL.fullmatch(kind):
        return _decimal(value, int(match[1]), int(match[2]))
    if kind.startswith("DATETIME2") or kind == "DATE":
        return _moment(value)
    if kind in _WHOLE:
        return _whole(value, _WHOLE[kind])
    if kind in NUMBERS:
        return _float(value)
    if kind == "BIT":
        return _bit(value)
    return as_text(value)


def _number(value: Any) -> Decimal:
    try:
        number = Decimal(repr(value) if isinstance(value, float) else str(value).strip())
    except InvalidOperation as error:
        raise Unfit(f"no number: {str(value)[:100]!r}") from error
    if not number.is_finite():
        raise Unfit(f"no number: {value!r}")
    return number


def _decimal(value: Any, precision: int, scale: int) -> str:
    number = _number(int(value) if isinstance(value, bool) else value).normalize()
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    if -exponent > scale or (number and len(digits) + exponent > precision - scale):
        raise Unfit(f"{value} does not fit into DECIMAL({precision}, {scale})")
    return f"{number:f}"


def _whole(value: Any, bits: int) -> str:
    number = _number(int(value) if isinstance(value, bool) else value)
    if number != number.to_integral_value() or not -(2**bits) <= number < 2**bits:
        raise Unfit(f"{value} is no whole number of {bits + 1} bits")
    return str(int(number))


def _float(value: Any) -> str:
    number = float(_number(value))
    if number in (float("inf"), float("-inf")):
        raise Unfit(f"{value} is too large for FLOAT")
    return repr(number)


def _bit(value: Any) -> str:
    word = str(value).strip().lower()
    if word not in TRUE | FALSE:
        raise Unfit(f"neither true nor false: {str(value)[:100]!r}")
    return "1" if word in TRUE else "0"


def _moment(value: Any) -> str:
    """Return a moment in UTC; of a date that is not exact, its beginning."""
    text = str(value).strip()
    try:
        if match := _DATE.fullmatch(text):
            return f"{date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()}T00:00:00"
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Unfit(f"no date: {text[:100]!r}") from error
    return (moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment).isoformat()
