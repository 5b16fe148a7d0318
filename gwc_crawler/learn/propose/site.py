"""An address → a proposal for its site: two pages built alike, their fields, keywords, where the crawl begins.

The address may be an item's page, or one that lists items: then groups of links built alike are tried, the likeliest
first, down to two levels. At most a dozen pages are fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gwc_crawler.errors import KeywordError, LearnError, SiteError
from gwc_crawler.items import PageKind
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.learn.degrees import A_HANDFUL, HALF, MOST, SEVERAL
from gwc_crawler.learn.propose.fetching import PageFetcher
from gwc_crawler.learn.propose.fields import in_page_order, learnable, propose_fields
from gwc_crawler.learn.propose.guess import FieldProposal
from gwc_crawler.learn.propose.left_out import same_address
from gwc_crawler.learn.propose.links import LinkGroup, link_groups, links_of, twins_of
from gwc_crawler.learn.propose.page_reading import ReadPage, likeness, structured_values
from gwc_crawler.page.classify import classify_page
from gwc_crawler.page.json_page import is_json
from gwc_crawler.page.text import text_outside_links
from gwc_crawler.urls import host_of, normalize_url

# --- Words that all item pages say outside their links, and the front page does not -----------------------------------


LONGEST = 24
_OF_ADDRESSES = re.compile(r"[\d/@,]")
"""Matches signs of addresses: of pages, of mail and of houses."""


def propose_keywords(pages: Sequence[ReadPage], front: ReadPage) -> str:
    """Return a keyword expression that holds on all *pages* and not on *front*; "" where nothing tells them apart.

    It has two words at most.
    """
    if len(pages) < SEVERAL:
        return ""
    common = set.intersection(*({_label(text) for text in page.texts} for page in pages))
    told = text_outside_links(front.tree).lower()
    links = {" ".join("".join(link.itertext()).split()).lower() for link in pages[0].tree.iter("a")}
    order = [_label(text) for text in pages[0].texts]
    words = [
        word
        for word in dict.fromkeys(order)
        if word in common and _is_telling(word, told) and word.lower() not in links
    ]
    expression = " && ".join(_quoted(word) for word in words[:2])
    return expression if expression and _holds(expression, pages) else ""


def _label(text: str) -> str:
    return text.strip(" :：.*")


def _is_telling(word: str, front: str) -> bool:
    letters = sum(sign.isalpha() for sign in word)
    return (
        letters >= 2
        and len(word) <= LONGEST
        and not _OF_ADDRESSES.search(word)
        and letters >= 0.7 * len(word.replace(" ", ""))
        and word.lower() not in front
        and len(word.split()) <= 3
    )


def _quoted(word: str) -> str:
    return word if word.isalnum() else '"' + word.replace('"', "") + '"'


def _holds(expression: str, pages: Sequence[ReadPage]) -> bool:
    try:
        keywords = Keywords.parse(expression)
        return all(keywords.matches(text_outside_links(page.tree)) for page in pages)
    except KeywordError:
        return False


SURE_GROUP = 0.5
"""Minimum worth of a group of links that is the page's main list: no better one is looked for behind other links."""
TOLD_ITEMS = ("Product", "Recipe", "Article", "NewsArticle", "BlogPosting", "Book", "Movie", "Event", "JobPosting")


AS_SECOND = "with --second URL"
"""How a person names another page; in a browser there is a field for it."""


@dataclass(slots=True)
class Proposal:
    """A whole site file's worth.

    Attributes:
        pages: the two samples, then further pages of their kind.
        fields: those that can be learned, in the page's order.
        left_out: those that can't, with the reason.
        keywords: an expression that these pages satisfy; a mere proposal unless `are_keywords_wanted`.
    """

    entry: str
    pages: list[ReadPage]
    fields: list[FieldProposal]
    left_out: list[FieldProposal] = field(default_factory=list)
    keywords: str = ""
    are_keywords_wanted: bool = False
    notes: list[str] = field(default_factory=list)


