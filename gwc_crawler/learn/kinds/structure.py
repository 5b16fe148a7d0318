"""A cut by a word by which sites part kinds of pages: a first directory, an extension, a prefix of the file name.

In: a `Board`. Out: a `Cut`. `splits` asks for it where the pages alone tell no more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

from gwc_crawler.learn.kinds.board import Board
from gwc_crawler.learn.kinds.cuts import AS_LIKE, FEW_ALIKE, KIND_WITH, KIND_WITHOUT, UNLIKE, Cut
from gwc_crawler.learn.kinds.rule import UrlRule
from gwc_crawler.learn.kinds.signs import singular, word_set
from gwc_crawler.learn.kinds.words import Word, WordKind

LESS_LIKE = 0.9
_FEW = 0.25
"""A prefix that no more of the pages have is hardly shared by two samples by chance."""
LEAST_OF_A_KIND = 3
_OFTEN = 0.7
_OFTEN_LESS_LIKE = 0.7
"""Pages beside a directory that are no more like the samples than this share of those in it are of another kind, though
running text links to both; a namespace's (`Stdio.File`) are nearly as like them as any."""
_MOST, _HALF = 0.8, 0.5
"""A prefix that more of the pages have samples share by chance, and so they do a directory that the site lists with
others: those without it have to be half as like them at most."""
_SHARED_BY_CHANCE = 1 / 2
"""A prefix that a greater share of the pages with one has is more likely than not that of both samples by chance."""

_SEVERAL = 5
"""So many pages that never have a field are of another kind, where all of the samples' kind have it."""
_WITHIN = r"(?:::|->|[./\\#])"
"""What stands between the name of a package and that of something in it."""
_BEGINNINGS = frozenset((WordKind.START, WordKind.FIRST, WordKind.STEM))
_LEAST_FEW, _MOST_BESIDE, _MOST_NAMED = 3, 0.25, 6
"""So many pages beside a prefix, of those with it no more than this share, are of the kind; and so many others may be
refused one by one."""
_AS_MANY, _HARDLY_ONE, _ASKED = 0.7, 0.25, 12
"""They have this share of the fields that the others have, of which so many are asked; those are refused that have no
more than the second share."""

Veto = Callable[[int, int], bool]
"""Asked with the pages that are kept and those that would be dropped: whether these are targets, too."""


class Naming(NamedTuple):
    """The pages whose titles name a directory; whether the site hardly ever lists those in it with others; whether they
    are called by the same word (`/php/`), not another form of it (`/releases/`); and whether all are by their own."""

    saying: int
    is_apart: bool
    is_same: bool = True
    are_all: bool = False


def never(kept: int, dropped: int) -> bool:
    """Nothing is said of any pages."""
    return False


def structure(board: Board, pages: int, mixed: Veto, signs: Sequence[int], tells: Veto = never) -> Cut | None:
    """Leave pages behind that lack a word by which sites part kinds, and are less like the samples or listed apart.

    Unless they have the labels of all fields: then only a prefix that few pages have tells, and lists of their own, or
    that hardly another page is as like the samples; or that a field which all of them have is on no other page, as
    *tells* says. A namespace tells nothing if others have pages as like them.
    """
    likeness = board.likeness(pages)
    for word in board.demandable:
        inside = board.pages_with[word] & pages
        if inside == pages or inside.bit_count() < LEAST_OF_A_KIND or board.is_one_of_many(word, pages):
            continue
        outside = pages & ~inside
        if board.is_space(word, pages):
            those, others = (mean(board, likeness, some) for some in (inside, outside))
            if others > _OFTEN_LESS_LIKE * those:
                continue
        if _is_apart(board, word, inside, pages, likeness, mixed):
            return Cut(1.0, inside, ((word, False),))
        is_rare = _is_no_chance(board, word, inside)
        if not (is_rare or word.is_structural() or board.is_script(word)):
            continue
        telling = [sign for sign in signs if has_mark(inside, sign)]
        if outside.bit_count() >= _SEVERAL and tells(inside, outside):
            return Cut(1.0, inside, ((word, False),))
        if signs and all(has_mark(outside, sign) for sign in telling):
            if is_rare and not mixed(inside, outside):
                return Cut(1.0, inside, ((word, False),))
            continue
        those, others = (mean(board, likeness, some) for some in (inside, outside))
        besides = board.beside(word, pages) if telling else []
        if any(_is_topic(some, telling, mean(board, likeness, some) / those, inside, mixed) for some in besides):
            continue
        is_listed_so = word.kind is WordKind.DIRECTORY and mixed(inside, outside)
        may_be_chance = word.kind is WordKind.START or is_listed_so
        are_most = may_be_chance and inside.bit_count() > _MOST * pages.bit_count()
        if is_listed_so and are_most and _are_some_alike(board, inside, outside, likeness):
            continue
        if others < (_HALF if are_most else LESS_LIKE) * those or not (are_most or mixed(inside, outside)):
            return Cut(1.0, inside, ((word, False),))
    return None


