"""Affixes: the literal text before and after a value inside a longer text, learned from samples."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

LONGEST_LEVELLED = 2_000
SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")


@dataclass(frozen=True, slots=True)
class Affixes:
    """The literals around a value, and conditions on it.

    Attributes:
        before, after: the literal texts; "" for the text's start or end.
        whole_before, whole_after: no other text stands before (after) it: the text must start (end) with it.
        optional: a text without the literals is the value as it stands; one with `before` alone ends with the value.
    """

    before: str = ""
    after: str = ""
    whole_before: bool = True
    whole_after: bool = True
    last: bool = False  # `before` is looked for from the end
    any_case: bool = False  # the literals stand in lower case and are looked for in any
    optional: bool = False
    digits: bool = False  # a text without a digit is no value ("Check in store" where others have a price)
    sentence: bool = False  # the first sentence of the rest is the value
    longest: int = 0  # a text of more characters that is not like a number is no value; 0 for any length
    nothing: tuple[str, ...] = ()  # texts that stand in place of a value: "--"

    def apply(self, text: str) -> str | None:
        """Return the value inside *text*; None where the literals are not there."""
        found = self._cut(text)
        if found in self.nothing:
            return None
        if found is not None and self.sentence:
            end = SENTENCE_END.search(found)
            found = found[: end.end()] if end else found
        if found is None or (self.digits and not has_digit(found)):
            return None
        return None if 0 < self.longest < len(found) and not is_like_number(found) else found

    def _cut(self, text: str) -> str | None:
        if not self.any_case:
            found = self._inside(text, text)
        else:
            found = self._inside(text, text.lower()) if len(text.lower()) == len(text) else None
        if found is None and not text.isascii() and len(text) <= LONGEST_LEVELLED:
            found = self._of_any_width(text)
        return text if found is None and self.optional else found

    def _of_any_width(self, text: str) -> str | None:
        """Return the value between literals of another width: "［Tang］" for "[Tang]"."""
        plain = _narrow(text.lower() if self.any_case else text)
        if len(plain) != len(text):
            return None
        return replace(self, before=_narrow(self.before), after=_narrow(self.after))._inside(text, plain)

    def _inside(self, whole: str, text: str) -> str | None:
        start = 0
        if self.before:
            if self.whole_before:
                if not text.startswith(self.before):
                    return None
            else:
                start = text.rfind(self.before) if self.last else text.find(self.before)
                if start < 0:
                    return None
            start += len(self.before)
        end = len(text)
        if self.after:
            last = end - len(self.after) if text.endswith(self.after) else -1
            end = last if self.whole_after else text.find(self.after, start)
            if end < 0:
                if not (self.optional and self.before):
                    return None
                end = len(text)
        return whole[start:end].strip() if start <= end else None

    @property
    def cost(self) -> float:
        """How much can break: literal ends are safe, literals somewhere inside are less so."""
        parts = ((self.before, self.whole_before), (self.after, self.whole_after))
        literals = sum(0.3 + 0.5 * (not whole) for literal, whole in parts if literal)
        return literals + 0.3 * self.optional + 0.1 * self.digits + 0.5 * self.sentence

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the wrapper file; defaults are left out."""
        usual = Affixes()
        told = {name: getattr(self, name) for name in self.__slots__ if getattr(self, name) != getattr(usual, name)}
        return told | ({"nothing": list(self.nothing)} if self.nothing else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Affixes:
        """Return the inverse of `to_json`."""
        return cls(**{**data, "nothing": tuple(data.get("nothing", ()))})


NO_AFFIXES = Affixes()
FIRST_WORD = Affixes(after=" ", whole_after=False, optional=True)
FIRST_SENTENCE = Affixes(sentence=True)
LAST_WORD = Affixes(before=" ", whole_before=False, last=True, optional=True)


def _narrow(text: str) -> str:
    """Return the text with full-width signs as narrow ones, each in its place."""
    return "".join(plain if len(plain := unicodedata.normalize("NFKC", one)) == 1 else one for one in text)


def has_digit(text: str) -> bool:
    """Say whether a text has a digit of any script."""
    return any(map(str.isdigit, text))


def is_like_number(text: str) -> bool:
    """Say whether a text is made of digits rather than letters: a number, a price, a version.

    >>> is_like_number("$8.00 – $32.00"), is_like_number("10 mL"), is_like_number("3 May 2015")
    (True, True, True)
    >>> is_like_number("Check in store"), is_like_number("Formula 1")
    (False, False)
    """
    return has_digit(text) and sum(map(str.isalpha, text)) <= sum(map(str.isdigit, text))
