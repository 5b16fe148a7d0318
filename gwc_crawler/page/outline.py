"""Tree → what its marked places say, found in one walk: title, main headings, hrefs, base, the wish not to be followed.

`reader` asks once for each page and hands on; five separate searches cost three times as much.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

_REFRESH = re.compile(r"[\s\d.]*[;,\s]\s*(?:url\s*=)?\s*(['\"]?)(.*)", re.IGNORECASE | re.DOTALL)
_LEADING = frozenset({"next", "prev", "previous", "canonical"})
_PLACES = ("a", "h1", "h2", "title", "meta", "base", "link", "area", "frame", "iframe")


@dataclass(slots=True)
class Outline:
    """The marked places of one page.

    Attributes:
        title: the text of `<title>`, white space folded; "" if there is none.
        headings: the texts of `h1` and `h2`, folded, in page order.
        base: the first `<base href>` that is not empty, else "".
        hrefs: the links as they are written: `a[href]` in page order, then `link` with next, prev or canonical, where
            a refresh leads, areas and frames, also those that are loaded later (`data-src`).
        forbids_following: the meta robots asks not to follow the links.
    """

    title: str = ""
    headings: list[str] = field(default_factory=list)
    base: str = ""
    hrefs: list[str] = field(default_factory=list)
    forbids_following: bool = False


def outline(tree: Any) -> Outline:
    """Walk over *tree* once; see `Outline`."""
    found = Outline()
    hrefs, following, embedded, titles = found.hrefs, [], [], []
    for element in tree.iter(*_PLACES):
        tag = element.tag
        if tag == "a":
            if (href := element.get("href")) is not None:
                hrefs.append(href)
        elif tag == "title":
            titles.append(element)
        elif tag in ("h1", "h2"):
            found.headings.append(_text(element))
        elif tag == "base":
            found.base = found.base or element.get("href", "").strip()
        elif tag == "meta":
            found.forbids_following = found.forbids_following or _says_nofollow(element)
            if (equivalent := element.get("http-equiv")) and (href := _refresh(equivalent, element.get("content", ""))):
                following.append(href)
        elif tag == "link":
            rel = element.get("rel")
            if rel and _leads_on(rel) and _in_head(element) and (href := element.get("href")):
                following.append(href)
        elif href := element.get("href") if tag == "area" else (element.get("src") or element.get("data-src")):
            embedded.append(href)
    if titles:
        found.title = _text(next(filter(_in_head, titles), titles[0]))
    hrefs += following + embedded
    return found


def _leads_on(rel: str) -> bool:
    return rel in _LEADING or not _LEADING.isdisjoint(rel.lower().split())


def _text(element: Any) -> str:
    """Return the text in an element, white space folded."""
    return " ".join("".join(element.itertext()).split())


def _in_head(element: Any) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag == "head"


def _refresh(equivalent: str, content: str) -> str:
    """Return where a `<meta http-equiv=refresh>` leads, "" where to itself or nowhere."""
    found = _REFRESH.fullmatch(content) if equivalent.strip().lower() == "refresh" else None
    return found[2].partition(found[1])[0] if found and found[1] else found[2] if found else ""


def _says_nofollow(meta: Any) -> bool:
    if meta.get("name", "").lower() != "robots" or not _in_head(meta):
        return False
    return any(word.strip() in ("nofollow", "none") for word in meta.get("content", "").lower().split(","))
