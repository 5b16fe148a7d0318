"""The mall's language: names, sentences and dates in English, simplified and traditional Chinese.

The words stand in `vocabulary.toml`. Every function takes the random generator it shall draw from, so that equal seeds
give equal words.
"""

from __future__ import annotations

import tomllib
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

SIMPLIFIED = "zh-Hans"
TRADITIONAL = "zh-Hant"
ENGLISH = "en"


class WordSource:
    """Draws words and sentences of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._is_english = language == ENGLISH
        self._lists: dict[str, list[str]] = vocabulary()["english" if self._is_english else "chinese"]

    def say(self, chinese: str, english: str) -> str:
        """One of two fixed texts: the Chinese one in this language's characters, or the English one."""
        return english if self._is_english else self._write(chinese)

    def pick(self, rng: Random, kind: str) -> str:
        """One word of a *kind*: "brands", "people", "series", "materials", …"""
        return self._write(rng.choice(self._lists[kind]))

    def pick_some(self, rng: Random, kind: str, low: int, high: int) -> list[str]:
        """*low* to *high* different words of a *kind*."""
        words = self._lists[kind]
        return [self._write(word) for word in rng.sample(words, min(rng.randint(low, high), len(words)))]

    def paragraph(self, rng: Random, low: int, high: int, kind: str = "sentences") -> str:
        """A text of *low* to *high* sentences that don't repeat."""
        return (" " if self._is_english else "").join(self.pick_some(rng, kind, low, high))

    def product_name(self, rng: Random, noun: str) -> str:
        """E.g. "Maple Folding Kettle, No. 36"."""
        place, adjective, edition = (self.pick(rng, kind) for kind in ("places", "adjectives", "editions"))
        number = rng.randint(2, 999)
        if self._is_english:
            return f"{place} {adjective} {noun}, {edition} {number}"
        return f"{place}{adjective}{noun}（第{number}{edition}）"

    def event_name(self, rng: Random) -> str:
        """E.g. "Harbour Workshop 12"."""
        place, event, number = self.pick(rng, "places"), self.pick(rng, "events"), rng.randint(2, 60)
        return f"{place} {event} {number}" if self._is_english else f"{place}{event}第{number}期"

    def article_title(self, rng: Random) -> str:
        """E.g. "Notes on small rooms (7)"."""
        heading, topic, number = self.pick(rng, "headings"), self.pick(rng, "topics"), rng.randint(1, 99)
        return f"{heading} {topic} ({number})" if self._is_english else f"{heading}{topic}（{number}）"

    def price(self, rng: Random) -> str:
        """A price in the language's currency."""
        amount = rng.randint(900, 99900) / 100
        if self._is_english:
            return f"${amount:,.2f}"
        return f"￥{amount:.2f}" if self.language == SIMPLIFIED else f"NT$ {int(amount * 4):,}"

    def _write(self, text: str) -> str:
        return text.translate(_to_traditional()) if self.language == TRADITIONAL else text


def day(rng: Random) -> str:
    """An ISO date within three years."""
    return (date(2022, 3, 1) + timedelta(days=rng.randrange(1100))).isoformat()


@cache
def vocabulary() -> dict[str, Any]:
    """The words and departments in `vocabulary.toml`."""
    return tomllib.loads(files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))


@cache
def _to_traditional() -> dict[int, int]:
    """Character by character: enough for the mall's own words."""
    table = vocabulary()["traditional"]
    return str.maketrans(table["from"], table["to"])
