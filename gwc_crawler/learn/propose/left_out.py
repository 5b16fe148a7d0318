"""What is proposed and yet no field: told already, the site's own, seen once, or of other things.

Each judgement looks at a proposal with its values on two pages; further pages tell what is the same everywhere.
Called by `propose_fields`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gwc_crawler.items import FieldValue
from gwc_crawler.learn.propose.guessing.guess import FieldProposal, plain, position
from gwc_crawler.learn.propose.guessing.others import is_of_others, same_address
from gwc_crawler.learn.propose.guessing.page_reading import ReadPage
from gwc_crawler.urls import join_url

_COUNTED = re.compile(
    r"字[数數](?:总计|總計|统计)?:?$|(?:阅读|閱讀)(?:时长|时间|時間)|word.?count|reading.?time", re.IGNORECASE
)
"""Labels and classes under which a theme tells how long a text is, as those of Hexo and WordPress do."""


def is_no_field(proposal: FieldProposal, chosen: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> bool:
    """Say whether a proposal is none, beside what is *chosen* before it."""
    if is_told(proposal, chosen) or is_of_the_site(proposal, chosen, pages):
        return True
    return not proposal.place.startswith("core") and (
        is_by_chance(proposal, pages)
        or is_control(proposal, pages)
        or _COUNTED.search(proposal.place) is not None
        or any(is_of_others(element, page) for page, element in zip(pages, proposal.elements, strict=False))
    )


# --- Told by another field --------------------------------------------------------------------------------------------


def is_told(proposal: FieldProposal, chosen: Sequence[FieldProposal]) -> bool:
    """Whether a field before it has the same values, or holds it in a list or a text."""
    return any(_tells(other, proposal) for other in chosen)


def _tells(other: FieldProposal, proposal: FieldProposal) -> bool:
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
    """Whether a value stands beside a term, or beside a head in a table: such a label is none by chance."""
    cells = [one for one in proposal.elements if one is not None and one.tag in ("td", "dd")]
    return any(one.tag == "dd" or ":'" in proposal.why or one.xpath("boolean(preceding-sibling::th)") for one in cells)


def _overlap(one: FieldProposal, other: FieldProposal) -> bool:
    """Whether, on a page, one stands inside the other."""
    for mine, theirs in zip(one.elements, other.elements, strict=True):
        if mine is None or theirs is None:
            continue
        if theirs is mine or theirs in mine.iterancestors() or mine in theirs.iterancestors():
            return True
    return False


# --- Of the site, not of the thing ------------------------------------------------------------------------------------


def is_of_the_site(proposal: FieldProposal, chosen: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> bool:
    """Whether a value is the same on both pages, and on all others or above the title; or a menu."""
    first, second = proposal.values[:2]
    if plain(first) != plain(second):
        return _is_menu(first, second)
    if not proposal.place.startswith(("label", "core")) or _is_above(proposal, chosen, pages):
        return True
    if len(pages) < 3 or proposal.place in ("core:author", "core:date"):
        return False
    text = plain(first)
    return all(text in page.index.text for page in pages[2:])


def _is_menu(first: FieldValue | None, second: FieldValue | None) -> bool:
    """Whether a list is that of the other page, but for an entry or two."""
    if not isinstance(first, list) or not isinstance(second, list):
        return False
    shared = sum(one in second for one in first)
    return shared > 2 and 2 * shared > min(len(first), len(second))


def _is_above(proposal: FieldProposal, chosen: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> bool:
    """Whether a label stands above the title: in the head of the site."""
    title = next((one for one in chosen if one.place == "core:title"), None)
    if title is None or not proposal.place.startswith("label"):
        return False
    places = zip(pages, proposal.elements, title.elements, strict=False)
    return all(
        None not in (mine, theirs) and position(page, mine) < position(page, theirs) for page, mine, theirs in places
    )


# --- Seen once, to be clicked, of others ------------------------------------------------------------------------------


def is_by_chance(proposal: FieldProposal, pages: Sequence[ReadPage]) -> bool:
    """Whether a label stands on one page alone, of three, or of two that both have a text in its place: a sentence."""
    if proposal.is_complete or not proposal.place.startswith("label:") or (len(pages) < 3 and _is_cell(proposal)):
        return False
    label = proposal.place.removeprefix("label:")
    if sum(any(text.strip(" :：").lower().startswith(label) for text in page.texts) for page in pages) > 1:
        return False
    element = next((one for one in proposal.elements if one is not None), None)
    forms = {page.forms.get(element) for page in pages[:2]} - {None}
    return len(pages) > 2 or all(form in page.by_form for form in forms for page in pages)


def is_seen_once(proposal: FieldProposal, pages: Sequence[ReadPage]) -> bool:
    """Whether words that a class names are the same wherever they stand: a badge or caption, no value."""
    if proposal.is_complete or not proposal.place.startswith("form:"):
        return False
    form = proposal.place.removeprefix("form:")
    texts = {page.text(one) for page in pages for one in page.by_form.get(form, ())[:1]}
    return len(texts) < 2 and not any(sign.isdigit() for text in texts for sign in text)


def is_control(proposal: FieldProposal, pages: Sequence[ReadPage]) -> bool:
    """Whether a value is nothing but a link within its own page: it is there to be clicked."""
    if proposal.place.startswith("rows:") or _is_cell(proposal):
        return False
    found = [(page, one) for page, one in zip(pages, proposal.elements, strict=False) if one is not None]
    return bool(found) and all(_leads_within(element, page) for page, element in found)


def _leads_within(element: Any, page: ReadPage) -> bool:
    link = next(iter(element.iter("a")), None)
    if link is None or page.text(link) != page.text(element):
        return False
    return "#" in link.get("href", "") and same_address(
        join_url(page.view.base_url, link.get("href", "")) or "", page.url
    )
