"""A decision tree with two views: what stands on the pages says where to cut, words of their URLs say what the cut is.

In: a `Board`. Out: a `UrlRule`. A cut is made where both views agree: pages unlike the samples are left behind if a
few words tell their URLs from those of the others, again and again, until nothing can be told apart any more.

Source:
    The gain of a word follows Quinlan, "Learning logical definitions from relations" (FOIL), 1990: what it puts right
    against the bits it takes to say it; at the end the size principle, Tenenbaum & Griffiths, "Generalization,
    similarity, and Bayesian inference", 2001: the smallest rule that holds all examples is the likeliest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from statistics import mean, median

from gwc_crawler.learn.kinds.board import Board
from gwc_crawler.learn.kinds.rule import UrlRule
from gwc_crawler.learn.kinds.words import Word

_CUTS = 40
_BITS_A_PAGE = 5.0
_NODE_SHARE = 0.005
"""A word has to put right so many of the pages besides what it costs: a share that no sites' accidents reach."""
_AGREEMENTS = (0.85, 0.70)
_STRANGE_AGREEMENT = 0.95
_LESS_LIKE = 0.9
_TOPICAL_MARKS = 3
"""Marks that pages of a word about a topic have to have, and to lack, to be of another kind."""
_MOST_WORDS = 8
_MOST_SPLITS = 12
UNLIKE = 0.35
"""Pages with no more than this share of the others' likeness are another kind; with more, they may be sparse ones."""
_KIND_WITH, _KIND_WITHOUT = 0.95, 0.05
_OFTEN = 0.7
_LEAST_OF_A_KIND = 3
_LEAST_DROPPED = 5
_CUT_COST = 10.0
"""Bits for the choice of a cut: in a small class some word goes with some cut by chance."""
_EXAMPLES, _FILE_EXAMPLES = 10, 30
"""Pages that have to agree in a word, or in one of the file name, before the rule asks for it in the end."""

