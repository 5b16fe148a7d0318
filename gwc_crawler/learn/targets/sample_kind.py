"""The pages of the samples' kind → one group of URLs with one rule.

In: a survey and the sample pages; in a second round the wrapper that was learned meanwhile. Out: the target group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from statistics import median

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.kinds import (
    UNLIKE,
    Board,
    Findings,
    Sign,
    UrlRule,
    Word,
    WordKind,
    addresses_above,
    decide,
    drop_word,
    find_parts,
    find_twins,
    named_directories,
    narrow,
    smallest_rule,
    with_the_few,
    words_of,
    words_of_values,
)
from gwc_crawler.learn.targets.similarity import MIXED_LISTS, are_hardly_mixed, take_turns
from gwc_crawler.learn.targets.survey import PatternGroup, Survey, title_of
from gwc_crawler.learn.urls import SlottedUrl, origin_pattern, row_of
from gwc_crawler.similarity import overlap
from gwc_crawler.urls import drop_query_keys

_FOUND_ALIKE = 0.4
"""Pages with this share of the fields that the others have may be sparse ones of the kind: they are kept."""
_STRANGE = 0.1
_HARDLY = 0.02
_MOSTLY_TWINS = 0.6
_AS_LIKE = 0.7
_MUCH_LIKE, _OF_ITS_KIND = 0.85, 0.05
"""So many pages, of those taken, that are so much like them are no accident."""
_BEGINNINGS = frozenset((WordKind.FIRST, WordKind.STEM))
_SEVERAL_FIELDS = 4
"""So many fields are no accident."""
_COMPARABLE = 10
"""With fewer pages than this beside the samples nothing tells kinds apart: the smallest rule is taken."""


@dataclass(frozen=True, slots=True)
class SampleKind:
    """The target group, the groups of pages that repeat its pages at other addresses, and how many were seen to."""

    group: PatternGroup
    aliases: list[PatternGroup]
    twins: int


def find_kind(
    survey: Survey,
    samples: Sequence[StoredPage],
    findings: Findings | None,
    signs: Sequence[Sign] = (),
    names: frozenset[str] = frozenset(),
) -> SampleKind:
    """Take the pages of the samples' kind out of the survey's groups.

    Args:
        findings: what the wrapper finds, once there is one.
        signs: what shows that a page has a field.
        names: words that the samples' values share.
    """
    given, samples = samples, samples if len(samples) > 1 else [*samples, *_nearest(survey, samples)]
    pages = list(dict.fromkeys([*samples, *survey.compared]))
    board = _board(survey, pages, samples)
    likeness = board.likeness(board.everywhere)
    if findings is not None:
        findings.leave_out_what_is_everywhere([pages[place] for place, like in likeness.items() if like <= _STRANGE])
        board.leave_out(words_of_values(board, pages, len(samples), findings))

    few = len(pages) - len(samples) < _COMPARABLE
    rule, inside = (
        _closest(board, likeness, pages, len(given), findings)
        if few
        else _compared(survey, board, pages, findings, signs, names)
    )
    for word in _beside_the_start(survey, board, pages, rule, inside, likeness):
        rule, inside = rule.with_words([(word, False)]), inside & board.pages_with[word]
    for word in _scope(survey, given):
        rule, inside = rule.with_words([(word, False)]), inside & board.pages_with[word]
    wide = rule
    parts = 0 if few else _parts(survey, pages)
    rule, inside, twins = _without_twins(survey, board, pages, rule, inside, parts, findings)
    narrowed = rule
    if not few:
        narrowed = narrow(
            board, rule, _like_the_samples(board, likeness, pages, inside, findings), _linked(survey, pages, rule)
        )
        narrowed = _without_needless(board, narrowed, parts)
        repeats = partial(_repeats, survey, board, pages, inside)
        narrowed = _without_accidents(board, narrowed, likeness, inside, repeats)
        if findings is not None and len(findings.wanted) >= _SEVERAL_FIELDS:
            narrowed, inside = with_the_few(board, narrowed, inside, lambda place: findings.of(pages[place]))
    kept = [pages[place] for place in board.members(inside)]
    origins = [row.parts for page in kept for row in survey.spellings(page)]
    known = {(one.scheme, one.host) for one in origins}

    def holds(row: SlottedUrl) -> bool:
        return (row.parts.scheme, row.parts.host) in known and narrowed.holds(survey.words(row))

    group = survey.take_out(holds, narrowed.regex(origin_pattern(origins)))
    repeated = {url for url in twins if wide.holds(words_of(row_of(url)))}
    seen = {page.url for page in pages}
    looked_at = [(one, [page.url for page in one.pages if page.url in seen]) for one in survey.groups[1:]]
    aliases = [one for one, urls in looked_at if urls and repeated.issuperset(urls)]
    return SampleKind(group, aliases, len(twins))


def _scope(survey: Survey, samples: Sequence[StoredPage]) -> list[Word]:
    """The leading directories that all starts of the crawl and all samples share.

    Who begins in `/en/` asks for what that has; that pages in `/de/` are built alike says nothing against it. A start
    that leads on to another address (`/` to `/en/`) asks for what both have.
    """
    starts = [page for page in survey.pages if page.depth == 0 and page not in samples]
    addresses = [url for page in (*starts, *samples) for url in (page.url, survey.clean(page.requested))]
    shared = frozenset.intersection(*(words_of(row_of(url)) for url in addresses)) if starts else frozenset[Word]()
    known = {word.at: word for word in shared if word.kind is WordKind.DIRECTORY}
    return [known[depth] for depth in takewhile(known.__contains__, range(len(known)))]


def _beside_the_start(
    survey: Survey,
    board: Board,
    pages: Sequence[StoredPage],
    rule: UrlRule,
    inside: int,
    likeness: Mapping[int, float],
) -> list[Word]:
    """The first directory of all samples, where the rule takes a start of the crawl, too, which is like the others.

    A start is no record, so nothing on the pages tells their kind: two samples would hardly share the directory by
    chance if others had records, too (the size principle), neither of the pages that are known nor of those fetched.
    """
    least = UNLIKE * median(likeness[place] for place in board.members(inside))
    begun = [place for place in board.members(inside & ~board.samples) if pages[place].depth == 0]
    starts = sum(1 << place for place in begun if likeness[place] > least)
    for word in board.demandable if starts else ():
        if word.kind is not WordKind.DIRECTORY or word.is_topical(board.base(inside)):
            continue
        known = [words for group in survey.forms for row in group.rows if rule.holds(words := survey.words(row))]
        having = board.pages_with[word] & inside
        directories = len(board.beside(word, inside)) + 1
        counts = (sum(word in words for words in known), len(known)), (having.bit_count(), inside.bit_count())
        is_seldom = all(0 < count**2 * directories < every**2 for count, every in counts)
        if is_seldom and not starts & having:
            return [word]
    return []


def _board(survey: Survey, pages: Sequence[StoredPage], samples: Sequence[StoredPage]) -> Board:
    """The pages, samples first, seen from the samples; made once."""
    key = tuple(page.url for page in samples)
    if key not in survey.boards:
        survey.traits.read(pages)
        words = [_words(survey, page) for page in pages]
        survey.boards[key] = Board(words, [survey.features(page) for page in pages], range(len(samples)))
    return survey.boards[key]


def _compared(
    survey: Survey,
    board: Board,
    pages: Sequence[StoredPage],
    findings: Findings | None,
    signs: Sequence[Sign],
    names: frozenset[str],
) -> tuple[UrlRule, int]:
    """The rule that parts the samples' kind from all others, and the pages it takes."""

    def parted(*sets: int) -> Iterator[list[StoredPage]]:
        return ([pages[place] for place in board.members(some)] for some in sets)

    def are_mixed(kept: int, dropped: int) -> bool:
        inside, outside = ({page.url for page in some} for some in parted(kept, dropped))
        return take_turns(survey, inside, outside) >= MIXED_LISTS

    def is_apart(inside: int) -> bool:
        one, other = ({page.url for page in some} for some in parted(inside, board.everywhere & ~inside))
        return are_hardly_mixed(survey, one, other)

    parts = _parts(survey, pages)
    telling = [sign for sign in signs if sign.mark in board.shared_marks]
    bits = [board.shared_marks[sign.mark] for sign in telling if sign.is_label or findings is not None]
    named = named_directories(board, [title_of(page) for page in pages], names, is_apart)
    if findings is None or not findings.wanted:
        return decide(board, are_mixed, None, bits, parts=parts, named=named)
    return decide(
        board,
        are_mixed,
        lambda kept, dropped: findings.are_as_full(_FOUND_ALIKE, *parted(dropped, kept)),
        bits,
        lambda place: findings.is_list(pages[place]),
        parts,
        named,
        {board.shared_marks[sign.mark] for sign in telling if not sign.is_label},
        findings.is_lone,
        lambda kept, dropped: findings.tell(*parted(kept, dropped)),
    )


