"""URL and tree → index page, information page, or a page that says it doesn't exist (T-Spider, algorithm 1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import log1p
from typing import Any
from urllib.parse import urlsplit

from gwc_crawler.items import PageKind
from gwc_crawler.page.outline import Outline, folded_text, outline
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import paragraphs_outside_links, visible_text

# --- What the links that a site's pages share tell of a page ----------------------------------------------------------

_DEEPEST = 3  # directories below the root that have common links of their own
_LOOKED_AT = 200  # own links of a page that are put into classes
_SAID = 4  # characters behind a link that make a description of its page
_TEXTS_NEEDED = 5  # links with a description that make a list


@dataclass(frozen=True, slots=True)
class OwnLinks:
    """A page's links without those that pages of its site or directory share: how many URLs they lead to, the
    characters in them, the most `into_larger_class` of URLs than the page's; `in_menu`: such a shared link leads to the
    page itself.
    """

    count: int
    text_length: int
    into_larger_class: int
    in_menu: bool


class SiteLinks:
    """The learned links of one site. *common*: directory, as in `directories_above` → the URLs that its pages share
    links to; *classes*: rows with the `regex` of a class of URLs and its `size`, how many of them are known.
    """

    def __init__(self, common: Mapping[str, Iterable[str]], classes: Sequence[Mapping[str, Any]]) -> None:
        self._common = {directory: frozenset(urls) for directory, urls in common.items()}
        self._classes = [(re.compile(row["regex"]), int(row["size"])) for row in classes]
        self._class_of = lru_cache(20_000)(self._find_class)

    @classmethod
    def of(cls, learned: Mapping[str, Any]) -> SiteLinks | None:
        """Build from `Knowledge.site_links`; None where nothing was learned."""
        return cls(learned.get("common", {}), learned.get("classes", ())) if learned else None

    def own(self, url: str, links: Iterable[tuple[str, int]]) -> OwnLinks:
        """Tell a page's own links from those it shares; *links*: URL and length of the text of each on the site."""
        above = directories_above(url)
        shared = [self._common[directory] for directory in above if directory in self._common]
        lengths: dict[str, int] = {}
        for link, length in links:
            if link != url and not any(link in some for some in shared):
                lengths[link] = max(length, lengths.get(link, 0))
        in_menu = url in self._common.get(above[0], ())
        return OwnLinks(len(lengths), sum(lengths.values()), self._into_larger(url, lengths), in_menu)

    def _into_larger(self, url: str, links: Iterable[str]) -> int:
        own, least = self._class_of(url)
        counts: dict[int, int] = {}
        for link in islice(links, _LOOKED_AT):
            number, size = self._class_of(link)
            if number >= 0 and number != own and size > least:
                counts[number] = counts.get(number, 0) + 1
        return max(counts.values(), default=0)

    def _find_class(self, url: str) -> tuple[int, int]:
        for number, (regex, size) in enumerate(self._classes):
            if regex.fullmatch(url):
                return number, size
        return -1, 1


def directories_above(url: str) -> list[str]:
    """Return the directories a URL stands in, the root first, three more at most.

    >>> directories_above("http://a.example/css/ref/color.html?x=1")
    ['http://a.example/', 'http://a.example/css/', 'http://a.example/css/ref/']
    """
    parts = urlsplit(url)
    found = [f"{parts.scheme}://{parts.netloc}/"]
    for name in parts.path.split("/")[1:-1][:_DEEPEST]:
        found.append(f"{found[-1]}{name}/")
    return found


def link_texts(tree: Any) -> list[tuple[str, int]]:
    """Return href and length of the text of each `a[href]`, in page order."""
    return [(href, _text_length(one)) for one in tree.iter("a") if (href := one.get("href")) is not None]


def described_length(tree: Any, on_site: Mapping[str, str]) -> int:
    """Return the characters of rows and items that begin with a link to another page and describe it: a menu has no
    such, and fewer than five don't count. *on_site*: href → URL of the links to other pages of the site.
    """
    found: set[str] = set()
    length = 0
    for row in tree.iter("tr", "li", "dt"):
        anchor = next(row.iter("a"), None)
        url = None if anchor is None else on_site.get(anchor.get("href", ""))
        if url is None or next(row.iterdescendants(row.tag), None) is not None:
            continue
        name, whole = _text_length(anchor), _text_length(row)
        if not name or not folded_text(row).startswith(folded_text(anchor)):
            continue
        said = row.getnext() if row.tag == "dt" else None
        if said is not None and said.tag == "dd":
            row, whole = said, _text_length(said)
        elif row.tag == "dt":
            continue
        said_length = whole - sum(map(_text_length, row.iter("a")))
        if said_length >= _SAID:
            found.add(url)
            length += name + said_length
    return length if len(found) >= _TEXTS_NEEDED else 0


def _text_length(element: Any) -> int:
    return len(folded_text(element))


LONGEST_PARAGRAPH = 150  # T-Spider's L, in characters outside links