def named_directories(
    board: Board, titles: Sequence[str], names: frozenset[str], is_apart: Callable[[int], bool]
) -> dict[Word, Naming]:
    """Directories of all samples that their values name → what is called by them.

    Args:
        titles: of each page.
        names: words that the samples' values share.
        is_apart: says of pages whether the site hardly ever lists them with others.
    """
    named = {}
    words_of = list(map(word_set, titles))
    for word in (one for one in board.shared_words if one.kind is WordKind.DIRECTORY):
        words, is_same = word_set(word.value), word_set(word.value) <= names
        if not words or not singular(words) <= singular(names):
            continue
        said = words_of if is_same else list(map(singular, words_of))
        saying = sum(1 << n for n, title in enumerate(said) if (words if is_same else singular(words)) <= title)
        named[word] = Naming(saying, is_apart(board.pages_with[word]), is_same, _name_their_own(board, word, titles))
    return named


def _name_their_own(board: Board, word: Word, titles: Sequence[str]) -> bool:
    """Whether most pages in the directories beside one have names within theirs: `APR::Pool` beside `Apache2::Log`."""
    above = {one for one in board.shared_words if one.kind is WordKind.DIRECTORY and one.at < word.at}
    beside = [(titles[n], one) for n, words in enumerate(board.words) if above <= words for one in words]
    said = [_is_qualified(title, one.value) for title, one in beside if one[::2] == word[::2] and one != word]
    return 2 * sum(said) > len(said)


def _is_qualified(title: str, directory: str) -> bool:
    """Whether a title has a name within that of a directory: "PHP sort()" is another one's."""
    return bool(re.search(rf"\b{re.escape(directory)}{_WITHIN}\w", title, re.IGNORECASE))


def named_cut(board: Board, pages: int, mixed: Veto, named: Mapping[Word, Naming]) -> Cut | None:
    """Keep to the samples' first directory where records are called by it ("PHP sort()" in /php/), and others are not.

    Unless the site lists both together, or pages as like the samples are all called by their directories, as by the
    names of packages; of pages that are less like them a few may name both.
    """
    base, likeness = board.base(pages), board.likeness(pages)
    for word, (saying, is_apart, is_same, are_all) in named.items():
        inside = board.pages_with[word] & pages
        outside = pages & ~inside
        if word.is_topical(base) or not outside or inside.bit_count() < LEAST_OF_A_KIND:
            continue
        often = (saying & inside).bit_count() >= KIND_WITH * inside.bit_count()
        seldom = (saying & outside).bit_count() <= KIND_WITHOUT * outside.bit_count()
        least = (UNLIKE if are_all else _OFTEN_LESS_LIKE) * mean(board, likeness, inside)
        are_unlike = mean(board, likeness, outside) <= least
        is_telling = are_unlike or (is_same and not are_all)
        if often and seldom and is_telling and ((is_apart and are_unlike) or not mixed(inside, outside)):
            return Cut(1.0, inside, ((word, False),))
    return None


