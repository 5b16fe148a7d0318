"""Links that no href says: `data-href` of any element, and an `onclick` that sets the location to a literal address.

Most pages have neither, as their `outline` says. What a script computes is nobody's link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

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