def _parts(survey: Survey, pages: Sequence[StoredPage]) -> int:
    """The pages on which others go on."""
    further = find_parts(pages, survey.clean, title_of, survey.by_url)
    return sum(1 << place for place, page in enumerate(pages) if page.url in further)


def _without_needless(board: Board, rule: UrlRule, parts: int) -> UrlRule:
    """The rule without words that it refuses for second pages alone, where it takes hardly one of these without them.

    `/item/7/2` is no `/item/NUMBER`; with a last "2" refused, `/item/2` would be lost. The page check is there for a
    single `/list/1/page/2`.
    """
    for word in sorted(rule.refused):
        having = board.pages_with.get(word, 0)
        wider = UrlRule(rule.demanded, rule.refused - {word})
        mostly = 2 * (having & parts).bit_count() > having.bit_count()
        taken = [place for place in board.members(having) if wider.holds(board.words[place])]
        second = sum(parts >> place & 1 for place in taken)
        if mostly and second <= min(len(taken) - second, _HARDLY * having.bit_count()):
            rule = wider
    return rule


def _repeats(survey: Survey, board: Board, pages: Sequence[StoredPage], inside: int, others: Sequence[int]) -> bool:
    """Whether one of the *others* repeats a page of *inside*."""
    taken = [pages[place] for place in board.members(inside)]
    main = {page.url for page in taken}
    some = [*taken, *(pages[place] for place in others)]
    twins = find_twins(some, survey.clean, lambda page: (page.url in main, -len(page.url)), survey.long_texts)
    return not main.issuperset(twins)


