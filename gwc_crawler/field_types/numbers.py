"""Numbers, as pages write them: `1,234.5`, `1’234,50`, `1億2,500万`, `1½`, `٣٫٥`, `三百二十`.

One pattern finds a number, whatever is around it; prices are made of the same ones. The number itself decides whether
a dot or a comma is the decimal mark (`decimals_of`), or else its column, as `notation`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

MAX_CHARS = 200  # longer texts are no number, price or date


class NotOfType(ValueError):
    """The text can't be read as the type; the message is the reason, for the exceptions table."""


@dataclass(frozen=True, slots=True)
class ValueContext:
    """The context of a value: the page's URL and when it was fetched (seconds since the epoch)."""

    url: str = ""
    fetched_at: float | None = None


def short(text: str, what: str) -> str:
    """Return a text with full-width signs and white space folded: ￥１２ → ¥12; NotOfType: empty, or too long."""
    narrow = " ".join(unicodedata.normalize("NFKC", text[: 10 * MAX_CHARS]).split())
    if not narrow or len(narrow) > MAX_CHARS:
        raise NotOfType(f"no {what}: {'empty' if not narrow else f'{len(narrow)} characters long'}")
    return narrow


MARKS = frozenset(".,")  # the decimal marks; the one that is not may group thousands

_CHINESE_DIGITS = dict(zip("零一二三四五六七八九〇○两兩", [*range(10), 0, 0, 2, 2], strict=True))
_SIGNS = dict(zip("十百백千천万萬만亿億억兆조", [1, 2, 2, 3, 3, 4, 4, 4, 8, 8, 8, 12, 12], strict=True))
_WORDS = {
    3: "k K thousand tausend tsd тыс tys ribu rb nghìn ngàn",
    5: "lakh lakhs lac lacs",
    6: "M million millions millionen millones millón milhão milhões milioni milione mio mln mn miljoen miljoner "
    "миллион миллиона миллионов млн triệu juta jt",
    7: "crore crores",
    9: "billion billions bn milliard milliarde milliarden milliards mrd mld миллиард миллиарда миллиардов млрд miljard "
    "miliar tỷ",
    12: "trillion trillions",
}
"""Power of ten → words for it; none of them is another number in another language, like "mil" and "billón"."""
_SCALES = {sign: Decimal(10) ** power for sign, power in _SIGNS.items()}
_SCALES |= {word: Decimal(10) ** power for power, words in _WORDS.items() for word in words.split()}
_SCALES |= {"m": _SCALES["M"], "mm": _SCALES["M"], "b": _SCALES["bn"], "w": _SCALES["万"]}
_POINTED = re.compile(rf"[{''.join(_SIGNS)}kbmw]|mm|bn|la(?:c|kh)s?|thousand|(?:m|b|tr)illions?|crores?")
"""Units of languages that write a point for the decimal mark; the others write a comma."""

_COMMA_LANGUAGES = re.compile(
    r"(?:bg|ca|cs|da|de|el|et|fi|fr|hr|hu|id|it|lt|lv|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk|vi)\b(?!-(?:ch|li)).*",
    re.I,
)
_POINT_LANGUAGES = re.compile(r"(?:he|hi|ja|ko|th|zh|en-(?:au|ca|gb|hk|ie|in|nz|sg))\b.*", re.I)


def usual_decimal(language: str) -> str:
    """Return the decimal mark of a language; "" for English without a country, which pages in any language declare,
    for languages that differ by country, and for Switzerland.

    >>> usual_decimal("zh-CN"), usual_decimal("en-GB"), usual_decimal("de"), usual_decimal("de-CH")
    ('.', '.', ',', '')
    """
    return "." if _POINT_LANGUAGES.fullmatch(language) else "," if _COMMA_LANGUAGES.fullmatch(language) else ""


