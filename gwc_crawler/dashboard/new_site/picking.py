"""A click on a page of a draft → a field: the value that stands there, or all the others like it, on both samples.

What the other sample has is guessed by learning from the clicked one, as a crawl would read it; a person corrects that
by clicking there, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gwc_crawler.dashboard.new_site.drafts import MOST_FIELDS, Field, SiteDraft
from gwc_crawler.dashboard.new_site.harmless import numbered
from gwc_crawler.errors import InputError, LearnError
from gwc_crawler.items import FieldValue, is_empty
from gwc_crawler.learn.wrapper import Sample, learn_wrapper
from gwc_crawler.propose import learnable
from gwc_crawler.propose.guessing import (
    Clue,
    FieldProposal,
    ReadPage,
    like_this,
    name_of_class,
    name_of_rows,
    names_of,
    value_of,
)

NAME = re.compile(r"[^\W_](?:[\w -]{0,58}\w)?")
NAME_RULE = "letters, digits, _, - and spaces inside"


def pick(draft: SiteDraft, at: int, element: int, name: str, *, like: bool) -> Field:
    """Put what was clicked into the draft, under *name* (else one that is found), and return its field.

    Args:
        at: 0 or 1, which sample was clicked.
        element: its number (`harmless`).
        like: all the others like it, too: a list, or records.

    Raises:
        InputError: nothing stands there, or the name can't be one.
    """
    page = draft.pages[at]
    elements = numbered(page)
    if not 0 <= element < len(elements):
        raise InputError("there is no such place on the page; load it again")
    value, found = rows_at(elements[element], page) if like else (text_at(elements[element], page), "")
    if is_empty(value) or value is None:
        raise InputError("there is no text at this place; click on another one")
    name = name.strip() or found or name_of_class(names_of(elements[element])) or "field"
    check_name(name)
    known = next((one for one in draft.fields if one.name == name), None)
    if known is None:
        if len(draft.fields) >= MOST_FIELDS:
            raise InputError(f"a draft has at most {MOST_FIELDS} fields; remove one first")
        known = Field(name, [None, None])
        draft.fields.append(known)
        other = guessed(name, value, draft.pages, at)
        known.values[1 - at] = other if _fits(other, value) else None
    elif not all(_fits(one, value) for number, one in enumerate(known.values) if number != at):
        known.values = [None, None]
    known.values[at] = value
    known.why = Clue.CLICKED
    judge(known, draft.pages)
    return known


def check_name(name: str) -> None:
    """Raises InputError for what can't be a field's name."""
    if not NAME.fullmatch(name):
        raise InputError(f"{name!r} can't be a field's name; it has {NAME_RULE}")


def text_at(element: Any, page: ReadPage) -> FieldValue:
    """The text of an element; of a picture its address."""
    return page.view.picture(element) if element.tag == "img" else page.text(element)


def rows_at(element: Any, page: ReadPage) -> tuple[FieldValue | None, str]:
    """The list or records that an element is in, and what they may be called."""
    found = like_this(element, page)
    if found is None:
        raise InputError("nothing like this is beside it; click on another place in one of the rows")
    return value_of(found, page), name_of_rows(found, page)


def guessed(name: str, value: FieldValue, pages: Sequence[ReadPage], at: int) -> FieldValue | None:
    """What the other sample has, by learning from the one that was clicked."""
    mine, other = pages[at], pages[1 - at]
    more = [(page.url, page.html) for page in (other, *pages[2:])]
    try:
        wrapper = learn_wrapper([Sample(mine.url, mine.html, {name: value})], more)
    except LearnError:
        return None
    return wrapper.extract(other.html, other.url).get(name)


def judge(one: Field, pages: Sequence[ReadPage]) -> None:
    """Set what keeps a field from being learned from the two samples."""
    proposal = FieldProposal(one.name, list(one.values), one.why)
    learnable([proposal], pages)
    one.problem = proposal.problem


def _fits(one: FieldValue | None, other: FieldValue) -> bool:
    """Whether two values are of one shape."""
    if is_empty(one) or one is None:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str)
    return isinstance(one[0], dict) == isinstance(other[0], dict)