@dataclass(frozen=True, slots=True)
class KindRule:
    """How index and information pages are told apart: as published, by a *longest* paragraph (L), or *weighed*."""

    longest: int = LONGEST_PARAGRAPH
    weighed: bool = False

    def kind_of(self, url: str, found: Outline, text: str, paragraphs: Callable[[], Sequence[str]]) -> PageKind:
        """Return INDEX or INFORMATION; *text* is the visible one, *paragraphs* are asked for where need be."""
        if self.weighed:
            return index_or_information(url, found, text, paragraphs())
        return kind_by_name(url) or published_kind(url, found.title, text, paragraphs(), self.longest)


_SERIAL_NAME = re.compile(r"(?:\d+|(?=(?:\D*\d){4})[a-z]{0,3}[\d_-]+[a-z]{0,3})(?:\.\w+)?", re.IGNORECASE)
"""A file name that means nothing: digits in the main, as in `12.html`, `20050312_1123.shtml`, `c-4711234.html`."""

_INDEX_NAME = re.compile(
    r"(?:index|default|home|main|list|contents|overview|summary|all|toc)(?:[-_]?\w+)?(?:\.\w+)?", re.IGNORECASE
)
_REFERENCE_NAME = re.compile(r"(?:\w+[-_])?references?(?:\.\w+)?", re.IGNORECASE)
"""The name in manuals of a page that lists the explained things; as a directory it says nothing."""
_ENDING = re.compile(r"\.\w{2,5}$")
_NUMBERED = re.compile(r"/page[/-]?\d+|[?&](?:page|paged|p|pg|start|offset|from|pageno|pagenum)=\d+", re.IGNORECASE)
_LISTING = re.compile(
    r"(?:^|[/_.-])(?:tags?|categor(?:y|ies)|archives?|list|index|topics?|browse|catalog(?:ue)?|sections?|columns?|search|"
    r"collections?|overview|summary|frame|tree|contents|all|sitemap|directory|genindex|modindex)(?=$|[/_.-]|\d)",
    re.IGNORECASE,
)
_LONG = 80  # characters of a paragraph to read

_ALWAYS = 0.6
_LONGEST = 0.16
_LINKED = -1.6
_IN_LONG = 0.5
_TITLED = 0.5
_NAMED_INDEX = -1.1
_NAMED_NUMBER = -3.5
_NAMED_LISTING = -3.0
_NAMED_SERIAL = 0.5
_NAMED_REFERENCE = -2.2
"""Weights of the signs of a page to read, added up in `reading_score`: a logistic regression over labelled pages of
eleven sites, each site and kind with the same weight. After a change: `python -m tests.eval.kinds`."""

_IN_SITE = -0.3
_IN_MENU = -2.4
_LEADS_ON = -0.5
_DESCRIBED = -5.0
_NAMED_IN_VAIN = 1.6
_FILE_IN_VAIN = 2.2  # weights added if the site is known, in `kind_in_site`; learned like those above, with these fixed
_FEW_LINKS = 3
_FEW_LINKS_OF_FILE = 5
_MANY_LINKS = 30

_MISSING = re.compile(
    r"^\W*(?:(?:error\W{0,3})?404|not found)\W*(?:$|[-|–—:·])|\b404\b.{0,15}(?:error|not found|错误|錯誤|页|頁)|"
    r"\b(?:page|file|url|address|document|article|product|item|content)s?\b.{0,40}"
    r"\b(?:not (?:be )?found|(?:does not|doesn.t|no longer) exists?|no longer available)\b|\bno such page\b|"
    r"(?:页面?|网页|文件|文章|商品|内容|頁面?|網頁|檔案).{0,6}(?:不存在|未找到|找不到|已被?删除|已被?刪除|已下架)|"
    r"(?:找不到|未找到|没有找到).{0,8}(?:页|文件|頁|檔案)",
    re.IGNORECASE,
)
"""Matches the title or heading of a soft 404; not of a product called "404" or "Lost and Not Found"."""

_ANNOUNCEMENT_LENGTH = 60  # a title or heading longer than this talks about missing pages rather than being one
_MISSING_TEXT_LENGTH = 1500  # characters of text outside links above which a page has content after all


def classify_page(url: str, html: Any) -> PageKind:
    """Return INDEX or INFORMATION (see `index_or_information`), MISSING for an evident soft 404."""
    tree = parse_html(html) if isinstance(html, (str, bytes)) else html
    found = outline(tree)
    if says_missing(tree, found):
        return PageKind.MISSING
    return index_or_information(url, found, visible_text(tree), paragraphs_outside_links(tree))


def index_or_information(url: str, found: Outline, text: str, paragraphs: Sequence[str]) -> PageKind:
    """Tell lists of links from pages to read, by URL, visible text, and *paragraphs* (`text.paragraphs_outside_links`).

    Source:
        T-Spider, algorithm 1, in which no file name, a serial number, a long paragraph or the title decides alone. Here
        they add up, with the share of text in links and the words for lists in a URL: on sites whose articles have no
        file name the published order finds no article at all. `docs/page-kinds.md` has both figures.
    """
    if urlsplit(url).path in ("", "/"):
        return PageKind.INDEX
    return PageKind.INFORMATION if reading_score(url, found, len(text), paragraphs) > 0 else PageKind.INDEX


