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
