"""A cut by a word by which sites part kinds of pages: a first directory, an extension, a prefix of the file name.

In: a `FeatureMatrix`. Out: a `Cut`. `splits` asks for it where the pages alone tell no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

from gwc_crawler.learn.degrees import ALL_BUT_SLIPS, FEW, HALF, MANY, MOST, NEARLY_ALL, OFTEN, SEVERAL, SLIPS
from gwc_crawler.learn.kinds.cuts import UNLIKE, Cut
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.sample_values import singular, word_set
from gwc_crawler.learn.kinds.words import Word, WordKind

_WITHIN = r"(?:::|->|[./\\#])"
"""Matches the separator between the name of a package and the name of something in it."""

Veto = Callable[[int, int], bool]
"""Asked with the pages that are kept and those that would be dropped: whether these are targets, too."""


class Naming(NamedTuple):
    """Evidence for a directory: the pages with titles that name it; whether the site hardly ever lists its pages with
    others; whether the titles have the same word (`/php/`), not a form of it (`/releases/`); whether all pages do."""

    saying: int
    is_apart: bool
    is_same: bool = True
    are_all: bool = False


def never(kept: int, dropped: int) -> bool:
    """Never veto a cut: the default of a `Veto`."""
    return False


def structure(
    matrix: FeatureMatrix, pages: int, mixed: Veto, full: Veto | None = None, apart: Veto = never
) -> Cut | None:
    """Leave pages behind that lack a word by which sites part kinds, and are less like the samples or in other lists.

    What has the fields and the template is a target: where pages without the word have the fields, and something of
    what the samples have, they are of another kind only if something says so, see `_are_another`.

    Args:
        full: says of pages that are kept, and of others, whether these have the fields, too; None to ask no wrapper.
        apart: says whether the site has lists of both, and none together.
    """
    likeness = matrix.likeness(pages)
    for word in matrix.demandable:
        inside = matrix.pages_with[word] & pages
        outside = pages & ~inside
        if not outside or inside.bit_count() < SEVERAL or matrix.is_one_of_many(word, pages):
            continue
        those, others = (mean(matrix, likeness, some) for some in (inside, outside))
        is_begun = word.kind is WordKind.START and (inside.bit_count() >= MANY or not word.is_topical())
        is_rare = is_begun and inside.bit_count() <= FEW * pages.bit_count()
        if others < NEARLY_ALL * those and _is_of_one_kind(matrix, word, inside, outside):
            return Cut(1.0, inside, ((word, False),))
        if not (is_rare and others <= UNLIKE * those):
            if not (word.is_structural() or matrix.is_script(word)):
                continue
            if others >= NEARLY_ALL * those and mixed(inside, outside):
                continue
        names_no_topic = word.kind is WordKind.EXTENSION  # another extension is one of second versions, too
        if names_no_topic or not leaves_targets(matrix, word, inside, outside, likeness, full, apart):
            return Cut(1.0, inside, ((word, False),))
    return None


def _is_of_one_kind(matrix: FeatureMatrix, word: Word, inside: int, outside: int) -> bool:
    """Tell whether a prefix is that of a kind (`qml-`): most names with a prefix have it, other pages look different.

    Slugs share beginnings by chance, but have many of them.
    """
    if word.kind is not WordKind.START or word.is_topical():
        return False
    is_usual = inside.bit_count() > HALF * matrix.with_such_prefix(word).bit_count()
    return is_usual and are_strange(matrix, outside, inside)


def are_strange(matrix: FeatureMatrix, some: int, others: int, *, texts: bool = False) -> bool:
    """Say whether nearly all pages of a set have something that hardly one of *others* has (`strangers`)."""
    return matrix.strangers(some, others, SLIPS, texts=texts).bit_count() >= MOST * some.bit_count()


def leaves_targets(
    matrix: FeatureMatrix,
    word: Word,
    inside: int,
    outside: int,
    likeness: Mapping[int, float],
    full: Veto | None = None,
    apart: Veto = never,
) -> bool:
    """Say whether several of the pages *outside*, which lack a word, have fields and template of those *inside*.

    As long as no wrapper is asked, prefixes by which sites part kinds are believed.
    """
    if full is None and word.kind is WordKind.START and word.is_structural():
        return False
    least = UNLIKE * median(likeness[place] for place in matrix.members(inside))
    alike = sum(1 << place for place in matrix.members(outside) if likeness[place] > least)
    compared = inside.bit_count() if word.kind is WordKind.START else min(inside.bit_count(), outside.bit_count())
    are_few = alike.bit_count() <= SLIPS * compared  # of a topic few pages are known that are targets, too
    if are_few or (full is not None and not full(inside, alike)):
        return False
    return not _are_another(matrix, word, inside, alike, apart)


def _are_another(matrix: FeatureMatrix, word: Word, inside: int, alike: int, apart: Veto) -> bool:
    """Say whether pages *alike* are of another kind than those *inside*, which alone have a word.

    They have another template: parts that all inside have are nowhere there, and others are there instead. Or the site
    lists the two apart, and two samples would hardly share the prefix by chance; topics, and namespaces with a page of
    their own, it lists apart, too.
    """
    lost = matrix.lost_parts(inside, alike, ALL_BUT_SLIPS, SLIPS)
    if lost >= (SEVERAL if word.is_topical() else 1) and are_strange(matrix, alike, inside):
        return True
    is_space = matrix.is_space(word, inside | alike)
    return _is_no_chance(matrix, word, inside) and not is_space and apart(inside, alike)


def named_directories(
    matrix: FeatureMatrix, titles: Sequence[str], names: frozenset[str], is_apart: Callable[[int], bool]
) -> dict[Word, Naming]:
    """Return directories of all samples that their values name → what is called by them.

    Args:
        titles: of each page.
        names: words that the samples' values share.
        is_apart: says of pages whether the site hardly ever lists them with others.
    """
    named = {}
    words_of = list(map(word_set, titles))
    for word in (one for one in matrix.shared_words if one.kind is WordKind.DIRECTORY):
        words, is_same = word_set(word.value), word_set(word.value) <= names
        if not words or not singular(words) <= singular(names):
            continue
        said = words_of if is_same else list(map(singular, words_of))
        saying = sum(1 << n for n, title in enumerate(said) if (words if is_same else singular(words)) <= title)
        named[word] = Naming(saying, is_apart(matrix.pages_with[word]), is_same, _name_their_own(matrix, word, titles))
    return named


def _name_their_own(matrix: FeatureMatrix, word: Word, titles: Sequence[str]) -> bool:
    """Say whether most pages in the directories beside one have names within these: `APR::Pool`, `Apache2::Log`."""
    above = {one for one in matrix.shared_words if one.kind is WordKind.DIRECTORY and one.at < word.at}
    beside = [(titles[n], one) for n, words in enumerate(matrix.words) if above <= words for one in words]
    said = [_is_qualified(title, one.value) for title, one in beside if one[::2] == word[::2] and one != word]
    return 2 * sum(said) > len(said)


def _is_qualified(title: str, directory: str) -> bool:
    """Tell whether a title has a name within that of a directory: "PHP sort()" has another one's."""
    return bool(re.search(rf"\b{re.escape(directory)}{_WITHIN}\w", title, re.IGNORECASE))


