"""An address → a proposal for its site: two pages built alike, their fields, keywords, where the crawl begins.

The address may be an item's page, or one that lists items: then groups of links built alike are tried, the likeliest
first, down to two levels. At most a dozen pages are fetched."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from gwc_crawler.errors import KeywordError, LearnError, SiteError
from gwc_crawler.items import PageKind
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.learn.degrees import A_HANDFUL, ENOUGH, HALF, MOST, SEVERAL
from gwc_crawler.learn.propose.fetching import PageFetcher
from gwc_crawler.learn.propose.fields import in_page_order, learnable, propose_fields
from gwc_crawler.learn.propose.guess import FieldProposal
from gwc_crawler.learn.propose.left_out import is_telling, same_address, shape_of
from gwc_crawler.learn.propose.page_reading import ReadPage, likeness, structured_values
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.page.classify import classify_page
from gwc_crawler.page.json_page import is_json
from gwc_crawler.page.links import leads_to_binary
from gwc_crawler.page.text import text_outside_links
from gwc_crawler.urls import host_of, join_url, normalize_url, query_parts

# --- Words that all item pages say outside their links, and the front page does not -----------------------------------

LONGEST = 24
_OF_ADDRESSES = re.compile(r"[\d/@,]")  # matches signs of addresses: of pages, of mail and of houses


def propose_keywords(pages: Sequence[ReadPage], front: ReadPage) -> str:
    """Return an expression of two words at most that holds on all *pages* and not on *front*; "" for none."""
    if len(pages) < SEVERAL:
        return ""
    common = set.intersection(*({_label(text) for text in page.texts} for page in pages))
    told = text_outside_links(front.tree).lower()
    links = {" ".join("".join(link.itertext()).split()).lower() for link in pages[0].tree.iter("a")}
    order = [_label(text) for text in pages[0].texts]
    known = (word for word in dict.fromkeys(order) if word in common and word.lower() not in links)
    words = [word for word in known if _is_telling(word, told)]
    expression = " && ".join((word if word.isalnum() else '"' + word.replace('"', "") + '"') for word in words[:2])
    try:
        keywords = Keywords.parse(expression)
        return expression if all(keywords.matches(text_outside_links(page.tree)) for page in pages) else ""
    except KeywordError:
        return ""


def _label(text: str) -> str:
    return text.strip(" :：.*")


def _is_telling(word: str, front: str) -> bool:
    letters = sum(sign.isalpha() for sign in word)
    if letters < 2 or len(word) > LONGEST or _OF_ADDRESSES.search(word) or word.lower() in front:
        return False
    return letters >= 0.7 * len(word.replace(" ", "")) and len(word.split()) <= 3


SURE_GROUP = 0.5
"""Minimum worth of a group of links that is the page's main list: no better one is looked for behind other links."""
TOLD_ITEMS = ("Product", "Recipe", "Article", "NewsArticle", "BlogPosting", "Book", "Movie", "Event", "JobPosting")

AS_SECOND = "with --second URL"  # how a person names another page; in a browser there is a field for it


@dataclass(slots=True)
class Proposal:
    """A whole site file's worth: the two samples, then further pages of their kind; the fields in the page's order;
    those that can't be learned, with the reason; an expression that these pages satisfy.
    """

    entry: str
    pages: list[ReadPage]
    fields: list[FieldProposal]
    left_out: list[FieldProposal] = field(default_factory=list)
    keywords: str = ""
    are_keywords_wanted: bool = False


async def propose_site(
    url: str, fetch: PageFetcher, second: str = "", told: Callable[[str], None] = lambda text: None
) -> Proposal:
    """Propose a site file for the site at *url*; *second*: another page of its kind; *told* hears what is being done.

    Raises:
        SiteError, LearnError: the page can't be had; no two pages built alike are found, or nothing on them.
    """
    search = _Search(fetch, told)
    given = await search.read(url)
    front = await search.front_of(given)
    if second:
        if (other := await search.read(second)) is given:
            raise LearnError(f"{second} is the same page as {url}; give another one {AS_SECOND}")
        pages = [given, other, *await search.alike(given, [given, front])][:5]
        pages = [*pages[:2], *(page for page in pages[2:] if page.url != pages[1].url)]
    elif not is_list(given) and (twins := await search.alike(given, [given, front])):
        pages = [given, *twins]
    else:
        pages = await search.items_of(given, depth=2)
    if len(pages) < 2:
        hint = f"give the address of an item's page, and of another one {AS_SECOND}"
        raise LearnError(f"{url}: no two pages built alike were found from here; {hint}")
    return propose_from(pages, front, is_chosen=bool(second))


