"""Three queues in turns: breadth first, the URLs nearest the samples, one of the URL form that was fetched least.

In: URLs as they are found. Out: which to fetch next. Fed with what waits, it goes on where an earlier run ended.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias
from urllib.parse import urlsplit

from tests.learn.memory_crawl import WeightOrder

Form: TypeAlias = tuple[object, ...]

_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_]+")
_PARENTS = 3
"""A directory name that stands under so many others is a form of its own (`class-use`)."""


class DirectedOrder:
    """An order of fetching for `precrawl_memory`; one look at every form is what matters most."""

    def __init__(self, samples: Sequence[str]) -> None:
        self._samples = [_place(url) for url in samples]
        self._by_weight = WeightOrder()
        self._near: dict[int, deque[str]] = defaultdict(deque)
        self._forms: dict[Form, deque[str]] = {}
        self._fetched: Counter[Form] = Counter()
        self._form_of: dict[str, Form] = {}
        self._parents: dict[str, set[str]] = defaultdict(set)
        self._turn = 0

    def found(self, url: str, weight: int) -> None:
        """Take in a URL that waits."""
        form = self._form_of[url] = self._form(url)
        self._by_weight.found(url, weight)
        self._near[self._nearness(url)].append(url)
        self._forms.setdefault(form, deque()).append(url)

    def take(self) -> str | None:
        """Return the next URL, which no longer waits; None when nothing does."""
        self._turn += 1
        ways = (self._first_by_weight, self._nearest, self._of_least_form)
        start = self._turn % len(ways)
        for way in (*ways[start:], *ways[:start]):
            if (url := way()) is not None:
                self._fetched[self._form_of.pop(url)] += 1
                return url
        return None

    def _first_by_weight(self) -> str | None:
        while (url := self._by_weight.take()) is not None:
            if url in self._form_of:
                return url
        return None

    def _nearest(self) -> str | None:
        found = (self._first(self._near[score]) for score in sorted(self._near, reverse=True) if score)
        return next((url for url in found if url is not None), None)

    def _of_least_form(self) -> str | None:
        for form in sorted(self._forms, key=lambda one: self._fetched[one]):
            if (url := self._first(self._forms[form])) is not None:
                return url
            del self._forms[form]
        return None

    def _first(self, queue: deque[str]) -> str | None:
        while queue:
            url = queue.popleft()
            if url in self._form_of:
                return url
        return None

    def _nearness(self, url: str) -> int:
        directory, section, word = _place(url)
        return max(
            4 * (directory == own) + 2 * (word == first != "") + (section == part) for own, part, first in self._samples
        )

    def _form(self, url: str) -> Form:
        """What URLs of one form share: two directories, numbers folded, depth, extension, first word, query keys."""
        parts = urlsplit(url)
        *directories, name = parts.path.split("/")[1:]
        for above, below in pairwise(directories):
            self._parents[below].add(above)
        stem, dot, extension = name.rpartition(".")
        keys = tuple(sorted(pair.partition("=")[0] for pair in parts.query.split("&")))
        end = (extension if dot else "", keys)
        if often := next((one for one in directories if len(self._parents[one]) >= _PARENTS), ""):
            return (often, *end)
        return (*map(_folded, directories[:2]), len(directories), _first_word(stem if dot else name), *end)


def _place(url: str) -> tuple[str, str, str]:
    """Return directory, section (the first directory) and first word of the file name."""
    directory, _, name = urlsplit(url).path.rpartition("/")
    return directory, f"{directory}/".split("/")[1], _first_word(name)


def _first_word(name: str) -> str:
    """Return the word before the first separator of a file name; "" where the name is but one word."""
    found = _WORD.match(name)
    return _folded(found[0]) if found and found[0] != name else ""


def _folded(text: str) -> str:
    return _NUMBER.sub("0", text)
