"""Whether values are of one kind: the same sorts of characters, of like length; and values in a form to compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from gwc_crawler.extract.fields.values import is_empty, squeeze
from gwc_crawler.similarity import overlap


def kind_of(samples: Sequence[Any]) -> Callable[[Any], float]:
    """A measure of whether a value is of the samples' kind: the same sorts of characters, of like length."""
    texts = [text for value in samples if not is_empty(value) for text in _texts(value_key(value))]
    sorts = {_sorts(text) for text in texts}
    if not texts:
        return lambda value: 1.0
    shortest, longest = min(map(len, texts)), max(map(len, texts))
    signs = set.intersection(*(set(OTHER.findall(text)) for text in texts))

    def measure(value: Any) -> float:
        found = _texts(value)
        if not found:
            return 0.0
        likeness = (_likeness(text, sorts, shortest, longest) * _has_signs(text, signs) for text in found)
        return sum(likeness) / len(found)

    return measure


def _likeness(text: str, sorts: set[str], shortest: int, longest: int) -> float:
    here = _sorts(text)
    like = max(overlap(set(here), set(one)) for one in sorts) if here else 0.0
    fits = shortest / 8 - 2 <= len(text) <= 8 * longest + 20
    return like * (1.0 if fits else 0.6)


def _has_signs(text: str, signs: set[str]) -> float:
    """How far a text has the signs that all samples have (the "::" of "std::fs"): .7 for none of them to 1 for all."""
    return 0.7 + 0.3 * sum(sign in text for sign in signs) / len(signs) if signs else 1.0


def _sorts(text: str) -> str:
    """The sorts of characters in a text: a letter, d digit, c Chinese and the like, s currency, u address, / others."""
    if text.startswith(("http:", "https:")):
        return "u"
    found = "".join(sort for sort, pattern in SORTS.items() if pattern.search(text))
    return found + "/" if "a" not in found and "c" not in found and OTHER.search(text) else found or "p"


SORTS = {
    "a": re.compile(r"[A-Za-z\u00c0-\u024f]"),
    "d": re.compile(r"\d"),
    "c": re.compile(r"[\u2e80-\U0003ffff]"),
    "s": re.compile(r"[$€£¥￥]"),
}
OTHER = re.compile(r"[^\w\s.,$€£¥￥\u2e80-\U0003ffff]")


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for part in value for text in _texts(part[1] if _is_pair(part) else part)]
    return []


def _is_pair(part: Any) -> bool:
    return isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], str) and not isinstance(part[1], str)


def value_key(value: Any) -> Any:
    """A hashable form of a value for comparing candidates; None for nothing."""
    if isinstance(value, str):
        return squeeze(value) or None
    if isinstance(value, list):
        return tuple(map(value_key, value)) or None
    if isinstance(value, dict):
        return tuple((name, value_key(part)) for name, part in value.items())
    return None