def propose_from(pages: Sequence[ReadPage], front: ReadPage, *, is_chosen: bool = False) -> Proposal:
    """Propose from pages of one kind, the first and the one that settles most doubts; LearnError: nothing is found."""
    ordered = list(pages) if is_chosen or len(pages) < 3 else best_pair(pages)
    found = learnable(propose_fields(ordered), ordered)
    fields = in_page_order([one for one in found if not one.problem], ordered)
    if not fields:
        both = f"{ordered[0].url} and {ordered[1].url}"
        what = "nothing was found that differs between them and can be learned"
        raise LearnError(f"{both}: {what}; give another page {AS_SECOND}")
    left_out = [one for one in found if one.problem]
    return Proposal(front.url, ordered, fields, left_out, propose_keywords(ordered, front))


def best_pair(pages: Sequence[ReadPage]) -> list[ReadPage]:
    """Return the pages with that one second that settles most doubts, and is not far less like the first."""

    def settled(other: ReadPage) -> tuple[float, ...]:
        found = propose_fields([pages[0], other])
        worth = sum((1.0 + one.place.startswith(("rows", "core"))) * (1.0 if one.is_complete else 0.3) for one in found)
        titled = any(one.name == "title" and one.is_complete for one in found)
        return (titled, worth, -likeness(pages[0], other))

    alike = {page.url: likeness(pages[0], page) for page in pages[1:]}
    near = [page for page in pages[1:] if alike[page.url] >= MOST * max(alike.values())]
    second = max(near, key=settled)
    return [pages[0], second, *(page for page in pages[1:] if page is not second)]


def is_list(page: ReadPage) -> bool:
    """Say whether a page lists things rather than shows one."""
    if urlsplit(page.url).path in ("", "/") and not urlsplit(page.url).query:
        return True
    structured = page.structured
    kind = structured.get("meta:og:type")
    if kind and kind[0].lower() in ("product", "article", "book", "video.movie", "og:product"):
        return False
    told = any(address.partition(":")[2].partition("/")[0] in TOLD_ITEMS for address in structured.values())
    if told and structured_values(page, "name", "headline"):
        return False
    return classify_page(page.url, page.tree) is PageKind.INDEX


