"""What a value is, and when a sample's value and a page's text are the same.

Extraction gives a page's text with folded white space, nothing else changed. Matching a sample is more tolerant:
width forms, typographic quotes, invisible characters and all white space are levelled (`squeeze`), because people
type values as they read them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit, urlunsplit

INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
SMART = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‐": "-"}
)


_OPENS_PARAMETERS, _CLOSES_PARAMETERS = re.compile(r"\w<[A-Za-z_?&']"), re.compile(r"[\w>?\])]>(?!=)")
"""Where signs of comparison are brackets: "Map<K, V>", not "n<2, m>1"."""
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">", "（": "）", "【": "】", "《": "》", "「": "」", "『": "』"}


_FILE = re.compile(r"\.[A-Za-z]\w{2,3}$")


def fold(text: str) -> str:
    """Fold every run of white space (also no-break and ideographic) into one blank, none at the ends.

    >>> fold(" From\\xa0Dead\\n to  Worse ")
    'From Dead to Worse'
    """
    return " ".join(text.split())


def level(text: str) -> str:
    """Fold, and level what keyboards and pages write differently: width, quotes, dashes, invisible characters."""
    if text.isascii():
        return fold(text).replace("`", "'")
    plain = unicodedata.normalize("NFKC", text.translate(INVISIBLE).translate(SMART))
    return fold(plain.translate(SMART))


def squeeze(text: str) -> str:
    """Level, and leave out all white space: equal results mean "the same value" when a sample is looked for.

    >>> squeeze("１ ２３\\xa0“a”") == squeeze('123 "a"')
    True
    """
    return level(text).replace(" ", "")


def same_text(one: str, other: str) -> bool:
    """Say whether two texts are the same value (see `squeeze`)."""
    return one == other or squeeze(one) == squeeze(other)


def is_url(text: str) -> bool:
    """Say whether *text* reads like an absolute http(s) URL; one of a file may have blanks."""
    text = text.strip()
    return text[:8].lower().startswith(("http://", "https://")) and (" " not in text or _FILE.search(text) is not None)


def same_url(one: str, other: str) -> bool:
    """Compare two absolute URLs; scheme and host in any case, with or without the lone final slash."""
    return _url_key(one) == _url_key(other)


@lru_cache(maxsize=10_000)
def _url_key(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, parts.fragment))


def same_value(found: Any, wanted: Any) -> bool:
    """Compare values of any shape: texts by `same_text`, lists in order, records key by key; empty is absent."""
    if is_empty(found) or is_empty(wanted):
        return is_empty(found) and is_empty(wanted)
    if isinstance(wanted, str):
        return isinstance(found, str) and (same_text(found, wanted) or (is_url(wanted) and same_url(found, wanted)))
    if isinstance(wanted, Mapping):
        if not isinstance(found, Mapping):
            return False
        return all(same_value(found.get(key), wanted.get(key)) for key in {*wanted, *found})
    if isinstance(found, str | Mapping) or not isinstance(found, Sequence) or len(found) != len(wanted):
        return False
    return all(same_value(mine, theirs) for mine, theirs in zip(found, wanted, strict=True))


def is_empty(value: Any) -> bool:
    """None, blank text, an empty list or record: "the page does not have this field"."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or not value


def first_text(value: Any) -> str:
    """The first text inside a value of any shape, "" if there is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        value = list(value.values())
    return next((text for part in value or () if (text := first_text(part))), "")


def split_outside(text: str, sign: str) -> list[str]:
    """The parts of a text between *sign*, which parts nothing inside brackets; a bracket without its other is a sign.

    >>> split_outside("Map<K, V>, Cloneable", ","), split_outside("a (b, c", ",")
    (['Map<K, V>', ' Cloneable'], ['a (b', ' c'])
    """
    if sign not in text:
        return [text]
    inside = _in_brackets(text)
    parts, start, at = [], 0, text.find(sign)
    while at >= 0:
        if not inside[at]:
            parts.append(text[start:at])
            start = at + len(sign)
        at = text.find(sign, at + len(sign))
    return [*parts, text[start:]]


def _in_brackets(text: str) -> list[bool]:
    """For each character whether it stands between two brackets of one kind; in one pass."""
    steps = [0] * len(text)
    opened: dict[str, list[int]] = {end: [] for end in _BRACKETS.values()}
    for place, sign in enumerate(text):
        if sign in _BRACKETS:
            if sign != "<" or _OPENS_PARAMETERS.match(text, place - 1):
                opened[_BRACKETS[sign]].append(place)
        elif opened.get(sign) and (sign != ">" or _CLOSES_PARAMETERS.match(text, place - 1)):
            steps[opened[sign].pop()] += 1
            steps[place] -= 1
    return [depth > 0 for depth in accumulate(steps)]
