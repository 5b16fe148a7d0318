"""The pre-crawled pages, put in order once for all decisions of the best mode.

In: stored pages. Out: a `PrecrawlIndex`: one page per canonical URL, pages in URL groups, marks and titles on demand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.degrees import MANY
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.stand_ins import draw_stand_ins
from gwc_crawler.learn.kinds.traits import KnownTraits, PageViews
from gwc_crawler.learn.kinds.words import Word, words_of
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.learn.urls.regex import class_regexes
from gwc_crawler.learn.urls.sessions import SameRecord, find_ignored_keys, find_ignored_segments, find_minted_keys
from gwc_crawler.learn.urls.tree import split_into_groups
from gwc_crawler.learn.urls.url_parts import SlottedUrl, row_of, split_url
from gwc_crawler.urls import UrlCleaner

_LINKED_URLS = 4000
"""URLs seen as links only that help to find the patterns: a site has more pages than were fetched."""
_LISTS = ("table", "ul", "ol", "dl", "p")


@dataclass(eq=False)
class PatternGroup:
    """Pages whose URLs have one pattern, in crawl order."""

    rows: list[SlottedUrl]
    pages: list[StoredPage]
    rule: str = ""
    """The regex that was learned for them, "" if it is made of their own URLs."""
    score: float = 0.0
    """How well it fits as a target class, 0 to 1; 0 if it was not looked at."""

    @cached_property
    def regexes(self) -> list[str]:
        """The class's regexes: the one that was learned, or one for each layout of its URLs."""
        return [self.rule] if self.rule else class_regexes(self.rows)

    @cached_property
    def relevant_share(self) -> float:
        """The share of its pages that the pre-crawl found relevant."""
        return sum(page.relevant for page in self.pages) / len(self.pages)

    def without(self, urls: Collection[str]) -> PatternGroup:
        """Return the group without some of its URLs; itself if it has none of them."""
        pages = [page for page in self.pages if page.url not in urls]
        if len(pages) == len(self.pages):
            return self
        return PatternGroup([row for row in self.rows if row.url not in urls], pages, self.rule)

    def spread(self, count: int) -> list[StoredPage]:
        """Return at most *count* pages, evenly spread over the group."""
        return spread(self.pages, count)