def any_of(words: Iterable[str]) -> str:
    """Return a regex for any of *words*, the longest first; it fails at once if none of them begins like the text."""
    tails: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        tails.setdefault(word[0], []).append(re.escape(word[1:]))
    branches = "|".join(f"{re.escape(first)}(?:{'|'.join(some)})" for first, some in tails.items())
    return f"(?=[{''.join(map(re.escape, tails))}])(?:{branches})"


LETTERS = r"A-Za-z\u00c0-\u024f\u0370-\u04ff\u1e00-\u1eff"
_SIGN_UNIT = rf"(?!千[克米瓦卡])[{''.join(_SIGNS)}]"
_UNIT_WORDS = [word for words in _WORDS.values() for word in words.split() if len(word) > 1]
_WORD_UNIT = (
    any_of({*"kKM", *(form for word in _UNIT_WORDS for form in (word, word.title(), word.upper()))})
    + rf"(?![0-9{LETTERS}])\.?"
)
_BODY = r"(?:[1-9]\d{0,2}(?:(?: \d{3})+|(?:'\d{3})+)(?!\d)(?:[.,٫]\d+)?|\d+(?:[.,٫]\d+)*)"

TO = r" ?(?:[-–—~]|至|到|to|bis|à|do|до) ?"  # between the two numbers of a range


@cache
def pattern(more_units: str = r"[wW](?=\+|[\u3400-\u9fff])") -> re.Pattern[str]:
    """Return the regex of a number with *more_units* (a regex) besides the usual units; large, so made when needed."""
    unit = rf"(?: ?(?:{_SIGN_UNIT}|{_WORD_UNIT}|{more_units}))+"
    behind_sign = rf"(?<=[{''.join(_SIGNS)}]){_BODY}|(?<=[만억조]) (?:\d{{4}}(?!\d)|\d,\d{{3}})"
    fraction = r"(?:\d+ )?\d+⁄[1-9]\d*|\d+[ -][1-9]\d?/(?:[234568]|10|16|32|64)(?![\d/])"
    power = r"[eE][+-]?\d{1,2}(?![\w.,])| ?[×x] ?10\^[-−]?\d{1,2}"
    return re.compile(
        rf"(?=[-+−–.,٫\d])(?P<sign>[-+−–]?)(?:(?P<fraction>{fraction})"
        rf"|(?P<body>{_BODY}|(?<![\w.,])[.,٫]\d+)(?P<dash>[.,] ?[-–—]{{1,2}}(?!\d))?(?P<power>{power})?"
        rf"(?:(?P<rest>{unit}(?: ?{_BODY}{unit})*(?:{behind_sign})?)|(?={TO}{_BODY}(?P<shared>{unit})))?)"
    )


_PART = re.compile(rf"({_BODY})|({_SIGN_UNIT}|[{LETTERS}]+)")
CHINESE_NUMERAL = f"[{''.join(_CHINESE_DIGITS)}{''.join(_SIGNS)}]"
_CHINESE_NUMBER = re.compile(rf"{CHINESE_NUMERAL}+(?:[点點][{''.join(_CHINESE_DIGITS)}]+)?")
_RAISED = re.compile("([⁻⁺]?[⁰¹²³⁴-⁹]+)")
_RAISED_ALONE = re.compile(rf"(?<![\d⁰¹²³⁴-⁹⁻⁺]){_RAISED.pattern}")
_FRACTION = re.compile(r"(?<=\d)([¼-¾⅐-⅞])")
_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")
MARK = re.compile(r"[.,](?=\d| ?[-–—])")  # matches a possible decimal mark in a number
_GOES_ON = re.compile(r"'\d|\^| \d+ \d")
_NO_GROUPS = str.maketrans("", "", ".,' ")
_APART = dict.fromkeys(map(ord, "’‘ʼ′´`٬"), "'") | {ord("،"): ","}
_RAISED_POINT = re.compile(r"(?<=\d)·(?=\d)")
_ODD = re.compile(rf"[{''.join(map(chr, _APART))}·⁰¹²³⁴-⁹¼-¾⅐-⅞]|{_FOREIGN_DIGIT.pattern}")


