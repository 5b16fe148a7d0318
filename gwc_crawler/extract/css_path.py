"""The paper's addresses: a CSS path from the root to a node (GWC, algorithm 3), and what it matches on a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from gwc_crawler.extract.nodes import child_elements

NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


def path_to(node: Any, *, without: str = "", shared: Any = None) -> str:
    """Walk from *node* to the root; each step is the name, told apart by an attribute, else by its position.

    Args:
        without: an attribute value that must not serve to tell nodes apart (the sample's own value).
        shared: the ancestor-or-self at which values repeat: there every sibling of its name counts.
    """
    steps: list[str] = []
    while node is not None:
        name = step_name(node)
        steps.append(name if node is shared else name + _distinction(node, without))
        node = node.getparent()
    return " > ".join(reversed(steps))


def step_name(node: Any) -> str:
    """The element's name as CSS can say it."""
    return node.tag if NAME.fullmatch(node.tag) else "*"


def _distinction(node: Any, without: str) -> str:
    parent = node.getparent()
    if parent is None:
        return ""
    same = [child for child in child_elements(parent) if child.tag == node.tag]
    if len(same) == 1 and step_name(node) != "*":
        return ""
    for name in sorted(node.attrib, key=_attribute_rank):
        value = node.get(name)
        if value and value != without and NAME.fullmatch(name) and sum(one.get(name) == value for one in same) == 1:
            return f'[{name}="{css_text(value)}"]'
    if step_name(node) == "*":
        return f":nth-child({list(child_elements(parent)).index(node) + 1})"
    return f":nth-of-type({same.index(node) + 1})"


def _attribute_rank(name: str) -> tuple[int, str]:
    return {"id": 0, "class": 1}.get(name, 2), name


def css_text(value: str) -> str:
    """*value* as it stands between double quotes in a selector."""
    return re.sub(r'[\\"]|[\x00-\x1f]', lambda hit: f"\\{ord(hit[0]):x} ", value)


def repeating_level(one: Any, other: Any) -> Any:
    """Go up from two leaves until they are siblings; give the first one's ancestor at that level."""
    above = [other, *other.iterancestors()]
    for node in (one, *one.iterancestors()):
        parent = node.getparent()
        if parent is not None and any(candidate.getparent() is parent for candidate in above):
            return node
    return None


@lru_cache(maxsize=2048)
def compiled(path: str) -> etree.XPath:
    """The compiled form of a CSS path; a path that can't be compiled matches nothing."""
    try:
        return etree.XPath(HTMLTranslator().css_to_xpath(path, prefix="self::node()/descendant-or-self::"))
    except (SelectorError, etree.XPathSyntaxError):
        return etree.XPath("*[false()]")


def matches(path: str, root: Any) -> Sequence[Any]:
    """The elements of the page that *path* selects, in document order."""
    found: Sequence[Any] = compiled(path)(root)
    return found