@dataclass(eq=False)
class PrecrawlIndex:
    """The pages of a pre-crawl, grouped by URL, with everything that is computed from them once."""

    pages: list[StoredPage]
    groups: list[PatternGroup]
    ignored_query_keys: tuple[str, ...]
    ignored_evidence: dict[str, object]
    ignored_segments: dict[str, str] = field(default_factory=dict)
    traits: KnownTraits = field(default_factory=KnownTraits)
    matrices: dict[tuple[str, ...], FeatureMatrix] = field(default_factory=dict)
    """The matrices made so far, by the URLs of their samples."""
    forwards: list[PatternGroup] = field(default_factory=list)
    """The addresses that only lead on to a page, by form; as pages they have a link to it, and nothing else."""
    is_excluded: Callable[[str], bool] = lambda url: False
    """Whether a person has excluded a URL as a target."""
    _clean: dict[str, str] = field(default_factory=dict)
    _words: dict[str, frozenset[Word]] = field(default_factory=dict)
    _lists: dict[str, dict[str, frozenset[int]]] = field(default_factory=dict)

    def clean(self, url: str) -> str:
        """Return the URL without its meaningless parts: keys of trackers, ignored query keys and path segments."""
        if (known := self._clean.get(url)) is None:
            known = self._clean[url] = self._cleaner(url)
        return known

    @cached_property
    def _cleaner(self) -> UrlCleaner:
        return UrlCleaner(self.ignored_query_keys, self.ignored_segments)

    @property
    def views(self) -> PageViews:
        """The pages that were looked at last, parsed."""
        return self.traits.views

    def words(self, row: SlottedUrl) -> frozenset[Word]:
        """Return the words of a URL."""
        if (known := self._words.get(row.url)) is None:
            known = self._words[row.url] = words_of(row)
        return known

    @cached_property
    def by_url(self) -> dict[str, StoredPage]:
        """Pages by all their addresses."""
        others = {self.clean(address): page for page in self.pages for address in page.addresses}
        return others | {page.url: page for page in self.pages}

    def spellings(self, page: StoredPage) -> list[SlottedUrl]:
        """Return the page's address, and those that differ only in slash, scheme or host: links may have any."""
        own = row_of(page.url)
        others = map(row_of, dict.fromkeys(map(self.clean, page.addresses[1:])))
        form = own.layout[0], own.layout[2], own.values[1:]
        alike = (row for row in others if (row.layout[0], row.layout[2], row.values[1:]) == form)
        return [own, *(row for row in alike if row.url != own.url)]

    def linking(self, urls: Collection[str]) -> dict[str, frozenset[str]]:
        """URL of a page → the pages that link to it."""
        found: dict[str, set[str]] = {url: set() for url in urls}
        for page in self.pages:
            for link in page.links:
                target = self.by_url.get(self.clean(link))
                if target is not None and target is not page and target.url in found:
                    found[target.url].add(page.url)
        return {url: frozenset(pages) for url, pages in found.items()}

    def lists_on(self, url: str) -> dict[str, frozenset[int]]:
        """Map the URL of each page that a page links to → the numbers of the lists there in which the links stand.

        A list is an element with several links: a table, a list, a paragraph; 0 is the rest of the page.
        """
        if url not in self._lists:
            page = self.by_url[url]
            view = self.views.of(page, url)

            found: dict[str, set[int]] = {}
            numbers: dict[Any, int] = {None: 0}
            for link in view.tree.iterfind(".//a[@href]"):
                target = self.by_url.get(self.clean(view.absolute(link.get("href")).partition("#")[0]))
                if target is not None:
                    found.setdefault(target.url, set()).add(numbers.setdefault(_list_around(link), len(numbers)))
            self._lists[url] = {target: frozenset(some) for target, some in found.items()}
        return self._lists[url]

    @cached_property
    def group_of(self) -> dict[str, PatternGroup]:
        """Map the URLs of their pages, and addresses that lead on, to groups."""
        return {page.url: group for group in (*self.groups, *self.forwards) for page in group.pages}

    @cached_property
    def listed(self) -> list[list[str]]:
        """Return for each page its links to fetched pages, in its order, without links that half of many pages have."""
        counts = Counter(link for page in self.pages for link in {self.clean(link) for link in page.links})
        most = len(self.pages) / 2 if len(self.pages) >= MANY else len(self.pages) + 1
        listed = {page.url for page in self.pages if counts[page.url] < most}
        return [[link for link in map(self.clean, page.links) if link in listed] for page in self.pages]

    @cached_property
    def forms(self) -> list[PatternGroup]:
        """The groups as their URLs alone make them."""
        return list(self.groups)

    @cached_property
    def compared(self) -> list[StoredPage]:
        """The pages that stand for all: all of them, or of each form as many."""
        return draw_stand_ins(self.pages, [form.pages for form in self.forms], self.clean)

    def take_out(self, holds: Callable[[SlottedUrl], bool], rule: str) -> PatternGroup:
        """Put all URLs that *holds* is true of into one group of its own; the groups by form keep the rest."""
        inside, rest = PatternGroup([], [], rule), list[PatternGroup]()
        for group in self.forms:
            held = {row.url for row in group.rows if holds(row) and not self.is_excluded(row.url)}
            inside.rows += [row for row in group.rows if row.url in held]
            inside.pages += [page for page in group.pages if page.url in held]
            rest.append(group.without(held))
        self.regroup([inside, *(group for group in rest if group.pages)])
        return inside

    def put_first(self, group: PatternGroup) -> None:
        """Take in a group of pages that other groups have, and take them out of these."""
        urls = {page.url for page in group.pages}
        rest = (other.without(urls) for other in self.groups)
        self.regroup([group, *(other for other in rest if other.pages)])

    def regroup(self, groups: list[PatternGroup]) -> None:
        """Take other groups of the same pages."""
        self.groups = groups
        self.__dict__.pop("group_of", None)

    def features(self, page: StoredPage) -> frozenset[str]:
        """Return the marks of a page."""
        return self.traits.of(page).marks

    def long_texts(self, page: StoredPage) -> frozenset[str]:
        """Return the long paragraphs of a page."""
        return self.traits.of(page).texts

    @cached_property
    def commonness(self) -> Counter[str]:
        """Mark → in which share of the groups it stands, over two pages each of the sixty largest groups."""
        shares: Counter[str] = Counter()
        largest = sorted(self.groups, key=lambda group: -len(group.pages))[:60]
        for pages in (group.spread(2) for group in largest):
            for mark in (mark for page in pages for mark in self.features(page)):
                shares[mark] += 1 / len(pages) / len(largest)  # type: ignore[assignment]
        return shares