class _Search:
    def __init__(self, fetch: PageFetcher, told: Callable[[str], None]) -> None:
        self._fetch = fetch
        self._told = told
        self._read: dict[str, ReadPage] = {}

    async def read(self, url: str) -> ReadPage:
        """Return the page at *url*, read once."""
        address = normalize_url(url) or url
        if address not in self._read:
            self._told(f"fetching {address}")
            got = await self._fetch.get(address)
            self._read[address] = self._read.get(got.url) or ReadPage(got.url, got.body, got.content_type)
            self._read.setdefault(got.url, self._read[address])
        return self._read[address]

    async def try_read(self, url: str) -> ReadPage | None:
        """Read a page; return None if it can't be had."""
        try:
            return await self.read(url)
        except SiteError as error:
            self._told(f"passed over: {error}")
            return None

    async def front_of(self, page: ReadPage) -> ReadPage:
        """Return the front page of a page's site; the page itself if there is none, or if it is an API's."""
        if is_json(page.content_type):
            return page
        parts = urlsplit(page.url)
        front = await self.try_read(f"{parts.scheme}://{host_of(page.url)}/")
        return page if front is None or not front.by_form else front

    async def alike(self, page: ReadPage, among: Sequence[ReadPage]) -> list[ReadPage]:
        """Return pages built as *page* is, linked from *among* or from the lists that these lead to."""
        found = await self._alike_of(twins_of(page.url, among), page, A_HANDFUL)
        if len(found) < 2 and among:
            for group in link_groups(among[-1])[:SEVERAL]:
                directory = await self.try_read(next(iter(group.urls)))
                if directory is None:
                    continue
                found += await self._alike_of(twins_of(page.url, [directory]), page, A_HANDFUL - len(found), found)
                if len(found) >= 2:
                    break
        return found

    async def _alike_of(
        self, urls: Sequence[str], page: ReadPage, most: int, known: Sequence[ReadPage] = ()
    ) -> list[ReadPage]:
        found: list[ReadPage] = []
        tried = 0
        seen = {page.url, *(one.url for one in known)}
        for url in spread(urls[:ENOUGH], 2 * most):
            if len(found) >= most or tried >= 2 * most:
                break
            if any(same_address(url, one) for one in seen):
                continue
            tried += 1
            other = await self.try_read(url)
            if other is not None and other.url not in seen and likeness(page, other) >= HALF:
                seen.add(other.url)
                found.append(other)
        return found

    async def items_of(self, page: ReadPage, depth: int) -> list[ReadPage]:
        """Return pages of items that a list leads to, by way of further lists where these hold more."""
        found = await self._items(page, depth, frozenset())
        if len(found.pages) < 2:
            return []
        first = found.pages[0]
        more = await self._alike_of(twins_of(first.url, [found.at, first]), first, 3, found.pages)
        return [*found.pages, *more]

    async def _items(self, page: ReadPage, depth: int, known: frozenset[str], *, shows_way: bool = True) -> _Found:
        """Return the group of links, none of them *known*, whose pages are built alike and hold most."""
        best = _Found(0.0, [], page, 0.0)
        deeper: list[ReadPage] = []
        for group in _shapes(link_groups(page), known):
            pages = await self._members(group, page)
            deeper += pages[:1]
            if len(pages) == 2 and not all(map(is_list, pages)):
                worth = _worth(pages, page) + group.worth
                best = max(best, _Found(worth, pages, page, group.worth), key=lambda one: one.worth)
        if shows_way and not best.pages and not deeper:
            here = known | {page.url}
            for other in (await self._first_of(page))[:2]:
                found = await self._items(other, depth, here, shows_way=False)
                best = max(best, found, key=lambda one: one.worth)
            return best
        # pages that hold nothing of their own but a title are lists of a few things
        are_bare = not best.pages or {one.name for one in propose_fields(best.pages)} <= {"title"}
        if depth > 1 and (best.group < SURE_GROUP or are_bare):
            here = known | {url for url, _, _ in links_of(page)} | {page.url}
            for directory in sorted(deeper, key=lambda one: not is_list(one))[:2]:
                best = max(best, await self._items(directory, depth - 1, here), key=lambda one: one.worth)
        return best

    async def _first_of(self, page: ReadPage) -> list[ReadPage]:
        links = sorted(links_of(page), key=lambda link: page.is_chrome(link[2]))
        urls = dict.fromkeys(url for url, _, _ in links)
        read = [await self.try_read(url) for url in [*urls][:A_HANDFUL]]
        found = [one for one in read if one is not None and one.url != page.url]
        return sorted(found, key=lambda one: -len(links_of(one)))

    async def _members(self, group: LinkGroup, page: ReadPage) -> list[ReadPage]:
        """Return two pages of a group that are built alike, and otherwise than the list."""
        found: list[ReadPage] = []
        for url in spread(list(group.urls)[:ENOUGH], 3):
            other = await self.try_read(url)
            if other is None or any(one.url == other.url for one in found) or other.url == page.url:
                continue
            if not found or likeness(found[0], other) >= HALF:
                found.append(other)
            if len(found) == 2:
                break
        return found


@dataclass(frozen=True, slots=True)
class _Found:
    """Two pages of a group of links on the page `at`, with the worth of both together and of the group."""

    worth: float
    pages: list[ReadPage]
    at: ReadPage
    group: float


def _shapes(groups: Sequence[LinkGroup], known: frozenset[str]) -> list[LinkGroup]:
    chosen: dict[str, LinkGroup] = {}
    for group in groups:
        urls = {url: text for url, text in group.urls.items() if url not in known}
        if len(urls) >= SEVERAL:
            chosen.setdefault(group.shape, LinkGroup(urls, group.in_chrome, group.shape, group.pictures))
    return sorted(chosen.values(), key=lambda one: -one.worth)[:SEVERAL]


def _worth(pages: Sequence[ReadPage], page: ReadPage) -> float:
    """Return how much two pages hold that differs between them, and how unlike the list they are."""
    found = propose_fields(pages)
    core = sum(one.place.startswith("core") for one in found)
    told = {one.name for one in found}
    telling = bool(told & {"price", "date", "author"}) + any(one.place.startswith("rows") for one in found)
    return core + telling + 0.2 * len(found) - likeness(pages[0], page)


