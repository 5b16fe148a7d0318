"""What can be said of a URL in a word: its directories, prefixes of its file name, case, numbers, extension, query.

In: rows (`urls.row_of`). Out: `Word`s, each with what it costs to say it. `splits` chooses among them, `rule` writes
them as a regex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gwc_crawler.learn.urls import SlottedUrl, is_number

_DELIMITER = re.compile(r"[._:-]")
_LETTERS = re.compile(r"[A-Za-z]+")
_SHORTEST_STEM, _LONGEST_STEM = 4, 12
_TAIL = re.compile(r"([._-][A-Za-z]*)[0-9]+$")
_SPACE = re.compile(r"[A-Za-z_]+:")
_HAS_DIGIT = re.compile(r"[0-9]")
_MOST_PREFIXES = 3
_MOST_SUFFIXES = 2
_LONGEST_VALUE = 30
_DEEP = 1
"""From this depth on (0 is the first) a directory may be about a page's topic rather than its kind."""

_COSTS = {
    **dict.fromkeys(("extension", "keys", "key"), 4.0),
    **dict.fromkeys(("start", "directory", "value", "space", "host"), 6.0),
    **dict.fromkeys(("number", "slash"), 7.0),
    **dict.fromkeys(("depth", "stem", "first", "name", "parent", "end", "tail"), 8.0),
    "within": 10.0,
}
_NOT_A_DIRECTORY = 14.0
_FURTHER_PREFIX = 3.0
_LITERAL = frozenset({"directory", "within", "parent", "start", "name", "value", "space"})


class Word(NamedTuple):
    """One thing that is true of a URL.

    `kind` is "directory" or "number" (at depth `at`), "within" or "parent" (a directory anywhere, the last one),
    "depth" (number of segments), "start", "stem", "end", "tail", "name" or "first" (of the file name: prefix, letters
    that it begins with, suffix, what stands before the number at its end, all of it, what its first sign is),
    "extension", "slash", "keys" (all of the query), "key", "value" ("key=value"), "space" ("key=prefix:"), or "host".
    """

    kind: str
    value: str
    at: int = 0

    def cost(self, *, negated: bool = False) -> float:
        """The bits that it takes to say it."""
        if negated and self.kind in {"directory", "within", "parent"}:
            return _NOT_A_DIRECTORY
        further = max(0, len(_DELIMITER.findall(self.value)) - 1) if self.kind == "start" else 0
        return _COSTS[self.kind] + _FURTHER_PREFIX * further

    @property
    def may_be_demanded(self) -> bool:
        """Whether a rule may ask for it: no suffix, and no literal with digits, which tell pages from each other."""
        return self.kind != "end" and not (self.kind in _LITERAL and _HAS_DIGIT.search(self.value))

    @property
    def may_be_refused(self) -> bool:
        """Whether a rule may refuse it: not what every URL has one or another of."""
        return self.kind not in {"host", "depth", "slash", "first", "stem"}

    def is_topical(self, base: int = 0) -> bool:
        """Whether it may say what a page is about, not of what kind it is: deep directories, prefixes of several words,
        suffixes.

        Args:
            base: so many first directories all pages of the site have.
        """
        if self.kind in {"within", "parent", "end"}:
            return True
        if self.kind == "start":
            return len(_DELIMITER.findall(self.value)) > 1
        return self.kind == "directory" and self.at >= base + _DEEP

    def is_structural(self) -> bool:
        """Whether sites part kinds of pages by it: a first directory, an extension, a prefix before ".", "_" or ":"."""
        if self.kind == "start":
            return not self.is_topical() and self.value[-1] in "._:"
        return self.kind == "extension" or (self.kind == "directory" and not self.is_topical())

    @property
    def narrows(self) -> bool:
        """Whether a rule may ask for it only because all pages of the kind have it."""
        return self.kind not in {"within", "parent", "key"}

    def is_of_the_form(self) -> bool:
        """Whether it says nothing of where among its kind a page stands, or what it is called."""
        return self.kind not in {"depth", "number", "name", "stem"} and not self.is_topical()

    @property
    def is_of_the_file(self) -> bool:
        """Whether it is about the file name."""
        return self.kind in {"start", "stem", "name", "first", "tail"}


def words_of(row: SlottedUrl) -> frozenset[Word]:
    """All words that are true of a URL.

    >>> from gwc_crawler.learn.urls import row_of
    >>> sorted(word.value for word in words_of(row_of("http://a.example/std/struct.Vec.html")) if word.kind == "start")
    ['struct.']
    """
    return frozenset(_words(row))


def _words(row: SlottedUrl) -> Iterator[Word]:
    count, slash, keys = row.layout
    segments, extension = row.values[1 : count + 1], row.values[count + 1]
    yield Word("host", f"{row.parts.scheme}://{row.values[0]}")
    yield Word("depth", str(count))
    yield Word("slash", "/" if slash else "")
    yield Word("extension", extension)
    for depth, name in enumerate(segments[:-1]):
        if is_number(name):
            yield Word("number", "", depth)
        else:
            yield Word("directory", name, depth)
            yield Word("within", name)
    if count > 1 and not is_number(segments[-2]):
        yield Word("parent", segments[-2])
    if segments:
        yield from _file_words(segments[-1], count - 1)
    yield Word("keys", "&".join(keys))
    for key, value in zip(keys, row.values[count + 2 :], strict=True):
        yield Word("key", key)
        if value and len(value) <= _LONGEST_VALUE:
            yield Word("value", f"{key}={value}")
        if space := _SPACE.match(value):
            yield Word("space", f"{key}={space[0]}")


def _file_words(name: str, depth: int) -> Iterator[Word]:
    if is_number(name):
        yield Word("number", "", depth)
    yield Word("name", name)
    yield Word("first", _sign(name))
    if tail := _TAIL.search(name):
        yield Word("tail", tail[1])
    if stem := _LETTERS.match(name):
        for end in range(_SHORTEST_STEM, min(stem.end(), _LONGEST_STEM) + 1):
            yield Word("stem", name[:end])
    ends = [found.end() for found in _DELIMITER.finditer(name)]
    for end in ends[:_MOST_PREFIXES]:
        yield Word("start", name[:end])
    for end in ends[-_MOST_SUFFIXES:]:
        yield Word("end", name[end - 1 :])


def _sign(name: str) -> str:
    first = name[:1]
    if not first.isascii() or not first.isalnum():
        return "other"
    return "digit" if first.isdigit() else "upper" if first.isupper() else "lower"