def index_precrawl(
    pages: Sequence[StoredPage], traits: KnownTraits | None = None, same_record: SameRecord | None = None
) -> PrecrawlIndex:
    """Drop session keys from URLs, keep each page once, and group the pages by URL.

    Args:
        traits: those that are known already; further ones are added.
        same_record: says whether two pages show one record, once there is a wrapper.
    """
    ignored, evidence = find_ignored_keys(pages, same_record)
    minted = {key: row for key, row in find_minted_keys(pages).items() if key not in evidence}
    ignored, evidence = tuple(sorted({*ignored, *minted})), evidence | minted
    cleaned = [replace(page, url=UrlCleaner(ignored)(page.url)) for page in pages] if ignored else pages
    segments, more_evidence = find_ignored_segments(cleaned, same_record)
    index = PrecrawlIndex([], [], ignored, evidence | more_evidence, segments, traits or KnownTraits())
    distinct: dict[str, StoredPage] = {}
    for page in pages:
        url = index.clean(page.url)
        if url not in distinct:
            distinct[url] = page if url == page.url else replace(page, url=url)
        elif page.also or page.requested != page.url:
            distinct[url] = replace(distinct[url], also=(*distinct[url].also, *page.addresses[1:]))
    index.pages = list(distinct.values())
    forwards = _leading_on(index, distinct)
    for rows in split_into_groups(dict.fromkeys([*distinct, *_linked_urls(index, distinct), *forwards])):
        members = [distinct[row.url] for row in rows if row.url in distinct]
        leading = [forwards[row.url] for row in rows if row.url in forwards]
        if members:
            more = [form for page in members for form in index.spellings(page)[1:]]
            own = [row for row in rows if row.url not in forwards]
            index.groups.append(PatternGroup([*own, *more], members))
        if leading:
            index.forwards.append(PatternGroup([row for row in rows if row.url not in distinct], leading))
    index.groups.sort(key=lambda group: -len(group.pages))
    return index


def _leading_on(index: PrecrawlIndex, pages: Mapping[str, StoredPage]) -> dict[str, StoredPage]:
    """Return addresses that forward to one of *pages*, without spellings of its own, each as a page with that link."""
    found: dict[str, StoredPage] = {}
    for page in index.pages:
        spelled = {row.url for row in index.spellings(page)}
        for url in map(index.clean, page.addresses[1:]):
            if url not in pages and url not in spelled:
                found[url] = replace(page, url=url, requested=url, also=(), html=b"", links=(page.url,))
    return found


def _linked_urls(index: PrecrawlIndex, fetched: Collection[str]) -> list[str]:
    hosts = {split_url(url).host for url in fetched}
    links = dict.fromkeys(link for page in index.pages for link in page.links)
    step = max(1, len(links) // (4 * _LINKED_URLS))
    clean = dict.fromkeys(map(index.clean, list(links)[::step]))
    unknown = [url for url in clean if url not in fetched and split_url(url).host in hosts]
    return unknown[:: max(1, -(-len(unknown) // _LINKED_URLS))]


def _list_around(link: Any) -> Any:
    """Return the nearest list or paragraph with this and another link, else the paragraph around the link alone."""
    alone = None
    for around in link.iterancestors(*_LISTS):
        links = around.iter("a")
        if next(links, None) is not None and next(links, None) is not None:
            return around
        alone = around if around.tag == "p" else alone
    return alone
