"""Second versions of a page: print, AMP, comment pages, a second mirror. One of them is the main one.

In: pages of the samples' kind. Out: which of them repeat which others, and a word of their URLs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from html import unescape
from typing import TYPE_CHECKING

from gwc_crawler.items import Extracted, StoredPage
from gwc_crawler.learn.degrees import A_HANDFUL, ALL_BUT_SLIPS, ENOUGH, FEW, HARDLY_ANY, MOST, OFTEN, SEVERAL, SLIPS
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.sample_values import word_set
from gwc_crawler.learn.kinds.words import Word, WordKind
from gwc_crawler.page.text import text_weight
from gwc_crawler.urls import drop_query_keys, join_url, query_parts

if TYPE_CHECKING:
    from gwc_crawler.learn.kinds.field_witness import FieldWitness

_HEAD_BYTES = 16_384
"""Bytes of a page in which its head is looked for."""
_CANONICAL = re.compile(rb"<link\b[^>]*\brel\s*=\s*[\"']?canonical[^>]*>", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*[\"']?([^\"' >]+)", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_LEAST_SIGNS = 100
_FURTHER = re.compile(r"(?:[_-][0-9]{1,3}|/(?:page/|p)?[0-9]{1,3})(/?|\.[a-z]{2,5})$")
_NUMBER = re.compile(r"[0-9]{1,3}")
_PART_NUMBER = re.compile(r"(?<=[_-])(?:[2-9]|[1-9][0-9]{1,2})(?=[_.-][^/]*$)")
"""A number of few digits in the file name."""
_SAID_IN_TITLE = re.compile(
    r"[\s\-–—|_·,:(（\[【]*(?:第\s*[0-9]{1,3}\s*页|\b(?:page|seite)\s+[0-9]{1,3}(?:\s*(?:/|of|von)\s*[0-9]{1,3})?\b)[)）\]】]?",
    re.IGNORECASE,
)
_MOST_LOST = {WordKind.KEY: FEW, WordKind.DEPTH: SLIPS}
"""Maximum share of such words' second versions whose main page is lost, too: it is not known by its own address."""
_PARTS_OF_NAMES = frozenset((WordKind.START, WordKind.END, WordKind.TAIL, WordKind.VALUE))


def find_near_duplicates(
    pages: Sequence[StoredPage],
    clean: Callable[[str], str],
    merit: Callable[[StoredPage], tuple[float, ...]],
    long_texts: Callable[[StoredPage], frozenset[str]],
    record_of: Callable[[StoredPage], Mapping[str, Extracted]] | None = None,
) -> dict[str, str]:
    """Find the pages that show the content of another page.

    A page repeats the page it names as its canonical address. Two pages repeat each other if each shares seven tenths
    of its long paragraphs, not counting those on many pages. A page of the same name may stand whole on one that goes
    on with comments. A page below another's address (`/item/7/reviews/add/`) repeats it if all its texts stand there,
    however few, or if it shows its whole record.

    Args:
        clean: drops session parts from a URL.
        merit: the page with the higher merit is the main one of two.
        long_texts: `PageTraits.texts`.
        record_of: gives the record of a page, once there is a wrapper.
    Returns:
        URL → URL of the main version.
    """
    by_url = {page.url: page for page in pages}
    duplicates: dict[str, str] = {}
    for page in pages:
        named = canonical_of(page)
        main = clean(named) if named else page.url
        if main in by_url and main != page.url and merit(by_url[main]) > merit(page):
            duplicates[page.url] = main
    texts = _own_texts({page.url: long_texts(page) for page in pages if page.url not in duplicates})
    places: dict[str, list[str]] = defaultdict(list)
    for url, some in texts.items():
        for text in some:
            places[text].append(url)
    pairs = {(one, other): None for urls in places.values() for one in urls for other in urls if one < other}
    for one, other in pairs:
        worse, better = sorted((one, other), key=lambda url: merit(by_url[url]))
        are_same = _repeats(texts[one], texts[other]) and _repeats(texts[other], texts[one])
        is_below = worse.startswith(f"{better.rstrip('/')}/")
        is_held = (is_below or _name(one) == _name(other)) and _repeats(texts[worse], texts[better], ALL_BUT_SLIPS)
        if are_same or (is_held and (is_below or _repeats(texts[better], texts[worse], FEW))):
            duplicates.setdefault(worse, better)
    if record_of is not None:
        others = (page.url for page in pages if page.url not in duplicates)
        below = {url: above for url in others if (above := _nearest_above(url, by_url)) is not None}
        duplicates |= _of_one_record(below, by_url, record_of)
    return {url: main for url, main in duplicates.items() if main not in duplicates}


