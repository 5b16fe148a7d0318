"""Guesses that make up a proposal: a value seen on one page, its possible name, and how another page's is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.items import FieldValue
from gwc_crawler.learn.propose.page_reading import ReadPage


class Clue(StrEnum):
    """The evidence for a value, in words for people."""

    HEADING = "the heading"
    TITLE_TAG = "what stands in <title>"
    PRICE = "reads like a price"
    DATE = "reads like a date"
    AUTHOR = "is named as the author"
    TOLD = "structured data names it"
    TOLD_PICTURE = "the picture that structured data names"
    PICTURE = "the page's picture"
    MOST_TEXT = "most of the text that other pages don't have"
    LABEL = "label"
    DIFFERS = "differs from page to page"
    RECORDS = "records"
    LIST = "list"
    CLICKED = "clicked"

    def at(self, particulars: str) -> str:
        """Return the clue with its particulars, behind a colon."""
        return f"{self}: {particulars}"


@dataclass(slots=True)
class Guess:
    """One value on one page. `place`: the same for the same field on another page: a label, a form, an address in
    structured data; `why`: a clue; `element`: None if only machines read the value.
    """

    name: str
    value: FieldValue
    place: str
    why: str
    element: Any = None


@dataclass(slots=True)
class FieldProposal:
    """A proposed field: its value on each page (None: the page does not have it), and the evidence.

    `problem`: why it can't be learned from these pages; "" if it can.
    """

    name: str
    values: list[FieldValue | None]
    why: str
    place: str = ""
    problem: str = ""
    elements: list[Any] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether all pages have it."""
        return all(self.values)


def plain(value: FieldValue | None) -> str:
    """Return a value as one text without white space, by which two are compared."""
    if value is None or isinstance(value, str):
        return squeeze(value or "")
    return "\n".join(
        squeeze(one) if isinstance(one, str) else "\t".join(f"{key}={squeeze(str(part))}" for key, part in one.items())
        for one in value
    )


def position(page: ReadPage, element: Any) -> int:
    """Return the position of an element in the page's text; the end of the text if the element has none."""
    span = page.index.spans.get(element)
    return len(page.index.text) if span is None else span[0]