# --- Links of a page in groups that are built alike, and addresses that look like another one -------------------------

MOST_LINKS = 3000
LISTING = re.compile(
    r"(?:^|[/?&._-])(?:tags?|categor(?:y|ies)|archives?|search|login|log-in|signin|sign-in|register|account|cart|checkout|"
    r"privacy|terms|contact|about|help|faq|feed|rss|wp-\w+|amp|share|print|page|pages?)(?:$|[/=._-])",
    re.IGNORECASE,
)
"""Addresses that lead to anything but an item."""


@dataclass(slots=True)
class LinkGroup:
    """Links that stand alike and look alike; addresses in the page's order, with the text of the first link to each."""

    urls: dict[str, str]
    in_chrome: bool
    shape: str
    pictures: int = 0

    @property
    def worth(self) -> float:
        """How likely it lists what the page is for."""
        texts = [text for text in self.urls.values() if text]
        length = sum(min(len(text), 60) for text in texts) / max(1, len(texts))
        listing = sum(bool(LISTING.search(urlsplit(url).path)) for url in self.urls) / len(self.urls)
        slugs = sum(is_telling(url) for url in self.urls) / len(self.urls)
        for_items = min(len(self.urls), 30) / 30 + min(length, 40) / 40 + 0.6 * slugs
        return for_items + 0.5 * (self.pictures > len(self.urls) / 2) - 1.2 * self.in_chrome - 1.0 * listing


def _keys_of(query: str) -> set[str]:
    return {one.partition("=")[0] for one in query_parts(query) if "=" in one}


def links_of(page: ReadPage) -> list[tuple[str, str, Any]]:
    """Address, text and element of each link to a page of the same host, in the page's order; not to itself."""
    host = host_of(page.url)
    found: list[tuple[str, str, Any]] = []
    for link in page.tree.iter("a"):
        href = link.get("href")
        if not href or len(found) >= MOST_LINKS:
            continue
        url = join_url(page.base_url, href)
        if url and host_of(url) == host and url != page.url and not leads_to_binary(url) and link in page.forms:
            found.append((url, page.text(link), link))
    return found


def link_groups(page: ReadPage) -> list[LinkGroup]:
    """Return the groups of a page's links, the likeliest to list items first."""
    groups: dict[tuple[str, str], LinkGroup] = {}
    for url, text, link in links_of(page):
        form, shape = page.forms[link], shape_of(url)
        group = groups.setdefault((form, shape), LinkGroup({}, page.is_chrome(link), shape))
        group.urls[url] = group.urls.get(url) or text
        group.pictures += link.find(".//img") is not None
    return sorted((one for one in groups.values() if len(one.urls) >= SEVERAL), key=lambda one: -one.worth)


def twins_of(url: str, pages: Iterable[ReadPage]) -> list[str]:
    """Return addresses on *pages* that look like *url*, the likeliest first."""
    found: dict[str, float] = defaultdict(float)
    order: dict[str, int] = {}
    for page in pages:
        for other, text, link in links_of(page):
            score = _same_make(url, other)
            if score <= 0 or same_address(other, url):
                continue
            score += 0.2 * bool(text) - 1.5 * page.is_chrome(link) + 0.3 * is_telling(other)
            score -= 0.8 * (bool(LISTING.search(urlsplit(other).path)) and not LISTING.search(urlsplit(url).path))
            found[other] = max(found[other], score)
            order.setdefault(other, len(order))
    return sorted(found, key=lambda one: (-round(found[one], 1), order[one]))


def _same_make(one: str, other: str) -> float:
    """Return how alike two addresses are made; 0: not at all."""
    mine, theirs = urlsplit(one), urlsplit(other)
    ones, others = mine.path.split("/"), theirs.path.split("/")
    if len(ones) != len(others):
        return 0.0
    keys = _keys_of(mine.query)
    if bool(keys) != bool(theirs.query) or (keys and keys != _keys_of(theirs.query)):
        return 0.0
    same = sum(a == b for a, b in zip(ones, others, strict=True)) / len(ones)
    if shape_of(one) == shape_of(other):
        return 2.0 + same
    digits = ones[-1].isdigit() == others[-1].isdigit() and _ending(ones[-1]) == _ending(others[-1])
    return 1.0 + same if digits else 0.0


def _ending(segment: str) -> str:
    _, dot, ending = segment.rpartition(".")
    return ending if dot and ending.isalpha() else ""