def folded(text: str, what: str) -> str:
    """Return `short` of a text with ½ set apart as a fraction, raised signs after "^", all digits in our form."""
    if _ODD.search(text):
        text = _RAISED_POINT.sub("٫", text)
        text = _RAISED.sub(r"^\1", _RAISED_ALONE.sub(" ", text.translate(_APART)))
        text = _FRACTION.sub(r" \1", text)
        text = _FOREIGN_DIGIT.sub(lambda found: str(unicodedata.decimal(found.group())), text)
    return short(text, what)


def to_number(text: str, context: ValueContext, notation: str = "") -> int | float:
    """Read the first number of a text; the 3 of `3-5`, the 4 of `4/5`; NotOfType: there is none.

    *notation*: the decimal mark of its column; "" if not known: three digits behind a mark are thousands then, unless
    their unit is of a language in which they are decimals ("2.525 million").
    """
    narrow = folded(text, "number")
    if match := pattern().search(narrow):
        return plain(amount_of(match, notation))
    if match := _CHINESE_NUMBER.search(narrow.replace("百分之", "")):
        whole, _, digits = re.sub("點", "点", match.group()).partition("点")
        return plain(chinese_number(whole) + Decimal(f"0.{chinese_number(digits)}" if digits else 0))
    raise NotOfType(f"no number in {narrow!r}")


def number_decimals(text: str) -> frozenset[str]:
    """Return the decimal marks with which the first number of a text can be read; none if it has no mark."""
    try:
        match = pattern().search(folded(text, "number"))
    except NotOfType:
        return frozenset()
    return decimals_of(match) if match and MARK.search(match.group()) else frozenset()


def decimals_of(match: re.Match[str]) -> frozenset[str]:
    """Return the decimal marks with which a found number can be read; both if it does not tell."""
    body, dash = match["body"] or "", match["dash"]
    allowed = _decimals(body)
    if match["power"]:  # nobody writes "1,234e5" for 1234e5
        allowed &= MARKS.intersection(body) or MARKS
    if rest := match["rest"]:
        allowed = allowed.intersection(*(_decimals(digits) for digits, _ in _PART.findall(rest)))
    return allowed & {dash[0]} if dash and dash[0] not in body else allowed  # "1.000,-"


def _decimals(body: str) -> frozenset[str]:
    """Return the possible decimal marks of the digits of one number; both if it has no mark, or none that tells."""
    if body.isdigit():
        return MARKS
    marks = [sign for sign in body if sign in ".,"]
    if "٫" in body:
        whole, _, decimals = body.partition("٫")
        is_number = decimals.isdigit() and (not marks or _are_groups(re.split("[.,]", whole)))
        return MARKS.difference(marks) if is_number else frozenset()
    if not marks:
        return MARKS
    last, groups = marks[-1], re.split("[.,]", body)
    if len(set(marks)) == 2:
        grouped = len(set(marks[:-1])) == 1 and last not in marks[:-1] and _are_groups(groups[:-1])
        return frozenset(last if grouped else "")
    if len(marks) > 1:
        return MARKS - {last} if _are_groups(groups) else frozenset()
    return MARKS if _are_groups(groups) and len(groups[1]) == 3 else frozenset(last)


def _are_groups(groups: list[str]) -> bool:
    """Say whether a number may be cut so: by thousands, as in India (1,23,456), or by ten thousands."""
    first, *others, last = groups
    if first[:1] in ("", "0") or not first.isdigit():
        return False
    sizes = {len(group) for group in others}
    if len(last) == 3:
        return len(first) <= 3 and (sizes <= {3} or sizes == {2})
    return len(first) <= 4 and len(last) == 4 and sizes <= {4}