def _without_accidents(
    board: Board,
    rule: UrlRule,
    likeness: Mapping[int, float],
    inside: int,
    repeats: Callable[[Sequence[int]], bool],
) -> UrlRule:
    """The rule without what it asks of names' beginnings, where all that it takes besides looks like what it takes, or,
    of a first letter, as many of these as can't be an accident: a first word (`personGrey`) says what kind it is.

    In `/name/` posts are told from lists in `/page/2/` by their first sign as well as by the depth: until depth is
    asked for, too, and posts that begin with a number are lost for nothing. Where most names in capitals are chapters,
    and one in ten is built just as the samples are, the page check tells them.

    Args:
        repeats: says of pages whether one repeats what the rule takes, as those in capitals do: what keeps them out is
            no accident.
    """
    usual = median(likeness[place] for place in board.members(inside))
    least = _AS_LIKE * usual
    for word in sorted(one for one in rule.demanded if one.kind in _BEGINNINGS):
        wider = UrlRule(rule.demanded - {word}, rule.refused)
        besides = [place for place, words in enumerate(board.words) if wider.holds(words) and not rule.holds(words)]
        alike = sum(likeness[place] >= _MUCH_LIKE * usual for place in besides)
        are_many = word.kind is WordKind.FIRST and alike >= max(_COMPARABLE, _OF_ITS_KIND * inside.bit_count())
        if are_many or (besides and all(likeness[place] >= least for place in besides)):
            rule = rule if repeats(besides) else wider
    return rule


