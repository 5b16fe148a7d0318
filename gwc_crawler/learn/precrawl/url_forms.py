"""URL forms: the parts of an address that pages of one make share, known before anything is learned of them.

In: URLs. Out: forms. A form never looked at spoils a decision, so the pre-crawl goes by forms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from gwc_crawler.learn.degrees import SEVERAL
from gwc_crawler.urls import query_parts

Form: TypeAlias = tuple[object, ...]

_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"[^\W_]+")
_URL = re.compile(r"(?:[^:/?]*:)?//[^/?]*([^?]*)\??(.*)", re.DOTALL)
_KEY = re.compile(r"[A-Za-z][A-Za-z_-]{0,19}")


class UrlPlace(NamedTuple):
    """The place of a page: directory, section (the first directory), first word of the file name."""

    directory: str
    section: str
    word: str

    def nearness(self, other: UrlPlace) -> int:
        """Return how near two pages are: 0 (nothing in common) to 7."""
        same_word = self.word == other.word != ""
        return 4 * (self.directory == other.directory) + 2 * same_word + (self.section == other.section)


class UrlForms:
    """Maps URLs to their forms. It learns directory names from the URLs it gets, so later forms may be wider."""

    def __init__(self) -> None:
        self._parents: dict[str, set[str]] = {}

    def of(self, url: str) -> tuple[Form, Form]:
        """Return the form of *url* and the wider one that has no file name in it.

        A form is two directories, numbers folded; how many there are; of the file name the first word, whether it
        begins with a capital, and how many dots it has; its extension; query keys. A script that is given a query has
        its whole name in its form. Of a path that ends in a slash the last directory is the file name, unless there is
        but one.
        """
        *directories, name, query = _taken_apart(url)
        is_slashed = not name
        if is_slashed and len(directories) > 1:
            name = directories.pop()
        for above, below in pairwise(directories):
            known = self._parents.setdefault(below, set())
            if len(known) < SEVERAL:
                known.add(above)
        stem, dot, extension = name.rpartition(".")
        keys = tuple(sorted(_key(*pair.partition("=")[:2]) for pair in query_parts(query))) if query else ()
        end = (extension if dot else "", is_slashed, keys)
        for one in directories:
            if len(self._parents.get(one, ())) >= SEVERAL:
                return (one, *end), (one, *end)
        wide = (*map(_folded, directories[:2]), len(directories), *end)
        stem = stem if dot else name
        word = _folded(stem) if dot and query else _first_word(stem)
        return (*wide, word, stem[:1].isupper(), min(stem.count("."), SEVERAL)), wide


def place_of(url: str) -> UrlPlace:
    """Return where the page of *url* stands."""
    *directories, name, _ = _taken_apart(url)
    return UrlPlace("/".join(directories), directories[0] if directories else "", _first_word(name))


def _taken_apart(url: str) -> Sequence[str]:
    found = _URL.match(url)
    path, query = found.groups() if found else (url, "")
    return [*path.split("/")[1:], query] if "/" in path else ["", query]


def _first_word(name: str) -> str:
    """Return the word before the first separator of a file name; "" where the name is but one word."""
    found = _WORD.match(name)
    return _folded(found[0]) if found and found[0] != name else ""


def _key(name: str, equals: str) -> str:
    return _folded(name) if equals or _KEY.fullmatch(name) else ""


def _folded(text: str) -> str:
    return _NUMBER.sub("0", text)