def amount_of(match: re.Match[str], notation: str) -> Decimal:
    """Return the value of a found number, with *notation* as decimal mark if possible; NotOfType: `192.168.1.1`."""
    allowed, rest = decimals_of(match), match["rest"] or match["shared"]
    if not allowed or _GOES_ON.match(match.string, match.end()):
        raise NotOfType(f"no number that can be told: {match.group()!r}")
    if rest and not notation:
        unit = next(unit for _, unit in _PART.findall(rest) if unit).lower()
        notation = "." if _POINTED.fullmatch(unit) else ","
    if match["fraction"]:
        *whole, top, bottom = map(Decimal, re.split("[- ⁄/]", match["fraction"]))
        amount = sum(whole, top / bottom)
    else:
        amount = _value(match["body"], allowed, notation)
    if rest:
        parts = (_value(body, allowed, notation) if body else _unit(unit) for body, unit in _PART.findall(rest))
        amount = _summed((amount, *parts))
    if match["power"]:
        amount = amount.scaleb(int(re.sub(r".*(?:[eE]|\^)", "", match["power"]).replace("−", "-")))
    start = match.start()
    is_minus = match["sign"] in tuple("-−–") and not match.string[start - 1 : start].isalnum()  # not in "A-5"
    return -amount if is_minus or match.string.endswith(("零下", "负", "負"), 0, start) else amount


def _value(body: str, allowed: frozenset[str], notation: str) -> Decimal:
    """Return the value of digits; if both marks are *allowed* and no *notation* is given, a mark in them groups."""
    if body.isdigit():
        return Decimal(body)
    mark = min({notation} & allowed or allowed - set(body) or allowed)
    whole, _, decimals = body.replace("٫", mark).partition(mark)
    return Decimal(f"{whole.translate(_NO_GROUPS)}.{decimals}")


def plain(amount: Decimal) -> int | float:
    """Return a whole number as one, others as the nearest float."""
    return int(amount) if amount == amount.to_integral_value() else float(amount)


@dataclass(frozen=True, slots=True)
class _Unit:
    scale: Decimal
    is_sign: bool


def _unit(written: str) -> _Unit:
    return _Unit(_SCALES.get(written) or _SCALES[written.lower()], written in _SIGNS)


def _summed(parts: Iterable[Decimal | _Unit]) -> Decimal:
    """Add up parts with units: 3 百 2 十 is 320, 2 千 万 is 20,000,000, 1.5 million is 1,500,000.

    A unit multiplies the smaller amount before it; a part that does not fit under the unit before it is another
    number, which ends this one. A digit right behind a Chinese unit counts in the next unit below: 12万5 is 125,000.
    """
    terms: list[tuple[Decimal, Decimal]] = []  # a value, and the unit it ended with
    digits: list[Decimal] = []  # behind the last unit
    last: _Unit | None = None
    for part in parts:
        if isinstance(part, Decimal):
            digits.append(part)
            continue
        smaller = []
        while terms and terms[-1][0] < part.scale:
            smaller.append(terms.pop()[0])
        value = part.scale * (sum((*smaller, *digits[-1:])) if smaller or digits else 1)
        if terms and value >= terms[-1][1]:
            return sum((one for one, _ in terms), Decimal(0))
        terms.append((value, part.scale))
        digits, last = [], part
    rest = digits[-1] if digits else Decimal(0)
    if last and last.is_sign and len(digits) == 1 and rest in range(1, 10):
        rest *= last.scale / 10
    return sum((value for value, _ in terms), Decimal(0)) + (rest if not last or rest < last.scale else 0)


def chinese_number(signs: str) -> int:
    """Read a whole number in Chinese numerals; a row of digits is read digit by digit.

    >>> chinese_number("三百二十"), chinese_number("二〇一〇"), chinese_number("一万零五"), chinese_number("十二")
    (320, 2010, 10005, 12)
    >>> chinese_number("一亿二千五百万"), chinese_number("三万五")
    (125000000, 35000)
    """
    if all(sign in _CHINESE_DIGITS for sign in signs):
        return int("".join(str(_CHINESE_DIGITS[sign]) for sign in signs))
    return int(_summed(_unit(sign) if sign in _SIGNS else Decimal(_CHINESE_DIGITS[sign]) for sign in signs))
