"""Words of dates in sixty languages: names of months, spans of time, "ago" and "yesterday".

The words are dateparser's, which has them from the CLDR. Its parser is not used, for it makes a date of too much: it
ignores words it does not know ("5 Mart 2024" is in May), swaps misfits and takes each language's own order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

LANGUAGES = 60
"""Languages of dateparser that are used, the most common first. A word of two languages has the first one's sense."""

_LABEL = (
    r"on|circa|date|since|year|posted|published|updated|added|created|edited|modified|reviewed|written|answered|asked|seen"
    r"|in|am|vom|le|el|del|den|il|em"
)
_LEAD = re.compile(rf"\D*(?:[:于於在期间間]|\b(?:{_LABEL})\b)\W*|\W*", re.I)
_TRAIL = re.compile(r"\s?(?:$|[^\w\s'’%€$£,]|,(?!\s?\d)|(?:by|in|at|von|par|por|da|av|от)\b|[发發更公投掲등작])")

_LAST_WORD = re.compile(r"([^\W\d_]+)[.,(]* ?$")

UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
_SUMMER = ("may", "june", "july", "august")
MONTHS = ("january", "february", "march", "april", *_SUMMER, "september", "october", "november", "december")

SPOKEN = 24  # languages whose words that are a date by themselves are used: in others "Leo", "most" and "homme" are
Span = tuple[float, str]  # a number of units; negative ones lie ahead

_OWN_UNITS = {"个小时": "hour", "個小時": "hour", "个星期": "week", "個星期": "week", "礼拜": "week", "禮拜": "week"}
_OWN_UNITS |= {"个礼拜": "week", "個禮拜": "week", "周": "week", "週": "week", "个月": "month", "個月": "month"}
_OWN_UNITS |= {"개월": "month", "달": "month", "箇月": "month", "ヵ月": "month", "ケ月": "month", "秒钟": "second"}
_OWN_UNITS |= {"mos": "month", "yrs": "year", "wks": "week"}
_OWN_AGO = ("以前", "之前", "ago", "전")
_OWN_DAYS: dict[str, Span] = {"今日": (0, "day"), "昨日": (1, "day"), "前日": (2, "day"), "一昨日": (2, "day")}
_OWN_DAYS["그저께"] = (2, "day")
_OWN_DAYS |= dict.fromkeys(("刚才", "剛才", "just now", "방금", "たった今", "только что"), (0, "second"))
_OWN_DAYS |= dict.fromkeys(("上星期", "上礼拜", "上禮拜", "上個星期", "上个星期"), (1, "week")) | {"上月": (1, "month")}
"""Words that people write beside the CLDR's, above all in Chinese."""

_SPAN = re.compile(r"\(\\d\+{1,2}\[\.,]\?\\d\*\+?\)(?:\\s\*)?")
_WORD_CHOICE = re.compile(r"(\w*)\(([\w|]+)\)|(\w+)")


def fold(word: str) -> str:
    """Return the form of a word for look-ups: small letters, no dots.

    >>> fold("Mär.")
    'mär'
    """
    return word.casefold().replace(".", "").replace("’", "'")


def stands_alone(text: str, start: int, end: int) -> bool:
    """Tell whether only a label, a weekday, an author, and signs are around a part of a text: 1999 in "in 1999"."""
    word = _LAST_WORD.search(text, 0, start)
    is_weekday = word and fold(word[1]) in weekdays()
    return bool(_LEAD.fullmatch(text, 0, word.start() if word and is_weekday else start) and _TRAIL.match(text, end))


def starts_alone(text: str) -> tuple[int, ...]:
    """Return where a text begins, without signs, and where behind a label."""
    match = _LEAD.match(text)
    return (len(text) - len(text.lstrip("([\"'-–—·•| ")), match.end() if match else 0)


def usual_order(language: str) -> str:
    """Return the order of day, month and year in a language's dates in digits, as "dmy"; "" for one that is not known,
    and for English without a country, or of the United States, which pages in any language declare.

    >>> usual_order("de-AT"), usual_order("en-GB"), usual_order("zh-Hans-CN"), usual_order("en"), usual_order("en-US")
    ('dmy', 'dmy', 'ymd', '', '')
    """
    name, _, country = language.lower().replace("_", "-").partition("-")
    if name == "en" and country in ("", "us"):
        return ""
    words = next((words for words in _languages() if words["name"] == name), {})
    local = words.get("locale_specific", {}).get(f"{name}-{country.upper()}", {})
    return str({**words, **local}.get("date_order", "")).lower()


@cache
def month_numbers() -> dict[str, int]:
    """Return every name of a month, also without its accents → 1 … 12. Cost: 20 ms, once."""
    names: dict[str, int] = {}
    for words in _languages():
        for number, month in enumerate(MONTHS, 1):
            for name in map(fold, words.get(month, ())):
                if (len(name) > 2 or not name.isascii()) and not any(map(str.isdigit, name)):
                    names.setdefault(name, number)
    plain = {_without_accents(name): number for name, number in names.items()}
    return {"sept": 9} | plain | names


