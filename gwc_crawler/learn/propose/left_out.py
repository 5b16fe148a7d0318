"""Leave out proposals that are no fields: repeated, the site's own, seen once, or about other things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from gwc_crawler.learn.propose.guess import FieldProposal, plain, position
from gwc_crawler.learn.propose.page_reading import ReadPage
from gwc_crawler.urls import host_of, join_url, query_parts


# --- Other things of a page's kind: addresses made as its own, and the boxes that lead to them ------------------------
def shape_of(url: str) -> str:
    """Return the shape of an address: its segments by kind of characters, the keys of its query.

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
    """Say whether an address names one thing: a number, several words."""
    parts = urlsplit(url)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    names = not last.isascii() or re.search(r"\d{2,}|\w+[-_+ ]\w+[-_+ ]?\w*", last)
    return bool(names or re.search(r"=.*\w{3}", parts.query))


def same_address(one: str, other: str) -> bool:
    """Say whether two addresses lead to the same page, but for a query that counts visits, or a fragment."""
    mine, theirs = urlsplit(one), urlsplit(other)
    if mine.path.rstrip("/") != theirs.path.rstrip("/"):
        return False
    return mine.query == theirs.query or is_telling(mine._replace(query="").geturl())


def is_of_others(element: Any, page: ReadPage) -> bool:
    """Say whether an element is a box of links with pictures to other pages of this kind, or in a card of one."""
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
        url = join_url(page.base_url, link.get("href", "")) if link.find(".//img") is not None else None
        if url and _kind(url) == _kind(page.url) and not same_address(url, page.url):
            for box in (link, *link.iterancestors()):
                found.setdefault(box, set()).add(url)
    return found


def _kind(url: str) -> str:
    """Return the directory of an address, which others of its kind share."""
    return shape_of(url).partition("?")[0].rstrip("/").split("/")[-2:][0]


# --- Whether a proposal is no field -----------------------------------------------------------------------------------

_COUNTED = re.compile(
    r"字[数數](?:总计|總計|统计)?:?$|(?:阅读|閱讀)(?:时长|时间|時間)|word.?count|reading.?time", re.IGNORECASE
)
"""Labels and classes under which a theme tells the length of a text, as those of Hexo and WordPress do."""


def is_no_field(proposal: FieldProposal, chosen: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> bool:
    """Tell whether a proposal is no field, given those *chosen* before it."""
    if any(_tells(other, proposal) for other in chosen) or is_of_the_site(proposal, chosen, pages):
        return True
    if proposal.place.startswith("core"):
        return False
    if is_by_chance(proposal, pages) or is_control(proposal, pages) or _COUNTED.search(proposal.place):
        return True
    return any(is_of_others(element, page) for page, element in zip(pages, proposal.elements, strict=False))


def _tells(other: FieldProposal, proposal: FieldProposal) -> bool:
    """Say whether another field has the same values, or holds it in a list or a text."""
    is_label = proposal.place.startswith("label") and not other.place.startswith("rows")
    if not (is_label or proposal.place.startswith("core") or other.place == "core:title") and _overlap(proposal, other):
        return True
    both = [(plain(mine), plain(theirs)) for mine, theirs in zip(proposal.values, other.values, strict=True)]
    if all(mine == theirs or not mine for mine, theirs in both):
        return True
    if proposal.name == other.name and any(mine == theirs and mine for mine, theirs in both):
        return True
    if not all(mine in theirs for mine, theirs in both):
        return False
    if not isinstance(other.values[0] or other.values[1], str):
        return True
    if not isinstance(proposal.values[0] or proposal.values[1], str) or proposal.place.startswith(("core", "rows:")):
        return False
    if other.place == "core:title":
        return proposal.place.startswith("form:") and _overlap(proposal, other)
    return other.place == "core:body" and not _is_cell(proposal)


def _is_cell(proposal: FieldProposal) -> bool:
    """Tell whether a value stands beside a term, or beside a head in a table: such a label is not there by chance."""
    cells = [one for one in proposal.elements if one is not None and one.tag in ("td", "dd")]
    return any(one.tag == "dd" or ":'" in proposal.why or one.xpath("boolean(preceding-sibling::th)") for one in cells)


def _overlap(one: FieldProposal, other: FieldProposal) -> bool:
    """Say whether, on a page, one stands inside the other."""
    both = [pair for pair in zip(one.elements, other.elements, strict=True) if None not in pair]
    return any(a is b or a in b.iterancestors() or b in a.iterancestors() for a, b in both)


def is_of_the_site(proposal: FieldProposal, chosen: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> bool:
    """Say whether a value is the same on both pages, and on all others or above the title; or a menu."""
    first, second = proposal.values[:2]
    if plain(first) != plain(second):
        # a list may be the same as the other page's, but for an entry or two
        if not isinstance(first, list) or not isinstance(second, list):
            return False
        shared = sum(one in second for one in first)
        return shared > 2 and 2 * shared > min(len(first), len(second))
    if not proposal.place.startswith(("label", "core")) or _is_above(proposal, chosen, pages):
        return True
    if len(pages) < 3 or proposal.place in ("core:author", "core:date"):
        return False
    text = plain(first)
    return all(text in page.index.text for page in pages[2:])


def _is_above(proposal: FieldProposal, chosen: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> bool:
    """Say whether a label stands above the title: in the head of the site."""
    title = next((one for one in chosen if one.place == "core:title"), None)
    if title is None or not proposal.place.startswith("label"):
        return False
    for page, mine, theirs in zip(pages, proposal.elements, title.elements, strict=False):
        if None in (mine, theirs) or position(page, mine) >= position(page, theirs):
            return False
    return True


def is_by_chance(proposal: FieldProposal, pages: Sequence[ReadPage]) -> bool:
    """Say whether a label is chance: only one page of three has it, or of two that both have a text in its place."""
    if proposal.is_complete or not proposal.place.startswith("label:") or (len(pages) < 3 and _is_cell(proposal)):
        return False
    label = proposal.place.removeprefix("label:")
    if sum(any(text.strip(" :：").lower().startswith(label) for text in page.texts) for page in pages) > 1:
        return False
    element = next((one for one in proposal.elements if one is not None), None)
    forms = {page.forms.get(element) for page in pages[:2]} - {None}
    return len(pages) > 2 or all(form in page.by_form for form in forms for page in pages)


def is_seen_once(proposal: FieldProposal, pages: Sequence[ReadPage]) -> bool:
    """Say whether words that a class names are the same wherever they stand: a badge or caption, no value."""
    if proposal.is_complete or not proposal.place.startswith("form:"):
        return False
    form = proposal.place.removeprefix("form:")
    texts = {page.text(one) for page in pages for one in page.by_form.get(form, ())[:1]}
    return len(texts) < 2 and not any(sign.isdigit() for text in texts for sign in text)


def is_control(proposal: FieldProposal, pages: Sequence[ReadPage]) -> bool:
    """Say whether a value is nothing but a link within its own page: it is there to be clicked."""
    if proposal.place.startswith("rows:") or _is_cell(proposal):
        return False
    found = [(page, one) for page, one in zip(pages, proposal.elements, strict=False) if one is not None]
    return bool(found) and all(_leads_within(element, page) for page, element in found)


def _leads_within(element: Any, page: ReadPage) -> bool:
    link = next(iter(element.iter("a")), None)
    if link is None or page.text(link) != page.text(element):
        return False
    href = link.get("href", "")
    return "#" in href and same_address(join_url(page.base_url, href) or "", page.url)
