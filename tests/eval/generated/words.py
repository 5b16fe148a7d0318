"""Words of the generated sites: names, labels, headings, prose, in three languages; the lists are in `words.toml`."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Words:
    """One language: what things are called, and how texts are put together of words.

    Attributes:
        labels: names of fields: price, date, author, code, place, maker, size, colour, weight, and further ones.
        chrome: Home, Search, About us, Contact, Terms, Help, Latest, Related, Categories, Next, Page, Print, Comments.
        blank, stop: what stands between two words, and behind a sentence.
    """

    code: str
    adjectives: Sequence[str]
    nouns: Sequence[str]
    verbs: Sequence[str]
    people: Sequence[str]
    labels: Sequence[str]
    headings: Sequence[str]
    chrome: Sequence[str]
    blank: str
    stop: str

    def name(self, rng: random.Random) -> str:
        """Return what a thing may be called."""
        words = [rng.choice(self.adjectives), rng.choice(self.nouns)]
        if rng.random() < 0.6:
            words.append(rng.choice(self.nouns))
        return self.blank.join(words)

    def names(self, rng: random.Random, count: int) -> list[str]:
        """Return so many names, no two the same."""
        found: dict[str, None] = {}
        while len(found) < count:
            name = self.name(rng)
            found[name if rng.random() < 0.7 else name + self.blank + rng.choice(self.adjectives)] = None
        return list(found)

    def sentence(self, rng: random.Random) -> str:
        """Return a sentence of 6 to 14 words, without its full stop."""
        kinds = (self.adjectives, self.nouns, self.verbs, self.nouns)
        words = [rng.choice(kinds[place % 4]) for place in range(rng.randint(6, 14))]
        return self.blank.join(words).capitalize()

    def paragraph(self, rng: random.Random, sentences: int) -> str:
        """Return so many sentences."""
        return "".join(self.sentence(rng) + self.stop for _ in range(sentences)).strip()


_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
LANGUAGES = {code: Words(code, **lists) for code, lists in _LISTS.items()}
