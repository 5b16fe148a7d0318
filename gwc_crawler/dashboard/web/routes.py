"""What a page of the dashboard is: an address, a function that answers, and where menus lead to it.

A function takes a `DashboardRequest` and returns an `Answer`; it runs in a thread, so it may read files and wait. A
page that changes something is an `action`: it is asked with POST, its form holds `{{ form_token }}`, and it answers
`Moved`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Shown:
    """A template with its values."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Moved:
    """Go on at another page of ours, with a word on what was done: in English, a key of the words, with its values."""

    path: str
    told: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    went_wrong: bool = False


@dataclass(frozen=True, slots=True)
class Harmless:
    """A foreign page, for a sandboxed frame of ours: whatever is in it, nothing runs and nothing is asked for."""

    html: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture (SVG) as a file of its own; nothing in it runs or asks for anything."""

    svg: bytes


@dataclass(frozen=True, slots=True)
class Text:
    """What a program reads; `kind` is its whole Content-Type."""

    text: str
    kind: str


Answer: TypeAlias = Shown | Moved | Harmless | Drawn | Text
Handler: TypeAlias = Callable[[Any], Answer]
"""It takes a `DashboardRequest`."""


@dataclass(frozen=True, slots=True)
class Route:
    """An address and who answers.

    Attributes:
        path: `{site}` stands for the name of a site, `{other}` for a part of the address: `visit.part("other")`.
        menu: its words in the main menu; "" for none.
        tab: its words among the pages of a site; "" for none.
    """

    method: str
    path: str
    handler: Handler
    menu: str = ""
    tab: str = ""


def page(path: str, handler: Handler, *, menu: str = "", tab: str = "") -> Route:
    """A page to look at."""
    return Route("GET", path, handler, menu, tab)


def part(path: str, handler: Handler) -> Route:
    """A part of a page that is asked for again while somebody looks at it: an element with `data-live="PATH"`."""
    return Route("GET", path, handler)


def action(path: str, handler: Handler) -> Route:
    """Something that is done: asked with POST, from a form of ours."""
    return Route("POST", path, handler)