Veto = Callable[[int, int], bool]
"""Asked with the pages that are kept and those that would be dropped: whether these are targets, too."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """What both views say: pages by likeness, pages by words, and the words, each with whether it is refused."""

    agreement: float
    pages: int
    words: tuple[tuple[Word, bool], ...]


def decide(board: Board, mixed: Veto, veto: Veto | None = None, signs: Sequence[int] = ()) -> tuple[UrlRule, int]:
    """Find the rule of the samples' kind, and the pages it takes.

    Args:
        mixed: says whether the site lists both together, so that they are the same to it.
        veto: says what the wrapper finds on pages that words about a topic would drop; None to leave these words out.
        signs: for each field with a label of its own (`signs`) the pages that have it.
    """
    rule, pages = UrlRule(), board.everywhere
    for _ in range(_MOST_SPLITS):
        cut = _kind(board, pages) or _split(board, pages)
        if cut is None and veto is not None:
            cut = _estrange(board, pages, veto) or _split(board, pages, veto)
        cut = (
            cut
            or _sibling(board, pages, mixed, veto)
            or _structure(board, pages, mixed, signs)
            or _other_value(board, pages, mixed)
            or _unlabelled(board, pages, signs, mixed)
        )
        if cut is None:
            break
        rule, pages = rule.with_words(cut.words), cut.pages
    return rule, pages


def narrow(board: Board, rule: UrlRule, pages: int, linked: Sequence[frozenset[Word]] = ()) -> UrlRule:
    """Ask for what all pages of the kind have in common: the smallest rule that holds them.

    Args:
        linked: the words of further URLs that the rule takes, known from links only: where they stand and what they
            are called has to hold for them, too.
    """
    shared = []
    for word in board.demandable:
        if word.narrows and not pages & ~board.pages_with[word]:
            everywhere = all(word in words for words in linked)
            count = pages.bit_count() + (len(linked) if everywhere and word.is_structural else 0)
            if (everywhere or word.is_of_the_form) and _is_no_accident(board, word, count):
                shared.append(word)
    return rule.with_words((word, False) for word in shared)


def _is_no_accident(board: Board, word: Word, count: int) -> bool:
    """Whether *count* pages that all have a word speak for it: many of them, or few of a word that is rare here."""
    if count >= (_FILE_EXAMPLES if word.is_of_the_file else _EXAMPLES) or word.kind in {"keys", "slash"}:
        return True
    rarity = -log2(board.pages_with[word].bit_count() / board.count)
    return word.is_structural and count * rarity > word.cost()


def _kind(board: Board, pages: int) -> _Cut | None:
    """A prefix or extension that goes with a mark of the samples, always, and never without it."""
    for word in board.demandable:
        inside = board.pages_with[word] & pages
        is_kind = word.kind == "extension" or (word.kind == "start" and not word.is_topical)
        if not is_kind or inside == pages or inside.bit_count() < _LEAST_OF_A_KIND:
            continue
        outside = pages & ~inside
        for mark in board.marks:
            with_word, without = (mark & inside).bit_count(), (mark & outside).bit_count()
            if with_word >= _KIND_WITH * inside.bit_count() and without <= _KIND_WITHOUT * outside.bit_count():
                return _Cut(1.0, inside, ((word, False),))
    return None


def _split(board: Board, pages: int, veto: Veto | None = None) -> _Cut | None:
    """The cut on which likeness and words agree best, if they agree well enough."""
    likeness = board.likeness(pages)
    demanded = [word for word in board.demandable if veto is not None or not word.is_topical]
    refused = board.refusable(pages, topical=veto is not None)
    found: list[_Cut] = []
    for like in _cuts(board, likeness):
        cut = _describe(board, pages, like, demanded, _unlike(board, refused, like, likeness))
        if cut is None or not all(_has_own(board, cut, pages, word) for word, is_refused in cut.words if is_refused):
            continue
        if veto is None or not veto(cut.pages, pages & ~cut.pages):
            found.append(cut)
    best = max(found, key=lambda cut: cut.agreement, default=None)
    return best if best is not None and best.agreement >= _AGREEMENTS[-1] else None


def _has_own(board: Board, cut: _Cut, pages: int, word: Word) -> bool:
    """Whether the pages of a word about a topic, left behind by *cut*, have something that the others do not have.

    Pages that only lack something, as those of other sorts of goods in a shop do, are no other kind.
    """
    if not word.is_topical or board.recurs(word, pages):
        return True
    left = board.pages_with[word] & pages & ~cut.pages
    return board.own_marks(left, cut.pages, _KIND_WITH, _KIND_WITHOUT) >= _TOPICAL_MARKS


def _sibling(board: Board, pages: int, mixed: Veto, veto: Veto | None) -> _Cut | None:
    """Refuse a word of a sibling kind: its pages have marks of their own, and lack marks that the samples' kind has.

    A word about a topic is refused only if the wrapper finds no fields there, and the site does not list both together.
    """
    likeness = board.likeness(pages)
    for word in board.refusable(pages, topical=True):
        if board.extends_shared_prefix(word):
            continue
        inside = board.pages_with[word] & pages
        outside = pages & ~inside
        if inside.bit_count() < _LEAST_DROPPED or not outside:
            continue
        those, others = (mean(likeness[place] for place in board.members(some)) for some in (inside, outside))
        if those > UNLIKE * others:
            continue
        is_topic = word.is_topical and not board.recurs(word, pages, below=2)
        least = _TOPICAL_MARKS if is_topic else 1
        most = _KIND_WITHOUT * inside.bit_count()
        lost = sum(
            (mark & inside).bit_count() <= most and 2 * (mark & outside).bit_count() >= outside.bit_count()
            for mark in board.marks
        )
        if lost < least or board.own_marks(inside, outside, _KIND_WITH, _KIND_WITHOUT) < least:
            continue
        if not is_topic or not (veto is None or veto(outside, inside) or mixed(outside, inside)):
            return _Cut(1.0, outside, ((word, True),))
    return None


def _structure(board: Board, pages: int, mixed: Veto, signs: Sequence[int]) -> _Cut | None:
    """Leave pages behind that lack a word by which sites part kinds, and are less like the samples or listed apart.

    Unless they have the labels of all fields.
    """
    likeness = board.likeness(pages)
    for word in board.demandable:
        inside = board.pages_with[word] & pages
        if not word.is_structural or inside == pages or inside.bit_count() < _LEAST_OF_A_KIND:
            continue
        outside = pages & ~inside
        if signs and all(_has(outside, sign) for sign in signs if _has(inside, sign)):
            continue
        those, others = ([likeness[place] for place in board.members(some)] for some in (inside, outside))
        if mean(others) < _LESS_LIKE * mean(those) or not mixed(inside, outside):
            return _Cut(1.0, inside, ((word, False),))
    return None


def _other_value(board: Board, pages: int, mixed: Veto) -> _Cut | None:
    """Refuse another value of a query key than the samples share (`view=toy`): its pages are less like the samples,
    have marks of their own, and are listed apart."""
    likeness = board.likeness(pages)
    shared = [word for word in board.demandable if word.kind == "value"]
    for word in shared:
        inside = board.pages_with[word] & pages
        key = word.value.partition("=")[0] + "="
        for other in board.refusable(pages, topical=False):
            if other.kind != "value" or not other.value.startswith(key):
                continue
            those = board.pages_with[other] & pages & ~inside
            if those.bit_count() < _LEAST_DROPPED:
                continue
            like, unlike = (mean(likeness[place] for place in board.members(some)) for some in (inside, those))
            if unlike >= _LESS_LIKE * like or mixed(inside, those):
                continue
            if board.own_marks(those, inside, _KIND_WITH, _KIND_WITHOUT) >= 1:
                return _Cut(1.0, pages & ~those, ((other, True),))
    return None


def _has(pages: int, sign: int) -> bool:
    """Whether *pages* have a sign as a rule."""
    return (pages & sign).bit_count() >= _OFTEN * pages.bit_count()


def _estrange(board: Board, pages: int, veto: Veto) -> _Cut | None:
    """Leave pages behind that have what no sample has, if words that the samples have tell them apart."""
    demanded = [word for word in board.demandable if not word.is_topical]
    found = []
    for strange in board.strange(pages):
        cut = _describe(board, pages, pages & ~strange, demanded, ())
        if cut is not None and cut.agreement >= _STRANGE_AGREEMENT:
            found.append(cut)
    found.sort(key=lambda cut: -cut.agreement)
    return next((cut for cut in found if not veto(cut.pages, pages & ~cut.pages)), None)


def _unlabelled(board: Board, pages: int, signs: Sequence[int], mixed: Veto) -> _Cut | None:
    """Leave pages behind that never have a field which the others have, but something else, if words tell them apart.

    So are kinds of the same skin told apart: of a page that lacks a field by chance the URL says nothing.
    """
    refused = board.refusable(pages, topical=True)
    found = []
    for sign in signs:
        inside = sign & pages
        cut = _describe(board, pages, inside, _common(board, inside), _rare(board, refused, inside))
        if cut is None or not _lacks(board, cut.pages, pages & ~cut.pages, sign):
            continue
        if not mixed(cut.pages, pages & ~cut.pages):
            found.append(cut)
    return max(found, key=lambda cut: cut.agreement, default=None)


def _common(board: Board, inside: int) -> list[Word]:
    """The words to ask for that nearly all pages of *inside* have."""
    least = _KIND_WITH * inside.bit_count()
    return [word for word in board.demandable if (board.pages_with[word] & inside).bit_count() >= least]


def _rare(board: Board, words: Sequence[Word], inside: int) -> list[Word]:
    """Those of *words* that hardly a page of *inside* has."""
    return [
        word
        for word in words
        if not board.extends_shared_prefix(word)
        and (board.pages_with[word] & inside).bit_count() <= _KIND_WITHOUT * board.pages_with[word].bit_count()
    ]


def _lacks(board: Board, kept: int, dropped: int, sign: int) -> bool:
    """Whether *dropped* lacks a sign that *kept* has, and has marks of its own instead."""
    return (
        (sign & dropped).bit_count() <= _KIND_WITHOUT * dropped.bit_count()
        and _has(kept, sign)
        and board.strange_share(dropped, kept, _KIND_WITHOUT) >= _KIND_WITH
    )


def drop_word(
    board: Board, pages: int, mains: Mapping[int, int], is_version: Callable[[Word, int], bool], least: float
) -> tuple[Word, bool] | None:
    """The word, and whether it is refused, that leaves most second versions behind, and hardly a page besides.

    Args:
        mains: second version → the page that it repeats, which has to stay.
        is_version: asked of a word about a topic, and a page: whether the page is a second version by that word.
        least: the share of what is left behind that has to be second versions.
    """
    best: tuple[tuple[int, float], Word, bool] | None = None
    twins = sum(1 << place for place in mains) & pages
    tried = [(word, False, pages & ~board.pages_with[word]) for word in board.demandable]
    refusable = (word for word in board.pages_with if word.may_be_refused and word not in board.sample_words)
    tried += [(word, True, pages & board.pages_with[word]) for word in refusable if word.kind != "name"]
    for word, negated, dropped in tried:
        gone = twins & dropped
        if not gone or board.samples & dropped or gone.bit_count() < least * dropped.bit_count():
            continue
        if any(dropped >> mains[place] & 1 for place in board.members(gone)):
            continue
        if word.is_topical and not all(is_version(word, place) for place in board.members(gone)):
            continue
        merit = (gone.bit_count(), -word.cost(negated=negated))
        if best is None or merit > best[0]:
            best = merit, word, negated
    return None if best is None else (best[1], best[2])


def _cuts(board: Board, likeness: dict[int, float]) -> Iterable[int]:
    """The pages above each of the widest gaps of likeness, highest gap first."""
    ranked = sorted(likeness, key=lambda place: -likeness[place])
    gaps = [(likeness[ranked[n]] - likeness[ranked[n + 1]], n + 1) for n in range(len(ranked) - 1)]
    ends = sorted(end for _, end in sorted(gaps, reverse=True)[:_CUTS])
    taken, start = 0, 0
    for end in ends:
        for place in ranked[start:end]:
            taken |= 1 << place
        start = end
        if not board.samples & ~taken and likeness[ranked[end - 1]] > likeness[ranked[end]]:
            yield taken


def _unlike(board: Board, words: Sequence[Word], like: int, likeness: dict[int, float]) -> list[Word]:
    """Those of *words* whose pages are not at all like the pages above the cut."""
    least = UNLIKE * median(likeness[place] for place in board.members(like))
    below = sum(1 << place for place, value in likeness.items() if value <= least)
    inside = sum(1 << place for place in likeness)
    return [
        word
        for word in words
        if 2 * (board.pages_with[word] & below).bit_count() >= (board.pages_with[word] & inside).bit_count()
    ]


def _describe(board: Board, pages: int, like: int, demanded: Sequence[Word], refused: Sequence[Word]) -> _Cut | None:
    """Say the cut in words: a conjunction, grown word by word while each gains more than it costs, then pruned."""
    fee = _CUT_COST + _BITS_A_PAGE * _NODE_SHARE * pages.bit_count()
    sets = [(word, False, board.pages_with[word] & pages) for word in demanded]
    sets += [(word, True, pages & ~board.pages_with[word]) for word in refused]
    taken, chosen = pages, list[tuple[Word, bool, int]]()
    for _ in range(_MOST_WORDS):
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
    if not chosen or (pages & ~taken).bit_count() < _LEAST_DROPPED:
        return None
    return _Cut(_phi(pages, like, taken), taken, tuple((word, negated) for word, negated, _ in chosen))


def _wrong(one: int, two: int) -> int:
    return (one ^ two).bit_count()


def _phi(pages: int, one: int, two: int) -> float:
    """The correlation of two sets of pages, −1 to 1."""
    both, only_one, only_two = (one & two).bit_count(), (one & ~two).bit_count(), (two & ~one).bit_count()
    neither = pages.bit_count() - both - only_one - only_two
    product = (both + only_one) * (both + only_two) * (neither + only_one) * (neither + only_two)
    return (both * neither - only_one * only_two) / sqrt(product) if product else 0.0
