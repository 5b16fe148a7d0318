"""Words about a URL: its directories, prefixes of its file name, case, numbers, extension, query.

In: rows (`urls.row_of`). Out: `Word`s, each with its cost. `splits` chooses among them, `rule` writes them as a
regex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from gwc_crawler.learn.degrees import NAME_LENGTH, SEVERAL
from gwc_crawler.learn.urls.url_parts import SlottedUrl, is_number
from gwc_crawler.urls import query_separator

_DELIMITER = re.compile(r"[._:-]")
_LETTERS = re.compile(r"[A-Za-z]+")
_SHORTEST_STEM, _LONGEST_STEM = 4, 12
_TAIL = re.compile(r"([._-][A-Za-z]*)[0-9]+$")
_SPACE = re.compile(r"[^\W\d]+:")
_HAS_DIGIT = re.compile(r"(?<!%)(?<!%[0-9A-F])[0-9]")
"""Matches a digit that is not part of an escaped letter (`%E5`)."""


class WordKind(StrEnum):
    """The part of a URL that a word is about."""

    HOST = "host"
    DEPTH = "depth"
    """How many segments the path has."""
    SLASH = "slash"
    """Whether it ends with "/"."""
    DIRECTORY = "directory"
    """The directory at depth `at`."""
    NUMBER = "number"
    """A segment that is one, at depth `at`."""
    WITHIN = "within"
    """A directory, wherever it stands."""
    PARENT = "parent"
    """The last directory."""
    NAME = "name"
    """All of the file name, without its extension."""
    FIRST = "first"
    """The kind of the file name's first sign: lower or upper case, a digit, another."""
    STEM = "stem"
    """Letters that the file name begins with."""
    START = "start"
    """The beginning of the file name, up to a delimiter."""
    END = "end"
    """The end of the file name, from a delimiter on."""
    TAIL = "tail"
    """The part of the file name before the number at its end."""
    DOTS = "dots"
    """How many dots are in it: `Queue.Writer` is a class, `Queue.Writer.read` one of its methods."""
    EXTENSION = "extension"
    KEYS = "keys"
    """All keys of the query."""
    KEY = "key"
    """One of them."""
    VALUE = "value"
    """One with its value: "key=value"."""
    SPACE = "space"
    """A key with the beginning of its value: "key=prefix:"."""


_COSTS = {
    WordKind.EXTENSION: 4.0,
    WordKind.KEYS: 4.0,
    WordKind.KEY: 4.0,
    WordKind.START: 6.0,
    WordKind.DIRECTORY: 6.0,
    WordKind.VALUE: 6.0,
    WordKind.SPACE: 6.0,
    WordKind.HOST: 6.0,
    WordKind.NUMBER: 7.0,
    WordKind.SLASH: 7.0,
    WordKind.DEPTH: 8.0,
    WordKind.STEM: 8.0,
    WordKind.FIRST: 8.0,
    WordKind.NAME: 8.0,
    WordKind.PARENT: 8.0,
    WordKind.END: 8.0,
    WordKind.TAIL: 8.0,
    WordKind.DOTS: 8.0,
    WordKind.WITHIN: 10.0,
}
_NOT_A_DIRECTORY = 14.0
_FURTHER_PREFIX = 3.0
_LITERAL = frozenset(
    (
        *(WordKind.DIRECTORY, WordKind.WITHIN, WordKind.PARENT),
        *(WordKind.START, WordKind.NAME, WordKind.VALUE, WordKind.SPACE),
    )
)
_OF_DIRECTORIES = frozenset((WordKind.DIRECTORY, WordKind.WITHIN, WordKind.PARENT))
_OF_THE_FILE = frozenset((WordKind.START, WordKind.STEM, WordKind.NAME, WordKind.FIRST, WordKind.TAIL, WordKind.DOTS))
_OF_EVERY_URL = frozenset((WordKind.HOST, WordKind.DEPTH, WordKind.SLASH, WordKind.FIRST, WordKind.STEM, WordKind.DOTS))
_OF_TOPICS = frozenset((WordKind.WITHIN, WordKind.PARENT, WordKind.END))
_OF_ONE_PLACE = frozenset((WordKind.DEPTH, WordKind.NUMBER, WordKind.NAME, WordKind.STEM, WordKind.DOTS))
_NOT_NARROWING = frozenset((WordKind.WITHIN, WordKind.PARENT, WordKind.KEY, WordKind.DOTS, WordKind.FIRST))


