"""Candidates for ranking: with the values they read on further pages, and the features their addresses rely on."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gwc_crawler.extract.locator import BESIDES, Locator
from gwc_crawler.extract.records_rule import RowRule
from gwc_crawler.items import Family
from gwc_crawler.learn.places.steps import quoted_in

MOST_COST = 3.2
"""A fallback with more that can break would break together with the best one."""
MOST_COST_NAMED = 2.1
COUNTED = re.compile(r"/following-sibling::[a-z][a-z0-9]*\[(?:[2-9]|\d\d+)\]")
"""Matches a step to the second or later sibling of a name behind a label."""
NEAR_LABEL_COST = 2.0
TRUST = {"id": 0.30, "label": 0.30, "class": 0.28, "attribute": 0.28, "tag": 0.16, "path": 0.08} | {
    "thing": 0.40,  # structured data of the page's main thing; the rest of it:
    "structured": 0.26,
}
"""Prior worth of an address by the feature it relies on; calibrated as a set on the development corpora."""
HEADERS = re.compile(r"//th\[text\(\)")
COLUMN = re.compile(r'\./t[dh]\[\(\.\./preceding-sibling::tr .*?\*\[normalize-space\(\)="([^"]*)"')
"""How the paths begin of rows under a table's header, and of a row's cell under one."""
LATER_TEXT = re.compile(r"/text\(\)\[normalize-space\(\)\]\[(?:[2-9]|\d\d|last\(\))\]$")
"""How the path of a text ends that is counted among others of its element."""

_NAMING = frozenset({"code", "heading", "headline", "id", "module", "name", "title"})
_NAMING_SIGNS = ("名", "标题", "標題")
"""Words and signs in the names of fields that say what a page is called."""
_WORD = re.compile(r"[a-z]+")

Candidate: TypeAlias = Locator | RowRule


@dataclass(slots=True)
class Ranked:
    """A candidate with its values on the further pages (in a form to compare, and as read) and its score."""

    locator: Any
    values: list[Any]
    raw: list[Any]
    score: float = 0.0
    agreement: float = 1.0
    coverage: float = 1.0
    kind: float = 1.0
    distinct: float = 0.0
    refuted: int = 0
    """Pages on which it read something else."""
    excused: int = 0
    """Pages on which nothing was to be found."""


@dataclass(slots=True)
class ChosenLocators:
    """The chosen candidates, best first, and the evidence for the report."""

    locators: list[Any]
    evidence: dict[str, Any] = field(default_factory=dict)
    refuted: bool = False
    """Right on one sample, wrong on another one."""


def weight(one: Candidate) -> float:
    """Return a candidate's prior weight: by the feature it relies on, and by how little of it can break."""
    return TRUST.get(voice(one), 0.1) * math.exp(-one.cost / 2)


def voice(one: Candidate) -> str:
    """Return a candidate's voice: its family; structured data of the page's main thing has a voice of its own."""
    about = one.family is Family.STRUCTURED and not BESIDES.match(one.path)
    return "thing" if about else one.family


def is_named(locator: Candidate) -> bool:
    """Tell whether a name on the page identifies the field: then a find counts, while positions always find something.

    The name of something larger, a text or an attribute out of which literals cut the value, does not count.
    """
    if isinstance(locator, Locator):
        from_attribute = locator.read.startswith("@") and " " in locator.cut.before + locator.cut.after
        if from_attribute or (locator.cut.before and not locator.cut.whole_before):
            return False
    if LATER_TEXT.search(locator.path):
        return False
    name = locator.family.is_name or locator.family is Family.STRUCTURED or _is_headed(locator)
    return name and locator.cost <= MOST_COST_NAMED


def is_right_behind_label(locator: Any) -> bool:
    """Say whether a candidate reads a text or a list from right behind a label."""
    return isinstance(locator, Locator) and locator.family is Family.LABEL and locator.cost <= NEAR_LABEL_COST


def is_under_header(locator: Any) -> bool:
    """Say whether a row's cell is read that stands under a table's header, by its text."""
    return COLUMN.match(locator.path) is not None


def _is_headed(locator: Any) -> bool:
    """Say whether a table's header names what is read as a class does: a cell under it, or rows under all of theirs."""
    if is_under_header(locator):
        return True
    if not HEADERS.match(locator.path):
        return False
    firsts = (COLUMN.match(rule.locators[0].path) for rule in getattr(locator, "fields", {}).values())
    columns = {column[1] for column in firsts if column is not None}
    return bool(columns) and columns <= set(quoted_in(locator.path))


def is_hidden(locator: Any) -> bool:
    """Say whether a candidate reads what a browser does not show."""
    return locator.family is Family.STRUCTURED or (isinstance(locator, Locator) and locator.read.startswith("@"))


def says_what_pages_are_called(name: str) -> bool:
    """Say whether a field says what a page is called, by its name.

    >>> [says_what_pages_are_called(name) for name in ("title", "full_name", "标题", "summary")]
    [True, True, True, False]
    """
    return bool(_NAMING & set(_WORD.findall(name.casefold()))) or any(sign in name for sign in _NAMING_SIGNS)
