"""Cuts through a set of pages: a set that likeness makes, said in words of the pages' URLs.

In: a `FeatureMatrix` and a set of pages. Out: `Cut`s, among which `splits` chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median

from gwc_crawler.learn.degrees import (
    A_HANDFUL,
    ALL_BUT_SLIPS,
    ENOUGH,
    FEW,
    HALF,
    HARDLY_ANY,
    MANY,
    MOST,
    NEARLY_ALL,
    SEVERAL,
    SLIPS,
)
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.rule import UrlRule
from gwc_crawler.learn.kinds.words import Word, WordKind

_BITS_A_PAGE = 5.0
_NODE_SHARE = 0.005
"""Share of the pages that a word has to put right besides its cost: no accident of a site reaches it."""
_CUT_COST = 10.0
"""Bits for the choice of a cut: in a small class some word goes with some cut by chance."""
UNLIKE = 0.35
"""Pages with no more than this share of the others' likeness are another kind; with more, they may be sparse ones."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Pages that likeness and words both set apart, with the words; each word says whether it is refused."""

    agreement: float
    pages: int
    words: tuple[tuple[Word, bool], ...]


def of_satellites(matrix: FeatureMatrix, pages: int) -> Cut | None:
    """Leave out pages named like another page with an ending more: `qsocket-obsolete` beside `qsocket`.

    Nearly all pages with the ending stand beside such a page and are less like the samples. They also have a mark of
    their own in common, or hardly any likeness and often some mark or other. A number alone is no such ending: a shop
    appends it to a name that is taken.
    """
    likeness = matrix.likeness(pages)
    names = {word.value: on & pages for word, on in matrix.pages_with.items() if word.kind is WordKind.NAME}
    for end in matrix.refusable(pages, topical=True):
        inside = matrix.pages_with[end] & pages
        is_ending = end.kind is WordKind.END and not end.value[1:].isdigit()
        if not is_ending or inside.bit_count() < max(MANY, SLIPS * pages.bit_count()):
            continue
        ended = [name for name, on in names.items() if name.endswith(end.value) and on & inside]
        beside = sum(name.removesuffix(end.value) in matrix.names for name in ended)
        those, others = (fmean(likeness[place] for place in matrix.members(on)) for on in (inside, pages & ~inside))
        if beside < ALL_BUT_SLIPS * len(ended) or not ended or those > MOST * others:
            continue
        strange = matrix.strangers(inside, pages & ~inside, SLIPS, texts=True)
        are_strange = strange.bit_count() >= FEW * inside.bit_count() and those <= UNLIKE * others
        if are_strange or matrix.own_marks(inside, pages & ~inside, ALL_BUT_SLIPS, SLIPS):
            return Cut(1.0, pages & ~inside, ((end, True),))
    return None


def common_words(matrix: FeatureMatrix, inside: int) -> list[Word]:
    """Return the words to ask for that nearly all pages of *inside* have."""
    least = ALL_BUT_SLIPS * inside.bit_count()
    return [word for word in matrix.demandable if (matrix.pages_with[word] & inside).bit_count() >= least]


def rare_words(matrix: FeatureMatrix, words: Sequence[Word], inside: int) -> list[Word]:
    """Return those *words* that hardly a page of *inside* has."""
    return [
        word
        for word in words
        if not matrix.extends_shared_prefix(word)
        and (matrix.pages_with[word] & inside).bit_count() <= SLIPS * matrix.pages_with[word].bit_count()
    ]


def gaps(matrix: FeatureMatrix, likeness: dict[int, float]) -> Iterable[int]:
    """Return the pages above each of the widest gaps of likeness, highest gap first."""
    ranked = sorted(likeness, key=lambda place: -likeness[place])
    gaps = [(likeness[ranked[n]] - likeness[ranked[n + 1]], n + 1) for n in range(len(ranked) - 1)]
    ends = sorted(end for _, end in sorted(gaps, reverse=True)[:ENOUGH])
    taken, start = 0, 0
    for end in ends:
        for place in ranked[start:end]:
            taken |= 1 << place
        start = end
        if not matrix.samples & ~taken and likeness[ranked[end - 1]] > likeness[ranked[end]]:
            yield taken


def unlike_words(matrix: FeatureMatrix, words: Sequence[Word], like: int, likeness: dict[int, float]) -> list[Word]:
    """Return those *words* whose pages are mostly unlike the pages above the cut."""
    least = UNLIKE * median(likeness[place] for place in matrix.members(like))
    below = sum(1 << place for place, value in likeness.items() if value <= least)
    inside = sum(1 << place for place in likeness)
    return [
        word
        for word in words
        if 2 * (matrix.pages_with[word] & below).bit_count() >= (matrix.pages_with[word] & inside).bit_count()
    ]


def foreign_words(matrix: FeatureMatrix, words: Sequence[Word], like: int, likeness: dict[int, float]) -> list[Word]:
    """Return those *words* whose pages all have hardly any of the likeness of the pages above the cut."""
    least = HARDLY_ANY * median(likeness[place] for place in matrix.members(like))
    above = sum(1 << place for place, value in likeness.items() if value > least)
    return [word for word in words if not matrix.pages_with[word] & above]


