"""Numbers and prices, as pages write them."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from gwc_crawler.field_types.context import NotOfType, ValueContext, short

_AMOUNT = r"\d(?:[\d.,' ]*\d)?"
_NUMBER = re.compile(rf"(?P<sign>[-+−]?)(?P<digits>{_AMOUNT}|\.\d+)\s?(?P<unit>[千万億亿]{{1,2}}|[kKM]\b)?")
_UNITS = {"千": 1000, "k": 1000, "K": 1000, "万": 10_000, "M": 1_000_000, "亿": 100_000_000, "億": 100_000_000}
_CHINESE_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}
_CHINESE_NUMBER = re.compile(r"[零〇○一二两三四五六七八九十百千万亿]+")


def to_number(text: str, context: ValueContext) -> int | float:
    """Read the first number of a text.

    Raises:
        NotOfType: there is none.
    """
    narrow = short(text, "number")
    if match := _NUMBER.search(narrow):
        return _plain(_amount(match))
    if match := _CHINESE_NUMBER.search(narrow):
        return chinese_number(match.group())
    raise NotOfType(f"no number in {narrow!r}")


def _amount(match: re.Match[str]) -> Decimal:
    from price_parser.parser import parse_number

    amount = parse_number(match["digits"].replace("'", "").replace(" ", "")) or Decimal(0)
    for sign in match["unit"] or "":
        amount *= _UNITS[sign]
    before = match.string[: match.start()]
    negative = match["sign"] in ("-", "−") and not before[-1:].isalnum()  # "A-5" is no minus
    return -amount if negative and match["sign"] else amount


def _plain(amount: Decimal) -> int | float:
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def chinese_number(signs: str) -> int:
    """Read a whole number in Chinese numerals; a row of digits is read digit by digit.

    >>> chinese_number("三百二十"), chinese_number("二〇一〇"), chinese_number("一万零五"), chinese_number("十二")
    (320, 2010, 10005, 12)
    """
    if all(sign in _CHINESE_DIGITS for sign in signs):
        return int("".join(str(_CHINESE_DIGITS[sign]) for sign in signs))
    total = section = digit = 0
    for sign in signs:
        if sign in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[sign]
        elif sign in _CHINESE_UNITS:
            section += (digit or 1) * _CHINESE_UNITS[sign]
            digit = 0
        else:
            total = (total + section + digit or 1) * _UNITS[sign]
            section = digit = 0
    return total + section + digit


_CURRENCY_CODES = {"元": "CNY", "人民币": "CNY", "RMB": "CNY", "CN¥": "CNY", "€": "EUR", "£": "GBP"}
"""Signs that mean one currency only; "$" and "¥" do not, and stay as they are."""


def to_price(text: str, context: ValueContext) -> dict[str, Any]:
    """Read a price: its `amount`, and its `currency`, None where the text has none.

    Raises:
        NotOfType: there is no amount.
    """
    from price_parser import Price

    narrow = short(text, "price")
    match = _NUMBER.search(narrow)
    if match is None:
        raise NotOfType(f"no amount in {narrow!r}")
    currency = Price.fromstring(narrow).currency
    if currency in (None, "¥") and re.search("元|人民币|RMB", narrow):
        currency = "CNY"
    return {"amount": _plain(_amount(match)), "currency": _CURRENCY_CODES.get(currency or "", currency)}
