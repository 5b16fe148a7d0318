"""A decision tree with two views: page content says where to cut, words of the URLs describe the cut.

In: a `FeatureMatrix`. Out: a `UrlRule`. A cut is made where both views agree: pages unlike the samples are left
out if a few words tell their URLs from the others', again and again, until nothing more can be told apart.

Source:
    The gain of a word follows Quinlan, "Learning logical definitions from relations" (FOIL), 1990: what it corrects
    against the bits it takes to say it; at the end the size principle, Tenenbaum & Griffiths, "Generalization,
    similarity, and Bayesian inference", 2001: the smallest rule that holds all examples is the likeliest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import log2

from gwc_crawler.learn.degrees import A_DOZEN, A_HANDFUL, ALL_BUT_SLIPS, HARDLY_ANY, MANY, OFTEN, SEVERAL, SLIPS
from gwc_crawler.learn.kinds.cuts import (
    UNLIKE,
    Cut,
    Veto,
    agreement,
    are_strange,
    common_words,
    describe,
    foreign_words,
    gaps,
    leaves_alike,
    leaves_targets,
    mean,
    never,
    of_satellites,
    rare_words,
    structure,
    unlike_words,
)
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.rule import UrlRule
from gwc_crawler.learn.kinds.words import Word, WordKind

_AGREEMENTS = (0.85, 0.70)
_OF_FEW_VALUES = frozenset((WordKind.KEYS, WordKind.SLASH))
_FILE_EXAMPLES = 30
"""Pages that have to agree in a word of the file name before the rule asks for it in the end; in others MANY do."""
_REFUSED_KINDS = frozenset({WordKind.DEPTH, WordKind.DIRECTORY, WordKind.KEYS, WordKind.NAME})


def decide(
    matrix: FeatureMatrix,
    mixed: Veto,
    veto: Veto | None = None,
    *,
    apart: Veto = never,
    lone: bool = False,
    signs: Sequence[int] = (),
    unlabelled: Collection[int] = (),
) -> tuple[UrlRule, int]:
    """Find the rule of the samples' kind, and the pages it takes.

    Args:
        mixed: tells whether the site lists both sets together, and so makes no difference between them.
        veto: tells what the wrapper finds on pages that words about a topic would drop; None to leave these words out.
        apart: tells whether the site has lists of each set, and none of both.
        lone: *veto* rests on a single one of many fields: pages of a topic may lack it (no version yet).
        signs: for each field with a label of its own (`signs`) the pages that have it.
        unlabelled: those of *signs* that are no labels, but elements with a name.
    """
    rule, pages = UrlRule(), matrix.everywhere
    split = partial(_split, full=veto, apart=apart)
    for _ in range(A_DOZEN):
        cut = split(matrix, pages, refuse_topics=veto is None)
        if cut is None and veto is not None:
            cut = split(matrix, pages, veto) or split(matrix, pages)
        cut = (
            cut
            or of_satellites(matrix, pages)
            or _sibling(matrix, pages, mixed, None if lone else veto)
            or structure(matrix, pages, mixed, veto, apart)
            or _unlabelled(matrix, pages, signs, mixed, unlabelled)
        )
        if cut is None:
            break
        rule, pages = rule.with_words(cut.words), cut.pages
    return rule, pages


def narrow(matrix: FeatureMatrix, rule: UrlRule, pages: int, linked: Sequence[frozenset[Word]] = ()) -> UrlRule:
    """Ask for all words that the pages of the kind have in common: the smallest rule that holds them.

    Args:
        linked: the words of URLs known from links only: a word about a place or name has to hold for them, too.
    """
    shared = []
    for word in matrix.demandable:
        if word.narrows and not pages & ~matrix.pages_with[word]:
            everywhere = all(word in words for words in linked)
            count = pages.bit_count() + (len(linked) if everywhere and word.is_structural() else 0)
            if (everywhere or word.is_of_the_form()) and _is_no_accident(matrix, word, count):
                shared.append(word)
    return rule.with_words((word, False) for word in shared)


def _is_no_accident(matrix: FeatureMatrix, word: Word, count: int) -> bool:
    """Say whether *count* pages that all have a word speak for it: many of them, or few of a word that is rare here."""
    if count >= (_FILE_EXAMPLES if word.is_of_the_file else MANY) or word.kind in _OF_FEW_VALUES:
        return True
    rarity = -log2(matrix.pages_with[word].bit_count() / matrix.count)
    return word.is_structural() and count * rarity > word.cost()


def _split(
    matrix: FeatureMatrix,
    pages: int,
    veto: Veto | None = None,
    *,
    refuse_topics: bool = True,
    full: Veto | None = None,
    apart: Veto = never,
) -> Cut | None:
    """Return the cut on which likeness and words agree best, if they agree well enough.

    Args:
        refuse_topics: words about a topic may be refused, but where no wrapper is asked (*veto*) only if their pages
            have hardly anything of the samples' and they are endings (`classBox-members` beside `classBox`).
        full, apart: as in `structure`.
    """
    likeness, base = matrix.likeness(pages), matrix.base(pages)
    demanded = [*matrix.demandable, *matrix.dots]
    if veto is None:  # a topic tells no kinds, nor does a depth of all samples, which may be their topics'
        demanded = [one for one in matrix.demandable if one.kind is not WordKind.DEPTH and not one.is_topical(base)]
    refused = matrix.refusable(pages, topical=refuse_topics)
    topics = {word for word in refused if refuse_topics and word.is_topical() and not matrix.recurs(word, pages)}
    found: list[Cut] = []
    for like in gaps(matrix, likeness):
        foreign = foreign_words(matrix, [one for one in topics if one.kind is WordKind.END], like, likeness)
        tried = refused if veto is not None else [one for one in refused if one not in topics or one in foreign]
        cut = describe(matrix, pages, like, demanded, unlike_words(matrix, tried, like, likeness))
        left_out = [word for word, is_refused in cut.words if is_refused] if cut is not None else []
        least = {word: 1 if word in foreign else SEVERAL for word in left_out}
        if cut is None or not all(_has_own(matrix, cut, pages, word, least[word]) for word in left_out):
            continue
        dotted = any(word.kind is WordKind.DOTS for word, _ in cut.words)  # sparse inner classes are no strangers
        if leaves_alike(matrix, cut, pages, likeness) or (
            dotted and not are_strange(matrix, pages & ~cut.pages, cut.pages)
        ):
            continue
        begun = [word for word, is_out in cut.words if word.is_of_the_file or (word.is_topical(base) and not is_out)]
        if any(
            leaves_targets(matrix, word, cut.pages, _lacking(matrix, cut, pages, word), likeness, full, apart)
            for word in begun
        ):
            continue
        if veto is None or not veto(cut.pages, pages & ~cut.pages):
            found.append(cut)
    best = max(found, key=lambda cut: cut.agreement, default=None)
    return best if best is not None and best.agreement >= _AGREEMENTS[-1] else None


def _lacking(matrix: FeatureMatrix, cut: Cut, pages: int, word: Word) -> int:
    """Return the pages that a cut leaves behind for the lack of a word alone."""
    rest = UrlRule().with_words(one for one in cut.words if one[0] != word)
    return _as_set(place for place in matrix.members(pages & ~cut.pages) if rest.holds(matrix.words[place]))


def _may_be_a_topic(word: Word) -> bool:
    """Tell whether a word may be the topic of pages: `create` is a method of many classes."""
    return word.is_topical() or word.kind in (WordKind.DEPTH, WordKind.NAME)


def _has_own(matrix: FeatureMatrix, cut: Cut, pages: int, word: Word, least: int) -> bool:
    """Tell whether the pages of a topic's word, left out by *cut*, have enough marks that the others do not have.

    Pages that only lack something, like other sorts of goods in a shop, are no other kind. For a name that recurs below
    other directories (`reviews`) one mark is enough.
    """
    left = matrix.pages_with[word] & pages & ~cut.pages
    is_kind = not word.is_topical() and not matrix.is_of_slugs(word, cut.pages)
    if is_kind and not matrix.is_one_of_several(word, left, cut.pages):
        return True
    return matrix.own_marks(left, cut.pages, ALL_BUT_SLIPS, SLIPS) >= (1 if matrix.recurs(word, pages) else least)


def _sibling(matrix: FeatureMatrix, pages: int, mixed: Veto, veto: Veto | None) -> Cut | None:
    """Refuse a word of a sibling kind: its pages have marks of their own, and lack marks that the samples' kind has.

    That pages called "Error" in their URLs are headed so is no such mark. A word about a topic is refused only if the
    wrapper finds no fields there, and the site does not list both together.
    """
    likeness = matrix.likeness(pages)
    for word in matrix.refusable(pages, topical=True):
        if matrix.extends_shared_prefix(word):
            continue
        inside = matrix.pages_with[word] & pages
        outside = pages & ~inside
        if inside.bit_count() < A_HANDFUL or not outside:
            continue
        those, others = (mean(matrix, likeness, some) for some in (inside, outside))
        if those > UNLIKE * others:
            continue
        is_topic = _may_be_a_topic(word) and not matrix.recurs(word, pages, below=2)
        least = SEVERAL if is_topic else 1
        is_foreign = veto is not None and those <= HARDLY_ANY * others
        most = SLIPS * inside.bit_count()
        lost = sum(
            (mark & inside).bit_count() <= most and 2 * (mark & outside).bit_count() >= outside.bit_count()
            for mark in matrix.marks
        )
        name = word.value if word.kind is WordKind.NAME else ""
        own = matrix.own_marks(inside, outside, ALL_BUT_SLIPS, SLIPS, name)
        is_prefix = word.kind is WordKind.START and not word.is_topical() and not matrix.is_of_slugs(word, outside)
        is_strange = own >= (1 if is_foreign else least) or (
            is_prefix and are_strange(matrix, inside, outside, texts=True)
        )
        if lost < least or not is_strange:
            continue
        if not is_topic or not (veto is None or veto(outside, inside) or mixed(outside, inside)):
            return Cut(1.0, outside, ((word, True),))
    return None


def _unlabelled(
    matrix: FeatureMatrix, pages: int, signs: Sequence[int], mixed: Veto, unlabelled: Collection[int] = ()
) -> Cut | None:
    """Leave pages behind that never have a field which the others have, but something else, if words tell them apart.

    So are kinds of the same skin told apart: of a page that lacks a field by chance the URL says nothing. But all pages
    of a topic may lack an element (functions that are not stable yet have no version): then the words have to say
    nearly all. What the parts of a page are called (`Map.Entry` beside `Map`) tells no kind.
    """
    refused = [word for word in matrix.refusable(pages, topical=True) if not matrix.is_of_a_page(word, pages)]
    like = _as_set(place for place, value in matrix.likeness(pages).items() if value > UNLIKE)
    found = []
    for sign, looked_at, demands in product(signs, dict.fromkeys((pages, pages & like)), (True, False)):
        inside = sign & looked_at
        demanded = common_words(matrix, inside) if demands else ()
        cut = describe(matrix, looked_at, inside, demanded, rare_words(matrix, refused, inside))
        if cut is None:
            continue
        kept = UrlRule().with_words(cut.words)  # made on some pages, applied to all
        taken = _as_set(place for place in matrix.members(pages) if kept.holds(matrix.words[place]))
        cut = replace(cut, pages=taken)
        if not _lacks(matrix, taken, pages & ~taken, sign, like):
            continue
        least = _AGREEMENTS[0 if sign in unlabelled else -1]
        # strangers lack it anywhere
        compared = pages & ~matrix.strangers(taken & ~like, taken & like, SLIPS, texts=True)
        cut = replace(cut, agreement=agreement(compared, sign & compared, taken & compared))
        told = (not _may_be_a_topic(word) and not matrix.is_one_of_many(word, pages) for word, _ in cut.words)
        if cut.agreement < least and not all(told):
            continue
        if cut.agreement < _AGREEMENTS[0] and not demands:
            continue
        if not mixed(taken, pages & ~taken):
            found.append(cut)
    return max(found, key=lambda cut: cut.agreement, default=None)


def _as_set(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _lacks(matrix: FeatureMatrix, kept: int, dropped: int, sign: int, like: int) -> bool:
    """Tell whether *dropped* lacks a sign of the *kept* pages that are *like* the samples, and has marks of its own."""
    return (
        (sign & dropped).bit_count() <= SLIPS * dropped.bit_count()
        and (kept & like & sign).bit_count() >= OFTEN * (kept & like).bit_count()
        and are_strange(matrix, dropped, kept, texts=True)
    )


# --- The rule for a handful of pages, too few to tell kinds apart: the smallest one that holds all of the kind --------


def smallest_rule(matrix: FeatureMatrix, examples: int, strangers: int) -> UrlRule:
    """Ask for all words that the URLs of *examples* share; refuse words of *strangers* that the rule still takes.

    For a single example, its file name and the values of its query are left out as its own.
    """
    words = [matrix.words[place] for place in matrix.members(examples)]
    shared = {word for word in frozenset.intersection(*words) if word.may_be_demanded}
    if len(words) == 1:
        shared = {word for word in shared if not word.is_of_the_file and word.kind is not WordKind.VALUE}
    if any(word.kind is WordKind.KEYS for word in shared):
        shared = {word for word in shared if word.kind is not WordKind.KEY}
    rule = UrlRule(frozenset(shared))
    known = frozenset.union(*words)
    left = [some for place in matrix.members(strangers) if rule.holds(some := matrix.words[place])]
    while left:
        tried = {word for some in left for word in some if word.kind in _REFUSED_KINDS and word not in known}
        if not tried:
            break
        counts = Counter(word for some in left for word in some)
        best = min(tried, key=lambda word: (-counts[word], word.cost(negated=True), word))
        rule = rule.with_words([(best, True)])
        left = [some for some in left if best not in some]
    return rule