def with_the_few(board: Board, rule: UrlRule, inside: int, found: Callable[[int], float]) -> tuple[UrlRule, int]:
    """The rule without the prefix that nearly all pages of the kind have, and both samples by chance: beside
    `mod_alias` stand `core` and `event`, with as many fields. What has hardly one is refused by its name. If most of
    them share another prefix, they are another kind.

    Args:
        found: says of a page, by its place, which share of the fields it has.
    """
    begun = {one for one in rule.demanded if one.kind is WordKind.START}
    kept = frozenset(one for one in rule.demanded if one.kind not in _BEGINNINGS)
    wider = UrlRule(kept, rule.refused)
    besides = [n for n, words in enumerate(board.words) if begun and wider.holds(words) and not rule.holds(words)]
    if len(besides) > _MOST_BESIDE * inside.bit_count():
        return rule, inside
    some = board.members(inside)
    usual = fmean(found(place) for place in some[:: -(-len(some) // _ASKED)])
    shares = {place: found(place) for place in besides}
    strangers = [place for place, share in shares.items() if share <= _HARDLY_ONE * usual]
    few = [place for place, share in shares.items() if share >= _AS_MANY * usual]
    begin = Counter(word for place in few for word in board.words[place] if word.kind is WordKind.START)
    is_kind = 2 * max(begin.values(), default=0) > len(few)
    if len(few) < _LEAST_FEW or is_kind or len(strangers) > max(_MOST_NAMED, len(few)):
        return rule, inside
    names = {word for place in strangers for word in board.words[place] if word.kind is WordKind.NAME}
    added = sum(1 << place for place in besides if place not in strangers)
    return wider.with_words((word, True) for word in names), inside | added


def _is_topic(some: int, telling: Sequence[int], likeness: float, inside: int, mixed: Veto) -> bool:
    """Whether pages beside those *inside* are of the same kind, on another topic.

    Either they have the labels of all fields as a rule, and are hardly less like the samples; or half of them have each
    label, and the site lists them together with those.
    """
    if all(has_mark(some, sign) for sign in telling):
        return likeness >= LESS_LIKE
    often = all(2 * (some & sign).bit_count() >= some.bit_count() for sign in telling)
    return often and mixed(inside, some)


def _is_no_chance(board: Board, word: Word, inside: int) -> bool:
    """Whether a word is a prefix that two samples would hardly share by chance (the size principle).

    A hyphen ends any word of a name, such as that of the maker, whose goods a shop lists apart, too.
    """
    if word.kind is not WordKind.START or not word.is_structural():
        return False
    return inside.bit_count() <= _SHARED_BY_CHANCE * board.with_such_prefix(word).bit_count()


def _is_apart(board: Board, word: Word, inside: int, pages: int, likeness: Mapping[int, float], mixed: Veto) -> bool:
    """Whether few pages have a prefix, all samples among them, and hardly another one is as like these.

    So it is though it has several words ("gimp-filter-"), and though a book's contents list all of them together.
    Where the site lists the two apart, a few of many other pages may be.
    """
    outside = pages & ~inside
    if word.kind is not WordKind.START or inside.bit_count() > _FEW * pages.bit_count():
        return False
    those, others = (mean(board, likeness, some) for some in (inside, outside))
    least = AS_LIKE * median(likeness[place] for place in board.members(inside))
    alike = sum(likeness[place] >= least for place in board.members(outside))
    if others > UNLIKE * those or alike > FEW_ALIKE * max(inside.bit_count(), outside.bit_count()):
        return False
    return alike <= FEW_ALIKE * inside.bit_count() or not mixed(inside, outside)


def _are_some_alike(board: Board, inside: int, outside: int, likeness: Mapping[int, float]) -> bool:
    """Whether several pages without a word are as like the samples as those with it."""
    least = AS_LIKE * mean(board, likeness, inside)
    return sum(likeness[place] >= least for place in board.members(outside)) >= LEAST_OF_A_KIND


def mean(board: Board, likeness: Mapping[int, float], pages: int) -> float:
    """The mean likeness of the pages of a set."""
    return fmean([likeness[place] for place in board.members(pages)])


def has_mark(pages: int, sign: int) -> bool:
    """Whether *pages* have a sign as a rule."""
    return (pages & sign).bit_count() >= _OFTEN * pages.bit_count()