def _closest(
    board: Board, likeness: Mapping[int, float], pages: Sequence[StoredPage], given: int, findings: Findings | None
) -> tuple[UrlRule, int]:
    """The smallest rule that holds the first *given* pages, the samples, and those on which all fields are found.

    A start page is no example, and like a page without the fields it is refused.
    """
    examples, strangers = (1 << given) - 1, 0
    for place in range(given, len(pages)):
        found = findings.of(pages[place]) if findings is not None and findings.wanted else None
        is_start = pages[place].depth == 0
        if found == 1 and likeness[place] > UNLIKE:
            examples |= 0 if is_start else 1 << place
        elif is_start or likeness[place] <= _STRANGE or (found is not None and found < _FOUND_ALIKE):
            strangers |= 1 << place
    rule = smallest_rule(board, examples, strangers)
    return rule, sum(1 << place for place, words in enumerate(board.words) if rule.holds(words))


def _linked(survey: Survey, pages: Sequence[StoredPage], rule: UrlRule) -> list[frozenset[Word]]:
    """The words of the URLs that the rule takes and that are known from links only, or are none of *pages*."""
    known = {survey.clean(url) for page in pages for url in page.addresses}
    linked = (survey.words(row) for group in survey.forms for row in group.rows if row.url not in known)
    return [words for words in linked if rule.holds(words)]


def _like_the_samples(
    board: Board, likeness: Mapping[int, float], pages: Sequence[StoredPage], inside: int, findings: Findings | None
) -> int:
    """The pages of *inside* with some of the samples' likeness, and those in which the wrapper finds its fields."""
    members = board.members(inside)
    least = UNLIKE * median(likeness[place] for place in members)
    like = [place for place in members if likeness[place] > least]
    if findings is not None and findings.wanted:
        unlike = [place for place in members if likeness[place] <= least]
        like += [place for place in unlike if findings.of(pages[place]) >= _FOUND_ALIKE]
    return sum(1 << place for place in like) | board.samples


def _without_twins(
    survey: Survey,
    board: Board,
    pages: Sequence[StoredPage],
    rule: UrlRule,
    inside: int,
    parts: int,
    findings: Findings | None,
) -> tuple[UrlRule, int, dict[str, str]]:
    """Demand or refuse words that part pages from their second versions; which pages these are.

    Args:
        parts: pages on which others go on.
    """
    place_of = {page.url: place for place, page in enumerate(pages)}

    def merit(page: StoredPage) -> tuple[float, ...]:
        place = place_of[page.url]
        return (board.samples >> place & 1, len(board.words[place] & board.shared_words), -len(page.url))

    taken = [pages[place] for place in board.members(inside)]
    record_of = findings.record if findings is not None else None
    twins = find_twins(taken, survey.clean, merit, survey.long_texts, record_of)
    mains = {place_of[url]: place_of[main] for url, main in twins.items()}

    def is_version(word: Word, place: int) -> bool:
        """Whether the page's address is its main version's with the word put in."""
        return pages[place].url.replace(word.value, "", 1) == pages[mains[place]].url

    def is_comparable(word: Word, place: int) -> bool:
        url = pages[place].url
        if word.kind is WordKind.KEY:
            return drop_query_keys(url, (word.value,)) in survey.by_url
        return any(above in place_of and inside >> place_of[above] & 1 for above in addresses_above(url))

    while any(inside >> place & 1 for place in mains):
        word = drop_word(board, inside, mains, is_version, _MOSTLY_TWINS, parts, is_comparable)
        if word is None:
            break
        rule = rule.with_words([word])
        having = board.pages_with[word[0]]
        inside &= ~having if word[1] else having
    return rule, inside, twins


def _words(survey: Survey, page: StoredPage) -> frozenset[Word]:
    """The words of a page's URL; without slash and host where links name it otherwise."""
    words, *others = map(words_of, survey.spellings(page))
    spelled = frozenset(word for word in words if word.kind in (WordKind.SLASH, WordKind.HOST))
    return words - (spelled - spelled.intersection(*others))


def _nearest(survey: Survey, samples: Sequence[StoredPage]) -> list[StoredPage]:
    """The page of its URL group that is most like a single sample, which has too much of its own to be a measure."""
    if not samples:
        return []
    alike = survey.group_of[samples[0].url].pages
    survey.traits.read(alike)
    marks = survey.features(samples[0])
    others = [page for page in alike if page is not samples[0]]
    return [max(others, key=lambda page: overlap(marks, survey.features(page)))] if others else []
