"""Walking a parsed page: child elements, texts of nodes, attribute values. lxml in, plain values out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from gwc_crawler.extract.values import fold

UNSEEN = frozenset({"script", "style", "noscript", "template"})
"""Elements whose text nobody reads on the page."""

URL_ATTRIBUTES = frozenset({"href", "src", "action", "poster", "cite", "data-src", "data-original", "data-href"})
"""Attributes that hold an address, and are given out absolute."""


def child_elements(node: Any) -> Iterator[Any]:
    """The element children, without comments and processing instructions."""
    return (child for child in node if isinstance(child.tag, str))


def elements(root: Any) -> Iterator[Any]:
    """Every element in document order, *root* first."""
    return (node for node in root.iter() if isinstance(node.tag, str))


def visible_parts(node: Any) -> Iterator[str]:
    """The texts inside *node* in document order, without those nobody reads."""
    stack: list[tuple[Any, bool]] = [(node, False)]
    while stack:
        here, tail_only = stack.pop()
        if tail_only:
            if here.tail:
                yield here.tail
            continue
        if not isinstance(here.tag, str) or (here.tag in UNSEEN and here is not node):
            continue
        if here.text:
            yield here.text
        for child in reversed(here):
            stack.append((child, True))
            stack.append((child, False))


def text_of(node: Any) -> str:
    """All visible text inside *node*, white space folded."""
    if len(node) == 0:
        return fold(node.text or "")
    return fold("".join(visible_parts(node)))


def make_absolute(base_url: str, address: str) -> str:
    """Join an address found in an attribute to the page's base; what can't be joined stays as it is."""
    try:
        return urljoin(base_url, address.strip())
    except ValueError:
        return address.strip()


def base_url_of(root: Any, url: str) -> str:
    """The URL that relative addresses refer to: `<base href>`, else the page's own."""
    for base in root.iter("base"):
        if href := base.get("href"):
            return make_absolute(url, href)
    return url
