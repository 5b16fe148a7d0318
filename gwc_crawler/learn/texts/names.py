"""Names in attributes: which tell a kind of thing apart, and which count or hash, or were made by a build tool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gwc_crawler.learn.degrees import NAME_LENGTH

CHANCE = re.compile(r"\d{3}|(?=[a-zA-Z]*\d)(?=.*[A-Za-z])(?=(?:.*\d){3})[A-Za-z0-9]{8,}")
"""Names that count or hash something: they name one page or one row, not a kind of thing."""
NUMBERED = re.compile(r"([A-Za-z][A-Za-z_-]*[:_-])(?=[^\W_]*\d\D*\d)[^\W_]{3,}$")
"""A word and the number, or hash, of a thing."""
BEGINS = "^"
"""Behind an attribute's name: a value begins so."""
TELLING = frozenset(
    {
        *("itemprop", "property", "rel", "role", "name", "headers"),
        *("scope", "type", "aria-label", "title", "alt", "for"),
        *("align", "valign", "width", "bgcolor", "color", "size"),
    }
)
"""Attributes, besides id, class and data-*, whose value may identify an element."""
COUNTING = re.compile(r"(?:^|[-_])(?:odd|even|alt|first|last)(?:$|[-_])|^(?:odd|even)[A-Z]|(?:Odd|Even)$")
"""Class names that tell a row's turn, not its kind: "even", "row-odd", "evenRow"."""
SWITCH = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")


def reads_made(name: str) -> bool:
    """Say whether a class name looks made by a build tool: it changes between letters and digits inside a word.

    >>> reads_made("css-1b07bg1"), reads_made("et3p2gv0"), reads_made("recipe-title"), reads_made("col-md-8")
    (True, True, False, False)
    """
    return any(len(part) >= 5 and len(SWITCH.findall(part)) >= 2 for part in re.split("[-_]+", name))


def names_of(element: Any) -> Iterable[tuple[str, str]]:
    """Return the (attribute, value) pairs of an element that may tell it apart; class tokens one by one.

    Of a class or id that numbers a thing also what it begins with: `post_` of "post_40512".
    """
    for name, value in element.attrib.items():
        if name == "class":
            for token in value.split():
                yield "class", token
                if numbered := NUMBERED.match(token):
                    yield f"{name}{BEGINS}", numbered[1]
        elif (name == "id" or name in TELLING or name.startswith("data-")) and 0 < len(value) <= NAME_LENGTH:
            yield name, value
            if name == "id" and (numbered := NUMBERED.match(value)):
                yield f"{name}{BEGINS}", numbered[1]


def beginning_of(name: str) -> str:
    """Return the part of a class name before the first hyphen, "" if it has none."""
    return name.partition("-")[0] if "-" in name else ""
