"""What the checks of a site file share: notes of mistakes and warnings under key paths, and the words for them."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias

from gwc_crawler.sites.toml_text import KeyPath

Note: TypeAlias = tuple[int | None, str]
"""A line (None: the whole file) and a sentence."""


class Notes:
    """Collects mistakes and warnings; both come out in file order, those of the whole file first."""

    def __init__(self, lines: Mapping[KeyPath, int]) -> None:
        self._lines = lines
        self._mistakes: list[Note] = []
        self._warnings: list[Note] = []

    def mistake(self, path: KeyPath, text: str) -> None:
        """Note what makes the file unusable; reading goes on, to find the other mistakes."""
        self._mistakes.append((self.line(path), text))

    def warning(self, path: KeyPath, text: str) -> None:
        """Note what works, but could be better."""
        self._warnings.append((self.line(path), text))

    def line(self, path: KeyPath) -> int | None:
        """Return the line of *path*, or of the nearest table around it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path)

    @property
    def mistakes(self) -> list[Note]:
        """All mistakes so far, in file order."""
        return sorted(self._mistakes, key=_by_line)

    @property
    def warnings(self) -> list[Note]:
        """All warnings so far, in file order."""
        return sorted(self._warnings, key=_by_line)


def _by_line(note: Note) -> int:
    return note[0] or 0


def suggest(word: str, known: Collection[str]) -> str:
    """Return "did you mean 'x'?" for the most similar of *known*, or "".

    >>> suggest("feilds", ["url", "fields"])
    "did you mean 'fields'?"
    """
    found = get_close_matches(word, known, n=1) or get_close_matches(word.casefold(), known, n=1)
    return f"did you mean {found[0]!r}?" if found else ""


def near_miss(word: str, known: Collection[str]) -> str:
    """Return "did you mean 'x'?" for one of *known* that *word* must be a slip of, or "".

    A letter more, less or other, or two that have changed places; two such slips in a word of twelve letters or more.
    `suggest` is kinder: it is for words that are wrong in any case.

    >>> near_miss("DOWNLAOD_DELAY", ["DOWNLOAD_DELAY"]), near_miss("DOWNLOAD_DELAYS_OF", ["DOWNLOAD_DELAY"])
    ("did you mean 'DOWNLOAD_DELAY'?", '')
    """
    best = min(((slips_between(word, one), one) for one in known if abs(len(one) - len(word)) <= 2), default=None)
    if best is None or best[0] > (2 if min(len(word), len(best[1])) >= LONG_WORD else 1):
        return ""
    return f"did you mean {best[1]!r}?"


LONG_WORD = 12


def slips_between(one: str, other: str) -> int:
    """Return how many slips of the pen make *other* of *one*: the edit distance with swaps of neighbours.

    Source:
        F. J. Damerau, A technique for computer detection and correction of spelling errors, CACM 7(3), 1964; in the
        form in which no letter is touched twice ("optimal string alignment").

    >>> slips_between("RETRY_TIMES", "RETYR_TIME")
    2
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(now[-1] + 1, last[column] + 1, last[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            now.append(cost)
        before, last = last, now
    return last[-1]


def describe(value: Any) -> str:
    """Name a TOML value as its writer sees it: "the number 3", "a list"."""
    match value:
        case bool():
            return f"the truth value {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case datetime.date() | datetime.time():
            return f"the date or time {value}"
        case str():
            return f"the text {value!r}"
        case list():
            return "a list"
        case _:
            return "a table"


def numbered(path: KeyPath, value: Any) -> list[tuple[KeyPath, Any]] | None:
    """Return the items of a list with their paths; None if *value* is no list."""
    return [((*path, index), item) for index, item in enumerate(value)] if isinstance(value, list) else None
