"""The pages of the samples' kind → one group of URLs with one rule.

In: the pre-crawl's index and the sample pages; in a second round the wrapper that was learned meanwhile. Out: the
target group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from gwc_crawler.extract.fields import overlap
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.degrees import HALF, HARDLY_ANY, MANY
from gwc_crawler.learn.kinds.cuts import UNLIKE
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.field_witness import FieldWitness
from gwc_crawler.learn.kinds.near_duplicates import addresses_above, drop_word, find_near_duplicates, find_parts
from gwc_crawler.learn.kinds.rule import UrlRule
from gwc_crawler.learn.kinds.sample_values import Sign
from gwc_crawler.learn.kinds.splits import decide, narrow, smallest_rule
from gwc_crawler.learn.kinds.words import Word, WordKind, words_of
from gwc_crawler.learn.targets.precrawl_index import PatternGroup, PrecrawlIndex
from gwc_crawler.learn.targets.similarity import are_listed_apart, take_turns
from gwc_crawler.learn.urls.regex import origin_pattern
from gwc_crawler.learn.urls.url_parts import SlottedUrl, row_of
from gwc_crawler.urls import drop_query_keys


def find_kind(
    index: PrecrawlIndex,
    samples: Sequence[StoredPage],
    findings: FieldWitness | None,
    signs: Sequence[Sign] = (),
) -> tuple[PatternGroup, list[PatternGroup], int]:
    """Take the pages of the samples' kind out of the index's groups, as a group of its own; also return the groups of
    pages that repeat its pages at other addresses, and how many were seen to.

    Args:
        findings: once there is a wrapper.
    """
    given, samples = samples, samples if len(samples) > 1 else [*samples, *_nearest(index, samples[0])]
    pages = list(dict.fromkeys([*samples, *index.compared]))
    matrix = _matrix(index, pages, samples)
    likeness = matrix.likeness(matrix.everywhere)
    if findings is not None:
        findings.leave_out_what_is_everywhere([pages[place] for place, like in likeness.items() if like <= HARDLY_ANY])
    few = len(pages) - len(samples) < MANY
    if few:
        wide, inside = _closest(matrix, likeness, pages, len(given), findings)
    else:
        wide, inside = _compared(index, matrix, pages, findings, signs)
    further = set[str]() if few else find_parts(pages, index.clean, index.by_url)
    parts = sum(1 << place for place, page in enumerate(pages) if page.url in further)  # others go on on them
    narrowed, inside, duplicates = _without_near_duplicates(index, matrix, pages, wide, inside, parts, findings)
    if not few:
        known = {index.clean(url) for page in pages for url in page.addresses}
        linked = (index.words(row) for group in index.forms for row in group.rows if row.url not in known)
        like = _like_the_samples(matrix, likeness, pages, inside, findings)
        narrowed = narrow(matrix, narrowed, like, list(filter(narrowed.holds, linked)))
    kept = [pages[place] for place in matrix.members(inside)]
    origins = [row.parts for page in kept for row in index.spellings(page)]
    places = {(one.scheme, one.host) for one in origins}

    def holds(row: SlottedUrl) -> bool:
        return (row.parts.scheme, row.parts.host) in places and narrowed.holds(index.words(row))

    group = index.take_out(holds, narrowed.regex(origin_pattern(origins)))
    repeated = {url for url in duplicates if wide.holds(words_of(row_of(url)))}
    seen = {page.url for page in pages}
    looked_at = [(one, [page.url for page in one.pages if page.url in seen]) for one in index.groups[1:]]
    aliases = [one for one, urls in looked_at if urls and repeated.issuperset(urls)]
    return group, aliases, len(duplicates)


def _matrix(index: PrecrawlIndex, pages: Sequence[StoredPage], samples: Sequence[StoredPage]) -> FeatureMatrix:
    """Return the pages, samples first, seen from the samples; made once."""
    key = tuple(page.url for page in samples)
    if key not in index.matrices:
        words = [_words(index, page) for page in pages]
        names = (row.values[row.layout[0]] for group in index.groups for row in group.rows if row.layout[0])
        index.matrices[key] = FeatureMatrix(words, [index.features(page) for page in pages], range(len(samples)), names)
    return index.matrices[key]


def _compared(
    index: PrecrawlIndex,
    matrix: FeatureMatrix,
    pages: Sequence[StoredPage],
    findings: FieldWitness | None,
    signs: Sequence[Sign],
) -> tuple[UrlRule, int]:
    def parted(*sets: int) -> Iterator[list[StoredPage]]:
        return ([pages[place] for place in matrix.members(some)] for some in sets)

    def urls(*sets: int) -> Iterator[set[str]]:
        return ({page.url for page in some} for some in parted(*sets))

    def are_mixed(kept: int, dropped: int) -> bool:
        return take_turns(index, *urls(kept, dropped)) >= 2

    asked = findings if findings is not None and findings.wanted else None
    telling = [sign for sign in signs if sign.mark in matrix.shared_marks and (sign.is_label or findings is not None)]
    return decide(
        matrix,
        are_mixed,
        None if asked is None else lambda kept, left: asked.are_as_full(UNLIKE, *parted(left, kept)),
        apart=lambda kept, dropped: are_listed_apart(index, *urls(kept, dropped)),
        lone=asked is not None and asked.is_lone,
        signs=[matrix.shared_marks[sign.mark] for sign in telling],
        unlabelled={matrix.shared_marks[sign.mark] for sign in telling if not sign.is_label},
    )


def _closest(
    matrix: FeatureMatrix,
    likeness: Mapping[int, float],
    pages: Sequence[StoredPage],
    given: int,
    findings: FieldWitness | None,
) -> tuple[UrlRule, int]:
    """Return the smallest rule that holds the first *given* pages (the samples) and those with all fields.

    A start page is no example, and like a page without the fields it is refused.
    """
    examples, strangers = (1 << given) - 1, 0
    for place in range(given, len(pages)):
        found = findings.of(pages[place]) if findings is not None and findings.wanted else None
        is_start = pages[place].depth == 0
        if found == 1 and likeness[place] > UNLIKE:
            examples |= 0 if is_start else 1 << place
        elif is_start or likeness[place] <= HARDLY_ANY or (found is not None and found < UNLIKE):
            strangers |= 1 << place
    rule = smallest_rule(matrix, examples, strangers)
    return rule, sum(1 << place for place, words in enumerate(matrix.words) if rule.holds(words))


def _like_the_samples(
    matrix: FeatureMatrix,
    likeness: Mapping[int, float],
    pages: Sequence[StoredPage],
    inside: int,
    findings: FieldWitness | None,
) -> int:
    """Return the pages of *inside* that are somewhat like the samples, and those on which the wrapper finds fields."""
    members = matrix.members(inside)
    least = UNLIKE * median(likeness[place] for place in members)
    like = [place for place in members if likeness[place] > least]
    if findings is not None and findings.wanted:
        unlike = [place for place in members if likeness[place] <= least]
        like += [place for place in unlike if findings.of(pages[place]) >= UNLIKE]
    return sum(1 << place for place in like) | matrix.samples


def _without_near_duplicates(
    index: PrecrawlIndex,
    matrix: FeatureMatrix,
    pages: Sequence[StoredPage],
    rule: UrlRule,
    inside: int,
    parts: int,
    findings: FieldWitness | None,
) -> tuple[UrlRule, int, dict[str, str]]:
    """Demand or refuse words that part pages from their second versions; *parts*: pages on which others go on."""
    place_of = {page.url: place for place, page in enumerate(pages)}

    def merit(page: StoredPage) -> tuple[float, ...]:
        place = place_of[page.url]
        return (matrix.samples >> place & 1, len(matrix.words[place] & matrix.shared_words), -len(page.url))

    taken = [pages[place] for place in matrix.members(inside)]
    record_of = findings.record if findings is not None else None
    duplicates = find_near_duplicates(taken, index.clean, merit, index.long_texts, record_of)
    mains = {place_of[url]: place_of[main] for url, main in duplicates.items()}

    def is_version(word: Word, place: int) -> bool:
        """Say whether the page's address is its main version's with the word put in."""
        return pages[place].url.replace(word.value, "", 1) == pages[mains[place]].url

    def is_comparable(word: Word, place: int) -> bool:
        url = pages[place].url
        if word.kind is WordKind.KEY:
            return drop_query_keys(url, (word.value,)) in index.by_url
        return any(above in place_of and inside >> place_of[above] & 1 for above in addresses_above(url))

    while any(inside >> place & 1 for place in mains):
        word = drop_word(matrix, inside, mains, is_version, HALF, parts, is_comparable)
        if word is None:
            break
        rule = rule.with_words([word])
        having = matrix.pages_with[word[0]]
        inside &= ~having if word[1] else having
    return rule, inside, duplicates


def _words(index: PrecrawlIndex, page: StoredPage) -> frozenset[Word]:
    words, *others = map(words_of, index.spellings(page))
    spelled = frozenset(word for word in words if word.kind in (WordKind.SLASH, WordKind.HOST))
    return words - (spelled - spelled.intersection(*others))


def _nearest(index: PrecrawlIndex, sample: StoredPage) -> list[StoredPage]:
    """Return the page most like a single sample in its URL group: the sample has too much of its own for a measure."""
    alike = index.group_of[sample.url].pages
    marks = index.features(sample)
    others = [page for page in alike if page is not sample]
    return [max(others, key=lambda page: overlap(marks, index.features(page)))] if others else []
