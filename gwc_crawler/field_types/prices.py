"""Prices, as pages write them: the amount that stands beside the currency, and the currency."""

from __future__ import annotations

import re
from typing import Any

from gwc_crawler.field_types.context import NotOfType, ValueContext
from gwc_crawler.field_types.numbers import amount_of, decimals_of, folded, pattern, plain

_AMOUNT = pattern(r"(?<=\d)[wWmbB](?![A-Za-z0-9])")
_CURRENCY_CODES = {"元": "CNY", "人民币": "CNY", "RMB": "CNY", "CN¥": "CNY", "€": "EUR", "£": "GBP"}
"""Signs that mean one currency only; "$" and "¥" do not, and stay as they are."""


def to_price(text: str, context: ValueContext, notation: str = "") -> dict[str, Any]:
    """Read a price: its `amount`, and its `currency`, None where the text has none.

    Args:
        notation: see `to_number`.
    Raises:
        NotOfType: there is no amount.
    """
    from price_parser import Price

    narrow = folded(text, "price")
    match = _AMOUNT.search(narrow)
    if match is None:
        raise NotOfType(f"no amount in {narrow!r}")
    currency = Price.fromstring(narrow).currency
    if currency in (None, "¥") and re.search("元|人民币|RMB", narrow):
        currency = "CNY"
    return {"amount": plain(amount_of(match, notation)), "currency": _CURRENCY_CODES.get(currency or "", currency)}


def price_decimals(text: str) -> frozenset[str]:
    """Return the decimal marks with which a price can be read; none where the text has no price."""
    try:
        match = _AMOUNT.search(folded(text, "price"))
    except NotOfType:
        match = None
    return decimals_of(match) if match else frozenset()