def find_parts(
    pages: Sequence[StoredPage],
    clean: Callable[[str], str],
    known: Mapping[str, StoredPage] | None = None,
) -> set[str]:
    """Find the pages that continue another one: they have its title, but for the part's number ("… - Page 2"), and its
    address plus a number, or with a number in place of a 1 (`thread-1030-2-1` continues `thread-1030-1-1`).

    One must link to the other, or both to the same pages (a second address). A title that many pages have is the
    site's and does not count.

    Args:
        known: all pages by URL, where *pages* are drawn from more.
    """
    by_url = known or {page.url: page for page in pages}
    titles = {page.url: _title_of_all(title_of(page)) for page in pages}
    counts = Counter(titles.values())

    def is_part(page: StoredPage, first: StoredPage | None) -> bool:
        title = titles[page.url]
        if first is None or first is page or not title or _title_of_all(title_of(first)) != title:
            return False
        if counts[title] > max(2, HARDLY_ANY * len(pages)):
            return False
        links, others = (set(map(clean, one.links)) for one in (page, first))
        return page.url in others or first.url in links or links == others

    return {page.url for page in pages if any(is_part(page, by_url.get(url)) for url in _beginnings(page.url))}


def _title_of_all(title: str) -> str:
    """Return the title that all parts of a page have.

    >>> _title_of_all("Travel - 第2页 - Board"), _title_of_all("Page 2 of 3 | Travel"), _title_of_all("Travel (page 2)")
    ('Travel - Board', 'Travel', 'Travel')
    """
    return _SAID_IN_TITLE.sub("", title).strip(" -–—|_·,:")


def _beginnings(url: str) -> Iterator[str]:
    path, mark, query = url.partition("?")
    if found := _FURTHER.search(path):
        plain = path[: found.start()] + found[1]
        yield from (form + mark + query for form in (plain, plain.rstrip("/"), plain.rstrip("/") + "/"))
    for found in _PART_NUMBER.finditer(path):
        yield f"{path[: found.start()]}1{path[found.end() :]}{mark}{query}"
    for pair in query_parts(query) if mark else ():
        key, _, value = pair.partition("=")
        if _NUMBER.fullmatch(value):
            yield drop_query_keys(url, (key,))


def addresses_above(url: str) -> list[str]:
    """Return the addresses of the directories that a page is in, the nearest last, each with and without a slash."""
    path = url.partition("?")[0].rstrip("/")
    ends = [found.start() for found in re.finditer("/", path)][3:]
    return [form for end in ends for form in (path[:end], path[: end + 1])]


def _nearest_above(url: str, known: Collection[str]) -> str | None:
    """Return the nearest known address above, with the same query where the URL has one (`/commit/docs?id=7`)."""
    _, mark, query = url.partition("?")
    tried = ((above + mark + query, above) for above in reversed(addresses_above(url)))
    return next((form for forms in tried for form in forms if form in known and form != url), None)


