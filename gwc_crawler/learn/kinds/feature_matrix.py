"""Pages as bits: which of the samples' marks, and which words, each of them has; and how like the samples a page is.

In: rows and marks of pages. Out: a `FeatureMatrix`. Sets of pages are integers: bit n is page n.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from itertools import compress, count, takewhile
from math import log2
from operator import or_
from typing import Any

from gwc_crawler.learn.degrees import A_HANDFUL, ALL_BUT_SLIPS, MANY, OFTEN, SEVERAL
from gwc_crawler.learn.kinds.words import Word, WordKind

_AS_NUMBERS = bytes.maketrans(b"01", bytes((0, 1)))

_BUNDLE = 0.3
"""n marks that stand on the same pages weigh n^.3 times one: they are one part of the template, said n times."""


class FeatureMatrix:
    """The pages of a pre-crawl, seen from the samples.

    Args:
        words: for each page its words, as *marks* has its marks; *samples* are places among the pages.
        names: what the files of further URLs are called, known from links.
    """

    def __init__(
        self,
        words: Sequence[frozenset[Word]],
        marks: Sequence[frozenset[str]],
        samples: Sequence[int],
        names: Iterable[str] = (),
    ) -> None:
        self.words = words
        self.count = len(words)
        self.everywhere = (1 << self.count) - 1
        self.samples = sum(1 << place for place in set(samples))
        self.shared_words = frozenset.intersection(*(words[place] for place in samples))
        self.sample_words = frozenset.union(*(words[place] for place in samples))
        stems = self.shared_words  # others tell nothing
        telling = (frozenset(w for w in some if w.kind is not WordKind.STEM or w in stems) for some in words)
        self.pages_with = bits(list(telling))
        self.names = {word.value for word in self.pages_with if word.kind is WordKind.NAME}.union(names)
        """Names of the files in all known URLs."""
        shared = frozenset.intersection(*(marks[place] for place in samples))
        everything = bits(marks)
        self.shared_marks = {mark: on for mark, on in everything.items() if mark in shared}
        self.marks = list(self.shared_marks.values())
        strange = {mark: on for mark, on in everything.items() if not on & self.samples and on.bit_count() >= A_HANDFUL}
        self._strange = Counter(strange.values())
        self._strange_parts = {on for mark, on in strange.items() if ">" in mark}
        self._parts = [on for mark, on in self.shared_marks.items() if ">" in mark]
        self._saying: dict[str, list[int]] = {}
        for mark, on in strange.items():
            if text := mark.partition(":")[2]:
                self._saying.setdefault(text.casefold(), []).append(on)

    def members(self, pages: int) -> list[int]:
        """Return the places of the pages in a set."""
        digits = f"{pages:b}"[::-1].encode().translate(_AS_NUMBERS)
        return list(compress(range(len(digits)), digits))

    def likeness(self, among: int) -> dict[int, float]:
        """Return for each page of *among* the weighted share of the samples' marks that it has, 0 to 1.

        A mark weighs −log₂ of its share of the pages.
        """
        bundles = Counter(pages & among for pages in self.marks)
        size = among.bit_count()
        weights = {on: -log2(on.bit_count() / size) * many**_BUNDLE for on, many in bundles.items() if on}
        total = sum(weights.values())
        if not total:
            return dict.fromkeys(self.members(among), 1.0)
        found = dict.fromkeys(self.members(among), 0.0)
        for on, weight in weights.items():
            for place in self.members(on) if weight else ():
                found[place] += weight / total
        return found

    def base(self, among: int) -> int:
        """Count the first directories that nearly all pages of *among* share; pages without a directory don't count.

        Returns 0 if the samples share a prefix of their file names: the prefix tells the kind, and the directories are
        topics.
        """
        if any(word.kind is WordKind.START for word in self.shared_words):
            return 0
        named = (self._directories(place) for place in self.members(among))
        # up to one that is a number
        trails = (tuple(takewhile(bool, (names.get(at, "") for at in count()))) for names in named)
        return _base([trail for trail in trails if trail])

    def _directories(self, place: int) -> dict[int, str]:
        return {word.at: word.value for word in self.words[place] if word.kind is WordKind.DIRECTORY}

    @cached_property
    def demandable(self) -> list[Word]:
        """The words that all samples have and a rule may ask for, the cheapest first; of stems on the same pages the
        longest."""
        stems = (word for word in self.shared_words if word.kind is WordKind.STEM)
        longest = set({self.pages_with[word]: word for word in sorted(stems, key=lambda one: len(one.value))}.values())
        words = (word for word in self.shared_words if word.kind is not WordKind.STEM or word in longest)
        asked = (word for word in words if word.may_be_demanded and word.kind is not WordKind.DOTS)
        return sorted(asked, key=lambda one: (one.cost(), one))

    @cached_property
    def dots(self) -> list[Word]:
        """How many dots the names of all samples have, if it is one number: asked for only where a wrapper says so."""
        return [word for word in self.shared_words if word.kind is WordKind.DOTS]

    def extends_shared_prefix(self, word: Word) -> bool:
        """Say whether a word is a prefix that begins with the prefix of all samples: it names a part of their kind."""
        return word.kind is WordKind.START and any(
            shared.kind is WordKind.START and word.value.startswith(shared.value) for shared in self.shared_words
        )

    def is_of_a_page(self, word: Word, among: int) -> bool:
        """Tell whether a prefix is the name of a page of *among*: `Map.` begins names of parts of `Map`, no kind."""
        return word.kind is WordKind.START and bool(
            self.pages_with.get(Word(WordKind.NAME, word.value[:-1]), 0) & among
        )

    def is_one_of_many(self, word: Word, among: int) -> bool:
        """Tell whether a prefix is a name's first word, not a kind: beside it stand many others with few pages each."""
        alike = {other: on for other, on in self._prefixes_like(word, among).items() if other != word}
        return len(alike) >= MANY and sum(map(int.bit_count, alike.values())) < MANY * len(alike)

    def is_of_slugs(self, word: Word, among: int) -> bool:
        """Say whether most pages of *among* have titles for names, so that a prefix is the first word of one."""
        if word.kind is not WordKind.START:
            return False
        having = self.with_such_prefix(word) & among
        return 2 * having.bit_count() >= among.bit_count() and self.is_one_of_many(word, among)

    def is_space(self, word: Word, among: int) -> bool:
        """Tell whether a prefix ending in a dot is a namespace: several such prefixes are names of pages, and so is it.

        A prefix that ends in another sign (`news_12`, beside the list `news`) rather tells the kind of page.
        """
        if not word.value.endswith("."):
            return False
        spaces = sum(self.is_of_a_page(other, self.everywhere) for other in self._prefixes_like(word, among))
        return spaces >= A_HANDFUL and self.is_of_a_page(word, self.everywhere)

    def _prefixes_like(self, word: Word, among: int) -> dict[Word, int]:
        """Return the pages of each prefix that ends in the same delimiter as a prefix, that itself among them."""
        if word.kind is not WordKind.START:
            return {}
        others = ((other, on & among) for other, on in self.pages_with.items() if other.kind is WordKind.START)
        sign = word.value[-1]
        return {other: on for other, on in others if on and not other.is_topical() and other.value[-1] == sign}

    def with_such_prefix(self, word: Word) -> int:
        """Return the pages whose names have a prefix that ends in the same delimiter."""
        return union(self._prefixes_like(word, self.everywhere).values())

    def is_one_of_several(self, word: Word, inside: int, others: int) -> bool:
        """Tell whether *inside* is a first directory beside several with *others*, and hardly less like the samples.
        Blogs keep posts below categories, and those without one in such a directory."""
        if word.kind is not WordKind.DIRECTORY or not inside or not others:
            return False
        beside = [on & others for other, on in self.pages_with.items() if other[::2] == word[::2]]
        if sum(on.bit_count() >= SEVERAL for on in beside) < SEVERAL:
            return False
        sides = (inside, others)
        those, these = (sum((on & some).bit_count() for on in self.marks) / some.bit_count() for some in sides)
        return those >= OFTEN * these

    def refusable(self, among: int, *, topical: bool) -> list[Word]:
        """Return the words that no sample has, but at least three pages of *among*; the commonest first.

        Args:
            topical: also words about the topic. A directory name that stands below three others or more is never one.
        """
        counts = {word: (on & among).bit_count() for word, on in self.pages_with.items()}
        some = [
            word
            for word, many in counts.items()
            if many >= SEVERAL
            and word.may_be_refused
            and word not in self.sample_words
            and (topical or not word.is_topical() or self.recurs(word, among))
        ]
        return sorted(some, key=lambda word: (-counts[word], word))

    def own_marks(self, inside: int, outside: int, least: float, most: float, name: str = "") -> int:
        """Count the marks that no sample has, the share *least* of *inside* has, and at most *most* of *outside*.

        Args:
            name: of all pages of *inside*; that they are called by it, where others are called otherwise, is no mark.
        """

        def is_own(on: int) -> bool:
            often = (on & inside).bit_count() >= least * inside.bit_count()
            return often and (on & outside).bit_count() <= most * outside.bit_count()

        found = sum(many for on, many in self._strange.items() if is_own(on))
        return found - sum(is_own(on) for on in self._saying.get(name.casefold(), ()))

    def lost_parts(self, inside: int, outside: int, least: float, most: float) -> int:
        """Count the samples' elements that the share *least* of *inside* has, and no more than *most* of *outside*."""
        least, most = least * inside.bit_count(), most * outside.bit_count()
        return sum((on & inside).bit_count() >= least and (on & outside).bit_count() <= most for on in self._parts)

    def strangers(self, inside: int, outside: int, most: float, *, texts: bool = False) -> int:
        """Return the pages of *inside* with an element that no sample has, and at most the share *most* of *outside*.

        Args:
            texts: a text counts, too. It may be the name of a topic.
        """
        limit = most * outside.bit_count()
        having = 0
        for on in self._strange if texts else self._strange_parts:
            if on & inside & ~having and (on & outside).bit_count() <= limit:
                having |= on & inside
        return having

    def beside(self, word: Word, among: int) -> list[int]:
        """Return the pages of each other directory at the same depth, or with each other number of dots in their name.
        If they are like the samples, the word is a topic."""
        if word.kind not in (WordKind.DIRECTORY, WordKind.DOTS):
            return []
        others = [on & among for other, on in self._alike[word[::2]] if other != word]
        return [on for on in others if on.bit_count() >= SEVERAL]

    @cached_property
    def _alike(self) -> dict[tuple[Any, ...], list[tuple[Word, int]]]:
        alike: dict[tuple[Any, ...], list[tuple[Word, int]]] = defaultdict(list)
        for word, on in self.pages_with.items():
            alike[word[::2]].append((word, on))
        return alike

    def recurs(self, within: Word, among: int, below: int = 3) -> bool:
        """Tell whether a directory name stands below *below* others or more: then it says what kind its pages are."""
        if within.kind is not WordKind.WITHIN:
            return False
        above = set()
        for place in self.members(self.pages_with[within] & among):
            names = self._directories(place)
            depth = min(at for at, name in names.items() if name == within.value)
            above.add(tuple(names.get(at) for at in range(depth)))
            if len(above) >= below:
                return True
        return False


def _base(trails: Sequence[tuple[str, ...]]) -> int:
    """Count the first directories that nearly all *trails* share; `/print/docs/…` shares those of `/docs/…`."""
    base: tuple[str, ...] = ()
    for depth in count():
        names = Counter(trail[depth] for trail in trails if len(trail) > depth and trail[:depth] == base)
        wider = (*base, names.most_common(1)[0][0]) if names else base
        inside = sum(wider in (trail[: depth + 1], trail[1 : depth + 2]) for trail in trails)
        if wider == base or inside < ALL_BUT_SLIPS * len(trails):
            break
        base = wider
    return len(base)


def bits(sets: Sequence[frozenset[Any]]) -> dict[Any, int]:
    """Return for each member of some sets in which of them it is."""
    places: dict[Any, list[int]] = {}
    for place, some in enumerate(sets):
        for one in some:
            places.setdefault(one, []).append(place)
    found = {}
    for one, on in places.items():
        digits = bytearray(b"0" * len(sets))
        for place in on:
            digits[-1 - place] = 49
        found[one] = int(digits, 2)
    return found


def union(sets: Iterable[int]) -> int:
    """Return all pages of some sets."""
    return reduce(or_, sets, 0)
