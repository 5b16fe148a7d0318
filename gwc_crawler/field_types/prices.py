"""Prices, as pages write them: the amount beside the currency, and the currency.

Each currency of a text takes the number beside it, and the cents behind it (`35€99`, `3元5角`). Return the first price
not labelled as another one, such as an old price or shipping. Two adjacent unlabelled prices: refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise
from typing import Any, TypeAlias

from gwc_crawler.field_types.numbers import (
    CHINESE_NUMERAL,
    LETTERS,
    MARK,
    MARKS,
    TO,
    NotOfType,
    ValueContext,
    amount_of,
    any_of,
    chinese_number,
    decimals_of,
    folded,
    pattern,
    plain,
)

_CHINESE = {"美元": "USD", "欧元": "EUR", "英镑": "GBP", "日元": "JPY", "港元": "HKD", "港币": "HKD", "元": "CNY"}
_CHINESE |= dict.fromkeys(("人民币", "RMB", "块", "圆"), "CNY")
_CURRENCY_CODES = {"CN¥": "CNY", "€": "EUR", "£": "GBP", **_CHINESE}
"""Signs that mean one currency only; "$" and "¥" do not, and stay as they are."""
_MORE_CURRENCIES = (*_CHINESE, "圓", "塊", "Euro", "euros", "dollar", "dollars", "pounds", "đ", "US $")
_BEFORE_AMOUNTS = "$¥£₹₩₱₦฿₪"
"""How currencies end that stand before their amount; others but "€" and the codes of three letters stand behind it."""

_ANOTHER = re.compile(
    r"(?i)(?:\b(?:was|were|statt|instead of|rrp|msrp|uvp|list(?: price)?|before|antes|avant|au lieu de|vorher|zamiast"
    r"|old(?: price)?|reg(?:ular)?(?: price)?|save|spare|shipping|versand)"
    r"|原价|原價|市场价|市場價|划线价|[立已]?[减省])[ .:]*$"
)
"""Matches the label of a price that is not the present one."""
_NOW = re.compile(
    r"(?i)(?:\b(?:now|jetzt|nur|ahora|maintenant|por|sale(?: price)?)|现价|現價|特价|券后价?|到手价?|→|->)[ .:]*$"
)
"""Matches the label of the present price."""
_NO_PRICE = re.compile(r" ?(?:%|(?:for|für|pour|por|за)\b)")
_THOUSANDS_OR_MILLIONS = re.compile(r" ?mil\b")
_FREE = re.compile(r"(?i)free|gratis|kostenlos|gratuite?|бесплатно|免费|免費|無料|무료")
_BESIDE = re.compile(r"[ .:+多余餘]*")
_FROM = re.compile(r"(?i)(?:from|ab|von|od|от|de|desde|ca\.?|approx\.?|约|約)?[ :]*")
_TO = re.compile(TO)
_MINUS = re.compile(r"(?:^|[\s(])[-−–]$")
_IN_BRACKETS = re.compile(r"\(.*\)")
_SPACED_OUT = re.compile(
    r"(?:[^\w.,]|[A-Z]{1,3}(?=\W))*(?:\d+|\d{1,3}(?:[ .,]\d{3})+)(?: ?[.,] | [.,])\d\d\W*[^\W\d]{0,4}\W*"
)
_BLANKS_AT_MARK = re.compile(r" ?([.,]) ?(?=\d\d(?!\d))")
_PER_LITTLE = re.compile(r"(?i) ?(?:/|per|pro|je|par|por) ?(?:l|lit(?:er|re|ro)s?|gal(?:lon)?s?|kwh)\b")
"""Matches units that never cost thousands: in "1.459 €/l" three digits are decimals."""
_AND = r" ?(?:(?:and|und|et|y|e|и) )?"
_CHINESE_UNITS = "元圆圓块塊"
_CENTS = {
    sign: re.compile(rf"{_AND}(\d\d?) ?(?i:{word})(?![{LETTERS}])")
    for signs, word in {
        "€ EUR euro euros Euro": "c|cts?|cents?",
        "$ dollar dollars": "¢|c|cents?",
        "£": "p|pence",
        "zł PLN": "gr|groszy",
        "₽ руб руб. р.": "коп|копе[еек]к[аи]?",
    }.items()
    for sign in signs.split()
} | dict.fromkeys(_CHINESE_UNITS, re.compile(r"(\d)(?:[角毛](?:(\d)分)?|(?<=[块塊]\d)$)"))
"""Currency → what finds its hundredths behind a price, or its tenths and hundredths."""
_WHOLE = re.compile(r"\d+|\d{1,3}(?:[.,' ]\d{3})+")
_EUROS = re.compile(r"(\d+) $")
_RAISED_CENTS = re.compile(r" (\d\d)(?= ?(?:$|/|each\b|ea\b|per\b))")
_CHINESE_AMOUNT = re.compile(rf"[一二三四五六七八九两兩]{CHINESE_NUMERAL}*|十{CHINESE_NUMERAL}+")
_COLON = re.compile(r"(\d):(\d\d)(?= ?kr)")
_DIGIT = re.compile(r"\d")
_LAKH = re.compile(r"((?:₹|Rs\.?|INR) ?[\d.,]+) ?(?:L|(C)r)\b")
_SMALL = re.compile(rf" ?(?:(¢|(?i:cents?|ct|pence)(?![{LETTERS}])|[cp]$|коп)|[角毛])")
_SAID_IN_CHINESE = re.compile("|".join(_CHINESE))
_UNITS = rf"(?<=\d)(?:[wWmbB]|MM)(?![0-9{LETTERS}])"

Match: TypeAlias = re.Match[str]


@dataclass(frozen=True, slots=True)
class _Price:
    """A number with the currency beside it; `text[start:end]` is all of it."""

    number: Match
    currency: str
    start: int
    end: int


def to_price(text: str, context: ValueContext, notation: str = "") -> dict[str, Any]:
    """Read a price: its `amount`, and its `currency`, None where the text has none; *notation*: see `to_number`.

    Raises NotOfType: there is no amount, or nothing tells which of several is meant.
    """
    from price_parser.parser import extract_currency_symbol

    narrow = _one_line(text)
    if _FREE.fullmatch(narrow):
        return {"amount": 0, "currency": None}
    price = _meant(narrow)
    if _THOUSANDS_OR_MILLIONS.match(price.number.string, price.number.end()):
        raise NotOfType(f"thousands or millions: {narrow!r}")
    if _IN_BRACKETS.fullmatch(narrow) and not re.search(r"\w", narrow[1 : price.start] + narrow[price.end :]):
        raise NotOfType(f"an amount in brackets, which may be less than nothing: {narrow!r}")
    if not notation and _PER_LITTLE.match(narrow, price.end):
        notation = next(iter(set(price.number.group()) & MARKS), "")
    amount = amount_of(price.number, notation)
    if price.number.start() > price.start and _MINUS.search(narrow, 0, price.start):
        amount = -abs(amount)
    if not price.currency and (small := _SMALL.match(narrow, price.end)):
        amount /= 100 if small[1] else 10
    said = narrow[price.start : price.end] if price.currency else narrow
    currency = extract_currency_symbol(said, None)
    if currency in (None, "¥") and (chinese := _SAID_IN_CHINESE.search(said)):
        currency = _CHINESE[chinese.group()]
    return {"amount": plain(amount), "currency": _CURRENCY_CODES.get(currency or "", currency)}


def price_decimals(text: str) -> frozenset[str]:
    """Return the decimal marks with which a price can be read; none where its amount has no mark."""
    try:
        number = _meant(_one_line(text)).number
    except NotOfType:
        return frozenset()
    return decimals_of(number) if MARK.search(number.group()) else frozenset()


def _one_line(text: str) -> str:
    """Return a folded text: cents that are raised stand behind "٫", footnotes are left out, lakhs are called so."""
    narrow = folded(text, "price")
    if "^" in narrow:
        narrow = re.sub(r"\^[-+−]?\d+", "", re.sub(r"(?<![.,]\d\d)(?<![.,]\d)\^(\d\d)(?!\d)", r"٫\1", narrow))
    if ":" in narrow:
        narrow = _COLON.sub(r"\1٫\2", narrow)
    if _SPACED_OUT.fullmatch(narrow):
        narrow = _BLANKS_AT_MARK.sub(r"\1", narrow)
    if not _DIGIT.search(narrow):
        narrow = _CHINESE_AMOUNT.sub(lambda found: str(chinese_number(found.group())), narrow)
    return _LAKH.sub(lambda found: f"{found[1]} {'crore' if found[2] else 'lakh'}", narrow)


def _meant(text: str) -> _Price:
    """Return the price that a text means. Raises NotOfType: it has no number, or nothing tells which is meant."""
    numbers = list(pattern(_UNITS).finditer(text))
    prices = list(_prices(text, numbers))
    if len(numbers) == len(prices) == 1:  # nearly always
        return prices[0]
    ends = [0, *(price.end for price in prices)]
    before = zip(prices, ends, strict=False)
    wanted = [one for one, end in before if not _ANOTHER.search(text, end, one.start)] or prices
    wanted = [one for one in wanted if _NOW.search(text, 0, one.start)] or wanted
    for one, other in islice(pairwise(wanted), 1):
        if one.currency == other.currency and not text[one.end : other.start].strip():
            raise NotOfType(f"two prices, and nothing tells which is meant: {text[one.start : other.end]!r}")
    if wanted:
        return _first_of_range(text, wanted[0], numbers)
    for number in numbers:
        if not _NO_PRICE.match(text, number.end()):
            return _Price(number, "", number.start(), number.end())
    raise NotOfType(f"no amount in {text!r}")


def _prices(text: str, numbers: Sequence[Match]) -> Iterator[_Price]:
    """Yield each number with a currency beside it."""
    signs = list(_currency().finditer(text)) if numbers else []
    beside = [_beside(text, sign, numbers) for sign in signs]
    all_before = bool(beside) and not beside[0][0] and bool(beside[-1][1])
    all_behind = bool(beside) and not beside[-1][1] and bool(beside[0][0])
    last: _Price | None = None
    for sign, (before, after) in zip(signs, beside, strict=True):
        if last and before and before.end() <= last.end:  # it has its currency
            if not after:  # "¥12.50元"
                last = replace(last, end=max(last.end, sign.end()))
                continue
            before = None
        if before and after and (all_before or all_behind):
            before, after = (None, after) if all_before else (before, None)
        if price := _price(text, sign, before, after):
            if last:
                yield last
            last = price
    if last:
        yield last


def _beside(text: str, sign: Match, numbers: Sequence[Match]) -> tuple[Match | None, Match | None]:
    """Return the numbers that stand right before and right behind a currency."""
    before = next((one for one in reversed(numbers) if one.end() <= sign.start()), None)
    after = next((one for one in numbers if one.start() >= sign.end()), None)
    return (
        before if before and _BESIDE.fullmatch(text, before.end(), sign.start()) else None,
        after if after and _BESIDE.fullmatch(text, sign.end(), after.start()) else None,
    )


def _price(text: str, sign: Match, before: Match | None, after: Match | None) -> _Price | None:
    """Return the price that a currency makes with the number beside it, of two with the nearer one."""
    if before and after:
        gaps = sign.start() - before.end(), after.start() - sign.end()
        if gaps[0] == gaps[1]:
            if whole := _cut_in_two(text, sign, before, after):
                return whole
            gaps = (0, 1) if _stands_behind(text, sign.group(), before, after) else (1, 0)
        before, after = (before, None) if gaps[0] < gaps[1] else (None, after)
    number = before or after
    if number is None:
        return None
    price = _Price(number, sign.group(), min(number.start(), sign.start()), max(number.end(), sign.end()))
    return _with_cents_behind(text, price) if _is_whole(number) else price


def _with_cents_behind(text: str, price: _Price) -> _Price:
    """Return a price with the cents that stand behind its currency, or behind its amount in a field of their own."""
    cents = _CENTS[price.currency].match(text, price.end) if price.currency in _CENTS else None
    if cents:
        digits = "".join(filter(None, cents.groups()))
        return _with_cents(price, digits if price.currency in _CHINESE_UNITS else digits.zfill(2), cents.end())
    if price.number.end() == price.end and (cents := _RAISED_CENTS.match(text, price.end)):  # "$19 99"
        return _with_cents(price, cents[1], cents.end())
    euros = _EUROS.match(text, 0, price.start)
    if euros and price.number["body"] == price.number.group() and len(price.number.group()) == 2:  # "19 99 €"
        return replace(price, number=_number(f"{euros[1]}٫{price.number.group()}"), start=0)
    return price


def _cut_in_two(text: str, sign: Match, before: Match, after: Match) -> _Price | None:
    """Return the price with its currency in place of the decimal mark, `35€99`; None if they are two numbers."""
    ends, is_cents = not text[after.end() :].strip(), re.fullmatch(r"\d\d", after.group())
    glued = before.end() == sign.start() and not _currency().match(text, after.end())
    if not (is_cents and _is_whole(before) and (glued or (ends and sign.group()[-1] not in _BEFORE_AMOUNTS))):
        return None
    return _with_cents(_Price(before, sign.group(), before.start(), sign.end()), after.group(), after.end())


def _stands_behind(text: str, sign: str, before: Match, after: Match) -> bool:
    """Say whether a currency that is as near to the number after it belongs to the one before."""
    if sign[-1] in _BEFORE_AMOUNTS:
        return False
    begins, ends = not text[: before.start()].strip(), not text[after.end() :].strip()
    if sign == "€" or re.fullmatch("[A-Z]{3}", sign):
        if begins == ends:
            raise NotOfType(f"two numbers, and nothing tells which is the amount: {text!r}")
        return begins
    return True


def _is_whole(number: Match) -> bool:
    """Say whether a number is nothing but digits, which may be cut by thousands."""
    return _WHOLE.fullmatch(number.group()) is not None


def _number(text: str) -> Match:
    found = pattern(_UNITS).fullmatch(text)
    assert found is not None
    return found


def _with_cents(price: _Price, cents: str, end: int) -> _Price:
    return replace(price, number=_number(f"{price.number.group()}٫{cents}"), end=end)


def _first_of_range(text: str, price: _Price, numbers: Sequence[Match]) -> _Price:
    """Return the lower end of a range that a text begins with, `5–9 €`; else the price."""
    first = numbers[0]
    if first.end() > price.number.start() or price.number.string is not text or not first["body"]:
        return price
    joins = _TO.fullmatch(text, first.end(), price.number.start("body"))
    return replace(price, number=first) if joins and _FROM.fullmatch(text, 0, first.start()) else price


@cache
def _currency() -> re.Pattern[str]:
    """Return the regex of a currency: a sign, or a word by itself."""
    from price_parser.parser import OTHER_CURRENCY_SYMBOLS, SAFE_CURRENCY_SYMBOLS

    known = {one.strip("\u200f ") for one in (*SAFE_CURRENCY_SYMBOLS, *OTHER_CURRENCY_SYMBOLS, *_MORE_CURRENCIES)}
    words = {one for one in known if re.match(f"[{LETTERS}]", one)}
    ending = f"(?:(?<![{LETTERS}])|(?![{LETTERS}]))"
    return re.compile(f"(?:(?<![{LETTERS}]){any_of(words)}|{any_of(known - words)}){ending}")