def _of_one_record(
    below: Mapping[str, str],
    by_url: Mapping[str, StoredPage],
    record_of: Callable[[StoredPage], Mapping[str, Extracted]],
) -> dict[str, str]:
    """Keep the pages *below* others that show the same record: all single values agree, several of them, and one is
    rare among the records. A list may be missing (a form to add a review shows none), but not differ. A page with a
    query that only this record has (`?id=7`) may differ in a few values."""
    found: dict[str, str] = {}
    queries = Counter(main.partition("?")[2] for main in set(below.values()))
    records: dict[str, Mapping[str, Extracted]] = {}
    for number, (url, main) in enumerate(below.items()):
        if number >= ENOUGH and not found:
            break
        for one in (url, main):
            records[one] = records.get(one) or record_of(by_url[one])
        has_its_query = "?" in url and queries[url.partition("?")[2]] == 1
        if _is_same_record(records[url], records[main], MOST if has_its_query else 1):
            found[url] = main
    mains = set(below.values()) & records.keys()
    values = {main: set(_singles(records[main]).values()) for main in mains}
    counts = Counter(value for some in values.values() for value in some)
    return {url: main for url, main in found.items() if min(counts[value] for value in values[main]) <= A_HANDFUL}


def _is_same_record(one: Mapping[str, Extracted], main: Mapping[str, Extracted], least: float) -> bool:
    """Tell whether pages share *least* of their single values; if that is all of them, also their lists."""
    singles, others = _singles(main), _singles(one)
    if len(singles) < SEVERAL:
        return False
    if others != singles:
        common = singles.items() & others.items()
        return len(common) >= max(SEVERAL, least * len(singles.keys() | others.keys()))
    lists = (name for name in one.keys() & main.keys() if name not in singles)
    return least < 1 or all(one[name] == main[name] for name in lists)


def _singles(record: Mapping[str, Extracted]) -> dict[str, str]:
    return {name: value for name, value in record.items() if isinstance(value, str)}