def describe(
    matrix: FeatureMatrix, pages: int, like: int, demanded: Sequence[Word], refused: Sequence[Word]
) -> Cut | None:
    """Say the cut in words: a conjunction, grown word by word while each gains more than it costs, then pruned."""
    fee = _CUT_COST + _BITS_A_PAGE * _NODE_SHARE * pages.bit_count()
    sets = [(word, False, matrix.pages_with[word] & pages) for word in demanded]
    sets += [(word, True, pages & ~matrix.pages_with[word]) for word in refused]
    taken, chosen = pages, list[tuple[Word, bool, int]]()
    for _ in range(MANY):
        now = _wrong(taken, like)
        best, best_gain = None, 0.0
        for word, negated, inside in sets:
            rest = taken & inside
            if rest == taken:
                continue
            gain = _BITS_A_PAGE * (now - _wrong(rest, like)) - word.cost(negated=negated) - fee
            if gain > best_gain:
                best, best_gain = (word, negated, inside), gain
        if best is None:
            break
        chosen.append(best)
        taken &= best[2]
    for one in list(chosen):
        others = [other for other in chosen if other is not one]
        without = pages
        for other in others:
            without &= other[2]
        if others and _wrong(without, like) <= _wrong(taken, like):
            chosen, taken = others, without
    if not chosen or (pages & ~taken).bit_count() < A_HANDFUL:
        return None
    return Cut(agreement(pages, like, taken), taken, tuple((word, negated) for word, negated, _ in chosen))


def _wrong(one: int, two: int) -> int:
    return (one ^ two).bit_count()


def agreement(pages: int, one: int, two: int) -> float:
    """Return the correlation of two sets of pages, −1 to 1."""
    both, only_one, only_two = (one & two).bit_count(), (one & ~two).bit_count(), (two & ~one).bit_count()
    neither = pages.bit_count() - both - only_one - only_two
    product = (both + only_one) * (both + only_two) * (neither + only_one) * (neither + only_two)
    return (both * neither - only_one * only_two) / sqrt(product) if product else 0.0


def leaves_alike(matrix: FeatureMatrix, cut: Cut, pages: int, likeness: Mapping[int, float]) -> bool:
    """Whether *cut* asks for a directory, or a number at some depth, beside pages of another directory, or below one at
    another depth, that are as like the samples: it is a topic's; or for the case of a file name's first letter
    beside more than a few that are, or a number of dots beside more than a few that are no more unlike them than pages
    with fewer sections; or for letters that names begin with by chance ("stmtstore" of "stmt") beside rather like
    ones."""
    for word in [word for word, is_refused in cut.words if not is_refused]:
        rest = UrlRule().with_words(one for one in cut.words if one[0] != word)
        if word.kind in (WordKind.FIRST, WordKind.DOTS):
            kept = sorted(likeness[place] for place in matrix.members(cut.pages))
            least = kept[len(kept) // 4] if word.kind is WordKind.FIRST else UNLIKE * median(kept)
            alike = [place for place in matrix.members(pages & ~cut.pages) if likeness[place] >= least]
            left_out = sum(rest.holds(matrix.words[place]) for place in alike)
            if left_out >= max(A_HANDFUL, SLIPS * cut.pages.bit_count()):
                return True
        if word.kind is WordKind.STEM:
            left = [likeness[place] for place in matrix.members(pages & ~cut.pages) if rest.holds(matrix.words[place])]
            if left and fmean(left) > UNLIKE * fmean(likeness[place] for place in matrix.members(cut.pages)):
                return True
        parents = (on & pages for one, on in matrix.pages_with.items() if one.kind is WordKind.PARENT)
        is_number = word.kind is WordKind.NUMBER  # equally deep below each last directory
        below = (on for on in parents if is_number and on.bit_count() >= A_HANDFUL)
        for beside in [*matrix.beside(word, pages), *below]:
            alike = [place for place in matrix.members(beside & ~cut.pages) if rest.holds(matrix.words[place])]
            some, kept = ([likeness[place] for place in places] for places in (alike, matrix.members(cut.pages)))
            if len(alike) >= A_HANDFUL and any(one(some) >= ALL_BUT_SLIPS * one(kept) for one in (fmean, median)):
                return True
    return False


# --- Cuts by a word by which sites part kinds: a first directory, an extension, a prefix ------------------------------


Veto = Callable[[int, int], bool]
"""Asked with the pages that are kept and those that would be dropped: whether these are targets, too."""


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
    has_queries = any(one.kind is WordKind.KEYS and one.value for one in matrix.shared_words)
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
            is_script = word.kind is WordKind.NAME and has_queries  # `/product.php?id=7`
            are_mixed = others >= NEARLY_ALL * those and mixed(inside, outside)
            if not (word.is_structural() or is_script) or are_mixed:
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
    # a hyphen may end any word of a name, such as the maker's, and a shop lists a maker's goods apart, too
    if word.kind is not WordKind.START or not word.is_structural() or matrix.is_space(word, inside | alike):
        return False
    is_no_chance = inside.bit_count() <= HALF * matrix.with_such_prefix(word).bit_count()
    return is_no_chance and apart(inside, alike)


def mean(matrix: FeatureMatrix, likeness: Mapping[int, float], pages: int) -> float:
    """Return the mean likeness of the pages of a set."""
    return fmean([likeness[place] for place in matrix.members(pages)])