def kind_in_site(url: str, found: Outline, paragraphs: Sequence[str], own: OwnLinks, described: int) -> PageKind:
    """Tell the kinds apart as `index_or_information` does, also by the known links of the site.

    Links that pages of a site share don't count as text. A page that all others link to is rather a list, and so is one
    whose own links lead into one larger class of URLs, or that is mainly a list of links with a description each
    (*described* characters); a word for lists in a URL says little of a page with hardly a link of its own.
    """
    if urlsplit(url).path in ("", "/"):
        return PageKind.INDEX
    size = sum(map(len, paragraphs)) + own.text_length
    score = reading_score(url, found, size, paragraphs) + _IN_SITE + _IN_MENU * own.in_menu
    score += _LEADS_ON * log1p(min(own.into_larger_class, _MANY_LINKS)) + _DESCRIBED * min(1.0, described / (size + 1))
    score += _named_in_vain(url, own.count)
    return PageKind.INFORMATION if score > 0 else PageKind.INDEX


def _named_in_vain(url: str, links: int) -> float:
    """Return the score to give back where a word for lists names only the directory of a page with hardly a link.

    `/tag/cotton/` may be a list of three; `/tags/cotton.html`, a file in that directory, is rather one to read.
    """
    path = urlsplit(url).path
    is_index = _INDEX_NAME.fullmatch(path.rstrip("/").rpartition("/")[2]) or _NUMBERED.search(url)
    if links > _FEW_LINKS_OF_FILE or is_index or not _LISTING.search(path):
        return 0.0
    if _ENDING.search(path):
        return _FILE_IN_VAIN
    return _NAMED_IN_VAIN if links <= _FEW_LINKS else 0.0


def reading_score(url: str, found: Outline, size: int, paragraphs: Sequence[str]) -> float:
    """Return how much speaks for a page to read (above 0) or a list (below); *size*: characters of all its text."""
    lengths = [len(paragraph) for paragraph in paragraphs]
    size += 1
    title = found.title
    score = _ALWAYS + _LONGEST * log1p(max(lengths, default=0)) + _LINKED * (1 - sum(lengths) / size)
    score += _IN_LONG * sum(length for length in lengths if length >= _LONG) / size
    score += _TITLED * any(len(one) > 1 and title.startswith(one[:20]) for one in found.headings)
    parts = urlsplit(url)
    name = parts.path.rstrip("/").rpartition("/")[2]
    return score + (
        _NAMED_INDEX * bool(_INDEX_NAME.fullmatch(name))
        + _NAMED_NUMBER * bool(_NUMBERED.search(url))
        + _NAMED_LISTING * bool(_LISTING.search(f"{parts.path}?{parts.query}"))
        + _NAMED_SERIAL * bool(_SERIAL_NAME.fullmatch(name))
        + _NAMED_REFERENCE * bool(_REFERENCE_NAME.fullmatch(name))
    )


def kind_by_name(url: str) -> PageKind | None:
    """Return the kind that T-Spider's algorithm 1 sees at the URL alone, INDEX or INFORMATION; None if at more."""
    _, slash, name = url[len("https://") :].partition("#")[0].partition("?")[0].rpartition("/")
    if not (slash and name):
        return PageKind.INDEX
    return PageKind.INFORMATION if _SERIAL_NAME.fullmatch(name) else None


def published_kind(
    url: str, title: str, text: str, paragraphs: Sequence[str], longest: int = LONGEST_PARAGRAPH
) -> PageKind:
    """Tell lists of links from pages to read; *longest*: L, in characters.

    Source:
        T-Spider, algorithm 1: an index page has no final file name; an information page has a serial number for one,
        or a paragraph longer than L, or a title before its body text; whatever else is an index page. "A title before
        the body text" is read as: a paragraph that the page's title begins with, and most of what follows is text
        outside links.
    """
    if (named := kind_by_name(url)) is not None:
        return named
    is_read = max(map(len, paragraphs), default=0) > longest or _title_before_body(title, text, paragraphs)
    return PageKind.INFORMATION if is_read else PageKind.INDEX


def says_missing(tree: Any, found: Outline) -> bool:
    """Say whether title or a main heading announces that there is no such page, on a page with little other text."""
    announcing = (text for text in (found.title, *found.headings) if len(text) <= _ANNOUNCEMENT_LENGTH)
    if not any(map(_MISSING.search, announcing)):
        return False
    return sum(map(len, paragraphs_outside_links(tree))) < _MISSING_TEXT_LENGTH


def _title_before_body(title: str, text: str, paragraphs: Sequence[str]) -> bool:
    for number, paragraph in enumerate(paragraphs):
        if len(paragraph) > 1 and title.startswith(paragraph[:20]):
            outside = sum(map(len, paragraphs[number + 1 :]))
            after = len(text) - text.find(paragraph) - len(paragraph)
            return outside > after / 2
    return False
