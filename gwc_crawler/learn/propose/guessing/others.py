"""Other things of a page's kind: addresses made as its own, and the boxes that lead to them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from gwc_crawler.learn.propose.guessing.page_reading import ReadPage
from gwc_crawler.urls import host_of, join_url, query_parts


def shape_of(url: str) -> str:
    """The shape of an address: its segments by what they are made of, the keys of its query.

    >>> shape_of("http://a.example/shop/2005/11/big-red-shoe/?id=7&x=1")
    'a.example/shop/9/9/*/?id&x'
    """
    parts = urlsplit(url)
    segments = parts.path.split("/")[1:]
    last = len(segments) - 1 if segments and segments[-1] else len(segments) - 2
    shaped = [_segment_shape(segment, index == last) for index, segment in enumerate(segments)]
    keys = "&".join(sorted(one.partition("=")[0] for one in query_parts(parts.query) if one))
    return host_of(url) + "/" + "/".join(shaped) + (f"?{keys}" if keys else "")


def _segment_shape(segment: str, is_last: bool) -> str:
    if not segment:
        return ""
    name, dot, ending = segment.rpartition(".")
    extension = f".{ending}" if dot and ending.isalpha() and len(ending) <= 5 else ""
    stem = name if extension else segment
    if stem.isdigit():
        return "9" + extension
    if is_last or any(sign.isdigit() for sign in stem) or "-" in stem or "%" in stem or "_" in stem:
        return "*" + extension
    return stem + extension


def is_telling(url: str) -> bool:
    """Whether an address names one thing: a number, several words."""
    parts = urlsplit(url)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    return bool(
        re.search(r"\d{2,}|\w+[-_+ ]\w+[-_+ ]?\w*", last) or not last.isascii() or re.search(r"=.*\w{3}", parts.query)
    )


def same_address(one: str, other: str) -> bool:
    """Whether two addresses lead to the same page, but for a query that counts visits, or a fragment."""
    mine, theirs = urlsplit(one), urlsplit(other)
    if mine.path.rstrip("/") != theirs.path.rstrip("/"):
        return False
    return mine.query == theirs.query or is_telling(mine._replace(query="").geturl())


def is_of_others(element: Any, page: ReadPage) -> bool:
    """Whether an element is a box that leads, with pictures, to other pages of this kind, or stands in a card of it."""
    if element is None:
        return False
    boxes, is_inside = _boxes(page), True
    for box in (element, *element.iterancestors()):
        if len(boxes.get(box, ())) > 1:
            return is_inside
        is_inside = box in boxes
    return False


@lru_cache(maxsize=8)
def _boxes(page: ReadPage) -> dict[Any, set[str]]:
    """Element → the other pages of this kind that links with pictures in it lead to."""
    found: dict[Any, set[str]] = {}
    for link in page.tree.iter("a"):
        url = join_url(page.view.base_url, link.get("href", "")) if link.find(".//img") is not None else None
        if url and _kind(url) == _kind(page.url) and not same_address(url, page.url):
            for box in (link, *link.iterancestors()):
                found.setdefault(box, set()).add(url)
    return found


def _kind(url: str) -> str:
    """What an address has in common with others of its kind: the directory that it stands in."""
    return shape_of(url).partition("?")[0].rstrip("/").split("/")[-2:][0]