async def propose_site(
    url: str, fetch: PageFetcher, second: str = "", told: Callable[[str], None] = lambda text: None
) -> Proposal:
    """Propose a site file for the site at *url*.

    Args:
        second: another page of the kind of *url*, where a person knows one.
        told: hears what is being done, in a line each.

    Raises:
        SiteError: the page can't be had.
        LearnError: no two pages built alike are found, or nothing on them.
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
        raise LearnError(
            f"{url}: no two pages built alike were found from here; give the address of an item's page, and of "
            f"another one {AS_SECOND}"
        )
    return propose_from(pages, front, is_chosen=bool(second))


def propose_from(pages: Sequence[ReadPage], front: ReadPage, *, is_chosen: bool = False) -> Proposal:
    """Propose from pages of one kind; the samples are the first page and the one that settles most doubts.

    Raises:
        LearnError: nothing can be learned from them.
    """
    ordered = list(pages) if is_chosen or len(pages) < 3 else best_pair(pages)
    found = learnable(propose_fields(ordered), ordered)
    fields = in_page_order([one for one in found if not one.problem], ordered)
    if not fields:
        raise LearnError(
            f"{ordered[0].url} and {ordered[1].url}: nothing was found that differs between them and can be "
            f"learned; give another page {AS_SECOND}"
        )
    keywords = propose_keywords(ordered, front)
    left_out = [one for one in found if one.problem]
    return Proposal(front.url, ordered, fields, left_out, keywords)


def best_pair(pages: Sequence[ReadPage]) -> list[ReadPage]:
    """Return the pages with that one second that settles most doubts: with it most fields are told, and most differ.

    One that is far less like it than the likest is of another kind.
    """

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
    told = [
        address
        for address in page.view.structured.values()
        if address.partition(":")[2].partition("/")[0] in TOLD_ITEMS
    ]
    kind = page.view.structured.get("meta:og:type")
    if kind and kind[0].lower() in ("product", "article", "book", "video.movie", "og:product"):
        return False
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
            lists = link_groups(among[-1])[:SEVERAL]
            for group in lists:
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
        for url in _spread(urls, 2 * most):
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

    async def _items(
        self, page: ReadPage, depth: int, known: frozenset[str], *, may_show_the_way: bool = True
    ) -> _Found:
        """Return the group of links, none of them *known*, whose pages are built alike and hold most."""
        best = _Found(0.0, [], page, 0.0)
        deeper: list[ReadPage] = []
        for group in _shapes(link_groups(page), known):
            pages = await self._members(group, page)
            deeper += pages[:1]
            if len(pages) == 2 and not all(map(is_list, pages)):
                worth = _worth(pages, page) + group.worth
                best = max(best, _Found(worth, pages, page, group.worth), key=lambda one: one.worth)
        if may_show_the_way and not best.pages and not deeper:
            here = known | {page.url}
            for other in (await self._first_of(page))[:2]:
                found = await self._items(other, depth, here, may_show_the_way=False)
                best = max(best, found, key=lambda one: one.worth)
            return best
        if depth > 1 and (best.group < SURE_GROUP or _are_bare(best.pages)):
            here = known | {url for url, _, _ in links_of(page)} | {page.url}
            for directory in sorted(deeper, key=lambda one: not is_list(one))[:2]:
                best = max(best, await self._items(directory, depth - 1, here), key=lambda one: one.worth)
        return best

    async def _first_of(self, page: ReadPage) -> list[ReadPage]:
        """Return the pages to which a page's own links lead, most links first: for a page that only shows the way."""
        links = sorted(links_of(page), key=lambda link: page.is_chrome(link[2]))
        urls = dict.fromkeys(url for url, _, _ in links)
        read = [await self.try_read(url) for url in [*urls][:A_HANDFUL]]
        found = [one for one in read if one is not None and one.url != page.url]
        return sorted(found, key=lambda one: -len(links_of(one)))

    async def _members(self, group: LinkGroup, page: ReadPage) -> list[ReadPage]:
        """Return two pages of a group that are built alike, and otherwise than the list."""
        found: list[ReadPage] = []
        for url in _spread(list(group.urls), 3):
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
    """Return the best group of each shape of addresses, without *known* ones."""
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


def _are_bare(pages: Sequence[ReadPage]) -> bool:
    """Say whether pages hold nothing of their own but a title, as lists of a few things do."""
    return {one.name for one in propose_fields(pages)} <= {"title"} if pages else True


def _spread(urls: Sequence[str], most: int) -> list[str]:
    """Return the first address, then some spread over the rest: neighbours are much alike."""
    if len(urls) <= most:
        return list(urls)
    step = min(len(urls), 40) / most
    return [urls[int(number * step)] for number in range(most)]