def named_cut(matrix: FeatureMatrix, pages: int, mixed: Veto, named: Mapping[Word, Naming]) -> Cut | None:
    """Keep to the samples' first directory where records are called by it ("PHP sort()" in /php/), and others are not.

    Unless the site lists both together, or pages as like the samples are all called by their directories, as by the
    names of packages; of pages that are less like them a few may name both.
    """
    base, likeness = matrix.base(pages), matrix.likeness(pages)
    for word, (saying, is_apart, is_same, are_all) in named.items():
        inside = matrix.pages_with[word] & pages
        outside = pages & ~inside
        if word.is_topical(base) or not outside or inside.bit_count() < SEVERAL:
            continue
        often = (saying & inside).bit_count() >= ALL_BUT_SLIPS * inside.bit_count()
        seldom = (saying & outside).bit_count() <= SLIPS * outside.bit_count()
        least = (UNLIKE if are_all else OFTEN) * mean(matrix, likeness, inside)
        are_unlike = mean(matrix, likeness, outside) <= least
        is_telling = are_unlike or (is_same and not are_all)
        if often and seldom and is_telling and ((is_apart and are_unlike) or not mixed(inside, outside)):
            return Cut(1.0, inside, ((word, False),))
    return None


def _is_no_chance(matrix: FeatureMatrix, word: Word, inside: int) -> bool:
    """Tell whether a word is a prefix that two samples hardly share by chance (the size principle).

    A hyphen may end any word of a name, such as the maker's, and a shop lists a maker's goods apart, too.
    """
    if word.kind is not WordKind.START or not word.is_structural():
        return False
    return inside.bit_count() <= HALF * matrix.with_such_prefix(word).bit_count()


def mean(matrix: FeatureMatrix, likeness: Mapping[int, float], pages: int) -> float:
    """Return the mean likeness of the pages of a set."""
    return fmean([likeness[place] for place in matrix.members(pages)])