class Word(NamedTuple):
    """One thing that is true of a URL: its kind, its value, and for a directory or number its depth."""

    kind: WordKind
    value: str
    at: int = 0

    def cost(self, *, negated: bool = False) -> float:
        """Return the bits that it takes to say it."""
        if negated and self.kind in _OF_DIRECTORIES:
            return _NOT_A_DIRECTORY
        further = max(0, len(_DELIMITER.findall(self.value)) - 1) if self.kind is WordKind.START else 0
        return _COSTS[self.kind] + _FURTHER_PREFIX * further

    @property
    def may_be_demanded(self) -> bool:
        """Whether a rule may ask for it: no suffix, and no literal with digits, which tell pages from each other."""
        return self.kind is not WordKind.END and not (self.kind in _LITERAL and _HAS_DIGIT.search(self.value))

    @property
    def may_be_refused(self) -> bool:
        """Whether a rule may refuse it: not what every URL has one or another of."""
        return self.kind not in _OF_EVERY_URL

    def is_topical(self, base: int = 0) -> bool:
        """Tell whether the word may be about a page's topic, not its kind: deep directories, prefixes of several words,
        suffixes.

        Args:
            base: the number of first directories that all pages of the site share.
        """
        if self.kind in _OF_TOPICS:
            return True
        if self.kind is WordKind.START:
            return len(_DELIMITER.findall(self.value)) > 1
        return self.kind is WordKind.DIRECTORY and self.at >= base + 1

    def is_structural(self) -> bool:
        """Say whether sites part kinds by it: a first directory, an extension, a prefix before ".", "_" or ":"."""
        if self.kind is WordKind.START:
            return not self.is_topical() and self.value[-1] in "._:"
        return self.kind is WordKind.EXTENSION or (self.kind is WordKind.DIRECTORY and not self.is_topical())

    @property
    def narrows(self) -> bool:
        """Whether a rule may ask for it only because all pages of the kind have it."""
        return self.kind not in _NOT_NARROWING

    def is_of_the_form(self) -> bool:
        """Tell whether the word says nothing of a page's place among its kind, or of its name."""
        return self.kind not in _OF_ONE_PLACE and not self.is_topical()

    @property
    def is_of_the_file(self) -> bool:
        """Whether it is about the file name."""
        return self.kind in _OF_THE_FILE


def words_of(row: SlottedUrl) -> frozenset[Word]:
    """Return all words that are true of a URL.

    >>> from gwc_crawler.learn.urls.url_parts import row_of
    >>> words = words_of(row_of("http://a.example/std/struct.Vec.html"))
    >>> [word.value for word in words if word.kind is WordKind.START]
    ['struct.']
    """
    return frozenset(_words(row))


def _words(row: SlottedUrl) -> Iterator[Word]:
    count, slash, keys = row.layout
    segments, extension = row.values[1 : count + 1], row.values[count + 1]
    yield Word(WordKind.HOST, f"{row.parts.scheme}://{row.values[0]}")
    yield Word(WordKind.DEPTH, str(count))
    yield Word(WordKind.SLASH, "/" if slash else "")
    yield Word(WordKind.EXTENSION, extension)
    for depth, name in enumerate(segments[:-1]):
        if is_number(name):
            yield Word(WordKind.NUMBER, "", depth)
        else:
            yield Word(WordKind.DIRECTORY, name, depth)
            yield Word(WordKind.WITHIN, name)
    if count > 1 and not is_number(segments[-2]):
        yield Word(WordKind.PARENT, segments[-2])
    if segments:
        yield from _file_words(segments[-1], count - 1)
    sign = query_separator(row.parts.query or "")
    yield Word(WordKind.KEYS, f";{';'.join(keys)}" if sign == ";" and len(keys) > 1 else sign.join(keys))
    for key, value in zip(keys, row.values[count + 2 :], strict=True):
        yield Word(WordKind.KEY, key)
        if value and len(value) <= NAME_LENGTH:
            yield Word(WordKind.VALUE, f"{key}={value}")
        if space := _SPACE.match(value):
            yield Word(WordKind.SPACE, f"{key}={space[0]}")


def _file_words(name: str, depth: int) -> Iterator[Word]:
    if is_number(name):
        yield Word(WordKind.NUMBER, "", depth)
    yield Word(WordKind.NAME, name)
    yield Word(WordKind.FIRST, _sign(name))
    yield Word(WordKind.DOTS, str(name.count(".")))
    if tail := _TAIL.search(name):
        yield Word(WordKind.TAIL, tail[1])
    if stem := _LETTERS.match(name):
        for end in range(_SHORTEST_STEM, min(stem.end(), _LONGEST_STEM) + 1):
            yield Word(WordKind.STEM, name[:end])
    ends = [found.end() for found in _DELIMITER.finditer(name)]
    for end in ends[:SEVERAL]:
        yield Word(WordKind.START, name[:end])
    for end in ends[-2:]:
        yield Word(WordKind.END, name[end - 1 :])


def _sign(name: str) -> str:
    first = name[:1]
    if not first.isascii() or not first.isalnum():
        return "other"
    return "digit" if first.isdigit() else "upper" if first.isupper() else "lower"
