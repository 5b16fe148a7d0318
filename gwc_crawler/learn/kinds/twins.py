"""Second versions of a page: print, AMP, comment pages, a second mirror. One of them is the main one.

In: pages of the samples' kind. Out: which of them repeat which others; `targets` looks for a word of their URLs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import unescape

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.traits import text_weight
from gwc_crawler.urls import drop_query_keys, join_url

_HEAD_BYTES = 16_384
_CANONICAL = re.compile(rb"<link\b[^>]*\brel\s*=\s*[\"']?canonical[^>]*>", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*[\"']?([^\"' >]+)", re.IGNORECASE)
RARE = 4
"""What stands on more pages than this is boilerplate."""
SHARED = 0.7
_LEAST_SIGNS = 100
_FURTHER = re.compile(r"(?:[_-][0-9]{1,3}|/(?:page/|p)?[0-9]{1,3})(/?|\.[a-z]{2,5})$")
_NUMBER = re.compile(r"[0-9]{1,3}")
_TITLE_SHARE = 0.1


def find_twins(
    pages: Sequence[StoredPage],
    clean: Callable[[str], str],
    merit: Callable[[StoredPage], tuple[float, ...]],
    long_texts: Callable[[StoredPage], frozenset[str]],
) -> dict[str, str]:
    """Find the pages that show what another one shows.

    A page repeats the one that it names as its canonical address, and one that shares seven tenths of its long
    paragraphs, and the other way round, those apart that stand on many pages.

    Args:
        clean: drops what is of a session from a URL.
        merit: the higher, the rather is a page the main one of two.
        long_texts: gives those of a page (`PageTraits.texts`).
    Returns:
        URL → URL of the main version.
    """
    by_url = {page.url: page for page in pages}
    twins: dict[str, str] = {}
    for page in pages:
        named = canonical_of(page)
        main = clean(named) if named else page.url
        if main in by_url and main != page.url and merit(by_url[main]) > merit(page):
            twins[page.url] = main
    texts = _own_texts({page.url: long_texts(page) for page in pages if page.url not in twins})
    for one, other in _pairs(texts):
        if _repeats(texts[one], texts[other]) and _repeats(texts[other], texts[one]):
            worse, better = sorted((one, other), key=lambda url: merit(by_url[url]))
            twins.setdefault(worse, better)
    return {url: main for url, main in twins.items() if main not in twins}


def find_parts(
    pages: Sequence[StoredPage], clean: Callable[[str], str], title_of: Callable[[StoredPage], str]
) -> set[str]:
    """Find the pages on which another one goes on: it has their title, links to them, and their address less a number.

    A title that many pages have is the site's.

    Args:
        clean: drops what is of a session from a URL.
        title_of: gives a page's title, "" for none.
    Returns:
        The URLs of second and further parts.
    """
    by_url = {page.url: page for page in pages}
    titles = {page.url: title_of(page) for page in pages}
    counts = Counter(titles.values())

    def is_part(page: StoredPage, first: StoredPage | None) -> bool:
        title = titles[page.url]
        if first is None or first is page or titles[first.url] != title or not title:
            return False
        return counts[title] <= max(2, _TITLE_SHARE * len(pages)) and page.url in map(clean, first.links)

    return {page.url for page in pages if any(is_part(page, by_url.get(url)) for url in _beginnings(page.url))}


def _beginnings(url: str) -> Iterator[str]:
    """The addresses that a page may have whose second or further part *url* is."""
    path, mark, query = url.partition("?")
    if found := _FURTHER.search(path):
        plain = path[: found.start()] + found[1]
        yield from (form + mark + query for form in (plain, plain.rstrip("/"), plain.rstrip("/") + "/"))
    for pair in query.split("&") if mark else ():
        key, _, value = pair.partition("=")
        if _NUMBER.fullmatch(value):
            yield drop_query_keys(url, (key,))


def _own_texts(long: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Of the long texts by URL those that stand on few pages."""
    counts = Counter(text for texts in long.values() for text in texts)
    own = {url: frozenset(text for text in texts if counts[text] <= RARE) for url, texts in long.items()}
    return {url: texts for url, texts in own.items() if sum(map(text_weight, texts)) >= _LEAST_SIGNS}


def _pairs(texts: Mapping[str, frozenset[str]]) -> list[tuple[str, str]]:
    """The pages that share a text, each pair once."""
    places: dict[str, list[str]] = defaultdict(list)
    for url, some in texts.items():
        for text in some:
            places[text].append(url)
    found = {(one, other): None for urls in places.values() for one in urls for other in urls if one < other}
    return list(found)


def _repeats(one: frozenset[str], other: frozenset[str]) -> bool:
    return sum(map(len, one & other)) >= SHARED * sum(map(len, one))


def canonical_of(page: StoredPage) -> str | None:
    """The URL that the page itself names as its canonical one."""
    link = _CANONICAL.search(page.html[:_HEAD_BYTES])
    href = _HREF.search(link.group()) if link else None
    return join_url(page.url, unescape(href.group(1).decode("utf-8", "replace"))) if href else None