def _own_texts(long: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Keep the long texts of each URL that stand on few pages; a page at many addresses (`?post=7`) counts once."""
    counts = Counter(text for texts in set(long.values()) for text in texts)
    own = {url: frozenset(text for text in texts if counts[text] <= A_HANDFUL) for url, texts in long.items()}
    return {url: texts for url, texts in own.items() if sum(map(text_weight, texts)) >= _LEAST_SIGNS}


def _repeats(one: frozenset[str], other: frozenset[str], share: float = OFTEN) -> bool:
    return sum(map(len, one & other)) >= share * sum(map(len, one))


def _name(url: str) -> str:
    return url.partition("?")[0].rstrip("/").rpartition("/")[2].partition(".")[0]


def canonical_of(page: StoredPage) -> str | None:
    """Return the URL that the page itself names as its canonical one."""
    head = page.html[:_HEAD_BYTES]
    link = _CANONICAL.search(head) if b"canonical" in head.lower() else None
    href = _HREF.search(link.group()) if link else None
    return join_url(page.url, unescape(href.group(1).decode("utf-8", "replace"))) if href else None


def title_of(page: StoredPage) -> str:
    """Return the page's title, white space folded; "" if it has none near its beginning."""
    found = _TITLE.search(page.html[:_HEAD_BYTES])
    text = found.group(1).decode(page.charset or "utf-8", "replace") if found else ""
    return " ".join(unescape(text).split())


def same_record(findings: FieldWitness, one: StoredPage, other: StoredPage) -> bool | None:
    """Say whether two pages show one record: all values of both are equal, several, or the canonical address besides.

    None where neither shows one, or one lacks a value of the other, or only their lists differ, which may be parts of
    one.
    """
    shows = [2 * findings.of(page) > 1 for page in (one, other)]
    if not all(shows):
        return False if any(shows) else None
    records = findings.record(one), findings.record(other)
    singles, others = map(_singles, records)
    if any(singles[name] != others[name] for name in singles.keys() & others.keys()):
        return False
    is_told = len(singles) > 1 or (canonical_of(one) or one.url) == canonical_of(other)
    return True if is_told and records[0] == records[1] else None


def tells_canonicals(
    targets: Sequence[StoredPage],
    samples: Sequence[StoredPage],
    clean: Callable[[str], str],
) -> bool:
    """Tell whether target pages name the right canonical address.

    They do not if a sample names another page, or if they name pages whose titles have nothing in common with theirs,
    or one page for many different titles: such a slip in a template would lose records.
    """
    by_url = {page.url: page for page in targets}
    named = {page.url: clean(main) for page in targets if (main := canonical_of(page))}
    elsewhere = {url: main for url, main in named.items() if main != url}
    if not elsewhere:
        return True
    if any(elsewhere.get(sample.url) in by_url for sample in samples):
        return False
    words = {url: word_set(title_of(page)) for url, page in by_url.items()}
    counts = Counter(word for some in words.values() for word in some)
    own = {url: frozenset(word for word in some if 2 * counts[word] <= len(words)) for url, some in words.items()}
    first: dict[str, frozenset[str]] = {}
    wrong = 0
    for url, main in elsewhere.items():
        known = first.setdefault(main, own.get(main, own[url]))
        wrong += bool(known and own[url] and known.isdisjoint(own[url]))
    return wrong <= HARDLY_ANY * len(elsewhere)


def drop_word(
    matrix: FeatureMatrix,
    pages: int,
    mains: Mapping[int, int],
    is_version: Callable[[Word, int], bool],
    least: float,
    parts: int = 0,
    is_comparable: Callable[[Word, int], bool] = lambda word, place: True,
) -> tuple[Word, bool] | None:
    """Find the word that leaves most second versions out and hardly any other page, and whether to refuse it.

    Args:
        mains: second version → the page that it repeats, which has to stay.
        is_version: tells whether a page is a second version by a word about a topic.
        least: the least share of second versions or parts among the pages left out.
        parts: pages that continue others: beside `?page=1`, which repeats a page, `?page=2` is one.
        is_comparable: tells of a query key and a page with it whether the page without it was fetched, too; of a depth
            and a page at another one whether a page above was. Nothing is known of the other pages.
    """
    best: tuple[tuple[int, float], Word, bool] | None = None
    duplicates = sum(1 << place for place in mains) & pages
    tried = [(word, False, pages & ~matrix.pages_with[word]) for word in matrix.demandable]
    refusable = (word for word in matrix.pages_with if word.may_be_refused and word not in matrix.sample_words)
    tried += [(word, True, pages & matrix.pages_with[word]) for word in refusable if word.kind is not WordKind.NAME]
    for word, negated, dropped in tried:
        gone = duplicates & dropped
        if not gone or matrix.samples & dropped:
            continue
        count = dropped.bit_count()
        if word.kind in (WordKind.KEY, WordKind.DEPTH):
            count = sum(is_comparable(word, place) for place in matrix.members(dropped))
        are_seldom = word.kind is WordKind.DEPTH and gone.bit_count() < FEW * dropped.bit_count()
        lost = sum(dropped >> mains[place] & 1 for place in matrix.members(gone))
        if are_seldom or lost > _MOST_LOST.get(word.kind, 0) * gone.bit_count():
            continue
        if (gone | parts & dropped).bit_count() < least * max(1, count):
            continue
        are_few = gone.bit_count() < SLIPS * pages.bit_count()
        # two things that share parts of their descriptions are no versions of each other
        is_name = word.kind in _PARTS_OF_NAMES and gone.bit_count() < SEVERAL
        are_versions = all(is_version(word, place) for place in matrix.members(gone))
        if (not are_versions and (word.is_topical() or is_name)) or (word.is_topical() and are_few):
            continue
        merit = (gone.bit_count(), -word.cost(negated=negated))
        if best is None or merit > best[0]:
            best = merit, word, negated
    return None if best is None else (best[1], best[2])