def _without_accents(name: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", name) if not "\u0300" <= sign <= "\u036f")


@cache
def weekdays() -> frozenset[str]:
    """Return every name of a day of the week."""
    days = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    return frozenset(fold(name) for words in _languages() for day in days for name in words.get(day, ()))


@cache
def unit_names() -> dict[str, str]:
    """Return every name of a span of time → its unit."""
    names: dict[str, str] = dict(_OWN_UNITS)
    for words in _languages():
        for name, unit in _units_of(words):
            names.setdefault(name, unit)
    return names


def _units_of(words: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return ((fold(name), unit) for unit in UNITS for name in words.get(unit, ()))


@cache
def spans_ago() -> dict[tuple[str, str], Span]:
    """Return (text before a number, text behind it), both without blanks → 1 or −1, and the unit."""
    found: dict[tuple[str, str], Span] = {}
    for words in _languages():
        for key, span in _frames(words):
            found.setdefault(key, span)
    return found


def _frames(words: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Span]]:
    """Yield the CLDR's patterns, then every word for "ago" with every form of a unit."""
    own = dict(_units_of(words))
    for kind, patterns in words.get("relative-type-regex", {}).items():
        unit = next((unit for unit in UNITS if unit in kind.split()), "")
        for before, _, behind in (_SPAN.sub("#", pattern).partition("#") for pattern in patterns):
            if unit and not re.search(r"[−–\\?]", before + behind) and (before or fold(behind.strip()) not in own):
                yield (squeeze(before), squeeze(behind)), (1 if "ago" in kind else -1, unit)
    for name, unit in (*_units_of(words), *_OWN_UNITS.items()):
        for ago in map(squeeze, (*words.get("ago", ()), *_OWN_AGO)):
            yield ("", squeeze(name) + ago), (1, unit)
            if ago[0] < "⺀":
                yield (ago, squeeze(name)), (1, unit)
        yield ("", squeeze(name) + "fromnow"), (-1, unit)


def squeeze(text: str) -> str:
    """Return a text as `spans_ago` has it: folded, without blanks."""
    return "".join(fold(text).split())


@cache
def spoken_days() -> dict[str, Span]:
    """Return "yesterday", "letzte Woche", "刚刚" … → how long ago that is."""
    found: dict[str, Span] = dict(_OWN_DAYS)
    for words in _spoken_languages():
        for kind, names in words.get("relative-type", {}).items():
            if match := re.fullmatch(r"(in )?(\d) (\w+)(?: ago)?", kind):
                span = (float(match[2]) * (-1 if match[1] else 1), match[3])
                found |= {fold(name): span for name in names if match[3] in UNITS and fold(name) not in found}
        for name, meaning in _simplified(words):
            count, _, rest = meaning.partition(" ")
            unit = unit_names().get(fold(rest.removesuffix(" temu")))
            if count.isdigit() and unit in ("day", "second") and not re.search(r"\W", name):
                found.setdefault(fold(name), (float(count), unit))
    return found


@cache
def spoken_numbers() -> dict[str, float]:
    """Return "an", "zwei", "одна" … → its number."""
    found: dict[str, float] = {"eine": 1, "einen": 1, "un'": 1, "een": 1}
    for words in _spoken_languages():
        for name, meaning in _simplified(words):
            if meaning.isdigit() and (match := _WORD_CHOICE.fullmatch(name)):
                forms = [match[3]] if match[3] else [match[1] + end for end in match[2].split("|")]
                found |= {fold(form): float(meaning) for form in forms if fold(form) not in found}
    return found


@cache
def spoken_spans() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern of words that are a count and a unit, and their meanings: "полчаса" → "30 минут"."""
    pairs = (pair for words in _languages() for pair in _simplified(words))
    spans = {fold(name): meaning for name, meaning in pairs if _is_span(name, meaning)}
    spans = {name: meaning for name, meaning in spans.items() if name not in spoken_days()}
    return re.compile(rf"\b(?:{'|'.join(spans)})\b", re.I), spans


def _is_span(name: str, meaning: str) -> bool:
    """Tell whether a word is an exact span: "some seconds", which dateparser takes for 44, is not."""
    count, _, unit = meaning.partition(" ")
    is_some = " " in name and count in ("2", "44")
    return not is_some and name.replace(" ", "").isalpha() and count.isdigit() and fold(unit) in unit_names()


@cache
def about_words() -> frozenset[str]:
    """Return the words between "ago" and a number that say little: etwa, environ."""
    return frozenset(fold(name) for words in _languages() for name in words.get("skip", ()) if len(name) > 3)


def _simplified(words: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return (pair for pairs in words.get("simplifications", ()) for pair in pairs.items())


def _spoken_languages() -> tuple[Mapping[str, Any], ...]:
    return (*_languages()[:SPOKEN], *(words for words in _languages() if words["name"] == "zh-Hant"))


@cache
def _languages() -> tuple[Mapping[str, Any], ...]:
    from dateparser.data.languages_info import language_order

    folder = "dateparser.data.date_translation_data"
    return tuple(import_module(f"{folder}.{name}").info for name in language_order[:LANGUAGES])
