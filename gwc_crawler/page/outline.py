"""Tree → its marked places, found in one walk: title, main headings, hrefs, base, the request not to follow links."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lxml import etree

from gwc_crawler.page.walks import walk

if TYPE_CHECKING:
    from gwc_crawler.page._walk import Places

_REFRESH = re.compile(r"[\s\d.]*[;,\s]\s*(?:url\s*=)?\s*(['\"]?)(.*)", re.IGNORECASE | re.DOTALL)
_CANONICAL = "canonical"
_LEADING = frozenset({"next", "prev", "previous", _CANONICAL})
_HIDING = etree.XPath("boolean(//*[@data-href != '' or contains(@onclick, 'location') or contains(@onclick, 'open')])")
_PLACES = ("a", "h1", "h2", "title", "meta", "base", "link", "area", "frame", "iframe")


@dataclass(slots=True)
class Outline:
    """The marked places of one page; texts have their white space folded, addresses are as they are written.

    Attributes:
        hrefs: `a[href]` in page order, then `link` with next, prev or canonical, the target of a refresh, areas and
            frames, also those that are loaded later (`data-src`).
        may_hide_links: an element has a `data-href`, or an `onclick` that may lead somewhere (`links.hidden_links`).
    """

    title: str = ""
    headings: list[str] = field(default_factory=list)  # the texts of `h1` and `h2`, in page order
    base: str = ""  # the first `<base href>` that is not empty, else ""
    hrefs: list[str] = field(default_factory=list)
    canonical: str = ""
    forbids_following: bool = False  # the meta robots asks not to follow the links
    may_hide_links: bool = False


def outline(tree: Any) -> Outline:
    """Walk over *tree* once; see `Outline`."""
    title, headings, bases, hrefs, hints, embedded, hides = (walk.places(tree) if walk else None) or _places(tree)
    found = Outline(title, headings, next(filter(None, map(str.strip, bases)), ""), hrefs, may_hide_links=hides)
    for kind, value, content in hints:
        if kind == "robots":
            found.forbids_following = found.forbids_following or _says_nofollow(value)
        elif kind == "link":
            hrefs += [] if _LEADING.isdisjoint(value.lower().split()) else [content]
            found.canonical = found.canonical or (content if _CANONICAL in value.lower().split() else "")
        elif value.strip().lower() == "refresh" and (href := refresh_href(content)):
            hrefs.append(href)
    hrefs += embedded
    return found


def _places(tree: Any) -> Places:
    """Return the marked places as `_walk.places` does."""
    headings, bases, hrefs, hints, embedded, titles = [], [], [], [], [], []
    for element in tree.iter(*_PLACES):
        tag = element.tag
        if tag == "a":
            if (href := element.get("href")) is not None:
                hrefs.append(href)
        elif tag == "title":
            titles.append(element)
        elif tag in ("h1", "h2"):
            headings.append(folded_text(element))
        elif tag == "base":
            bases.append(element.get("href", ""))
        elif tag == "meta":
            if element.get("name", "").lower() == "robots" and _in_head(element):
                hints.append(("robots", element.get("content", ""), ""))
            if equivalent := element.get("http-equiv"):
                hints.append(("meta", equivalent, element.get("content", "")))
        elif tag == "link":
            rel = element.get("rel")
            if rel and _in_head(element) and (href := element.get("href")):
                hints.append(("link", rel, href))
        elif href := element.get("href") if tag == "area" else (element.get("src") or element.get("data-src")):
            embedded.append(href)
    title = folded_text(next(filter(_in_head, titles), titles[0])) if titles else ""
    return title, headings, bases, hrefs, hints, embedded, bool(_HIDING(tree))


def folded_text(element: Any) -> str:
    """Return the text in an element, white space folded."""
    return " ".join("".join(element.itertext()).split())


def _in_head(element: Any) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag == "head"


def refresh_href(content: str) -> str:
    """Return the address in the content of a `<meta http-equiv=refresh>`, as it is written; "" for the page itself.

    >>> refresh_href("0; URL='/next'"), refresh_href("300")
    ('/next', '')
    """
    found = _REFRESH.fullmatch(content)
    return found[2].partition(found[1])[0] if found and found[1] else found[2] if found else ""


NOFOLLOW = "robots=nofollow"
"""Added to the content type of a page whose `X-Robots-Tag` says so: it goes everywhere with the content type, to
reading processes and into the store, so that a stored page is read again in the same way."""

_TAGS_WITH_VALUES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")


def header_says_nofollow(tag: str) -> bool:
    """Tell whether a header `X-Robots-Tag` forbids every robot to follow links; rules for a named robot don't count.

    >>> [header_says_nofollow(tag) for tag in ("noindex, NoFollow", "none", "noindex", "otherbot: noindex, nofollow")]
    [True, True, False, False]
    """
    robot, colon, _ = tag.partition(":")
    if colon and "," not in robot and robot.strip().lower() not in _TAGS_WITH_VALUES:
        return False
    return _says_nofollow(tag)


def page_says_nofollow(tree: Any, content_type: str = "") -> bool:
    """Say whether a page forbids to follow its links, itself or by the header kept with its *content_type*."""
    return NOFOLLOW in content_type or outline(tree).forbids_following


def _says_nofollow(content: str) -> bool:
    return any(word.strip() in ("nofollow", "none") for word in content.lower().split(","))
