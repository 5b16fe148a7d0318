"""What varies as the field does, where the samples have the same value by chance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract import Finder, is_like_number, value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.places import NEXT_TEXT
from gwc_crawler.learn.wrapper.judging.candidates import (
    SURE_PAGES,
    Ranked,
    is_right_behind,
    path_of,
)
from gwc_crawler.learn.wrapper.judging.named import calls, has_name, is_called_by_its_class, is_marked_up

USUAL = 0.3
"""A value that two samples share by chance stands on so many pages: on fewer it is less likely than a constant."""
USUAL_LED = 0.1
"""The same where a label leads to it, or where it is no number and two elements say so: seldom is a constant wanted."""
VARYING_COVERAGE = 0.7
"""The share of pages that must have it: others may lack the field, where a list beside the text is the same as ever."""
VARYING_KIND, LED_KIND, MARKED_KIND = 0.85, 0.6, 0.4
"""How far other values must be of the samples' kind; behind a label with the field's name; in an element called so."""


def what_varies(ranked: Sequence[Ranked], wanted: Sequence[Any], field: str = "") -> Ranked:
    """The best one; or, where the samples have the same value by chance and it gives nothing else, what varies.

    Another element must say the same on each page: then both vary because the field does. What stands right behind a
    label, or is called as the field, is enough: menus say the same on all pages. So is what has the field's name for
    its class, however seldom it says this.
    """
    usual = value_key(wanted[0])
    if {value_key(one) for one in wanted} != {usual} or len(wanted) < 2 or not isinstance(usual, str):
        return ranked[0]
    if {*ranked[0].values} - {None} != {usual} or len(ranked[0].values) < SURE_PAGES:
        return ranked[0]
    meant = [one for one in ranked if one.coverage >= VARYING_COVERAGE and not one.refuted]
    varying = [one for one in meant if {*one.values} - {None} != {usual}]
    for one in (one for one in varying if one.values.count(usual) >= USUAL_LED * len(one.values)):
        least = LED_KIND if has_name(field, path_of(one.finder)) else VARYING_KIND
        if _is_led(one.finder, field) and one.kind >= least:
            return one
    said = (one for one in varying if usual in one.values)
    own = next((one for one in said if is_called_by_its_class(field, one.finder)), None)
    if own is not None and not is_called_by_its_class(field, ranked[0].finder):
        return own
    is_number = is_like_number(usual)
    often = [one for one in varying if one.values.count(usual) >= USUAL * len(one.values)]
    called = [one for one in often if one.kind >= (VARYING_KIND if is_number else MARKED_KIND)]
    called = [one for one in called if is_marked_up(field, one.finder)]
    if called and Family.LABEL not in (called[0].finder.family, ranked[0].finder.family):
        return called[0]
    least = USUAL if is_number else USUAL_LED
    varying = [
        one for one in varying if one.kind >= VARYING_KIND and one.values.count(usual) >= least * len(one.values)
    ]
    for number, one in enumerate(varying):
        also = (other for other in varying[number + 1 :] if _element(one) != _element(other))
        if any(one.values == other.values for other in also):
            return one
    return ranked[0]


def _is_led(finder: Any, field: str) -> bool:
    """Whether a text is read from right behind a label or next to it, or before the field's name ("3 comments")."""
    is_next = finder.family is Family.LABEL and path_of(finder).endswith(NEXT_TEXT)
    return is_next or (isinstance(finder, Finder) and (is_right_behind(finder) or calls(field, finder.cut.after)))


def _element(one: Ranked) -> str:
    """The name of the element that a candidate reads."""
    steps = re.findall(r"/([a-z][a-z0-9]*)(?=\[|/|$)", path_of(one.finder))
    return str(steps[-1]) if steps else path_of(one.finder)
