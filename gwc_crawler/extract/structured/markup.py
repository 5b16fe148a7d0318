"""What elements say of a page by their attributes: microdata, RDFa, meta and link; `structured` calls the readers.

Microdata and RDFa give items, meta and link single texts. The values follow the rules of HTML: an attribute for
links, media and times, else the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from lxml import etree

from gwc_crawler.extract.structured.structured_items import MAX_NODES, Item, Node, clean_text, places_of, short_name

MAX_STEPS = 200_000
"""Tree steps spent on the scopes and texts of one page's microdata or RDFa."""


def read_microdata(tree: Any) -> dict[str, list[Node]]:
    """Return the places of a page's microdata: itemprop in itemscope, itemref followed."""
    return places_of("microdata", _ScopeReader(tree, "itemscope", "itemtype", "itemprop").tops())


def read_rdfa(tree: Any) -> dict[str, list[Node]]:
    """Return the places of a page's RDFa: property in typeof."""
    return places_of("rdfa", _ScopeReader(tree, "typeof", "typeof", "property").tops())


class _ScopeReader:
    """Items written as attributes: an element with *scope* opens one, elements with *prop* inside give its values."""

    def __init__(self, tree: Any, scope: str, kind: str, prop: str) -> None:
        self._tree, self._scope, self._kind, self._prop = tree, scope, kind, prop
        self._steps = MAX_STEPS

    def tops(self) -> list[Item]:
        """Return the items that are no property of another one, in document order."""
        elements = _bearing(self._scope)(self._tree)[:MAX_NODES]
        items = {element: self._open(element) for element in elements}
        if not items:
            return []
        owners = self._referred(items)
        for element in _bearing(self._prop)(self._tree)[:MAX_NODES]:
            owner = self._owner(element, items, owners)
            if owner is not None:
                self._add(items[owner], element, items.get(element))
        return [item for element, item in items.items() if not self._is_owned(element, items, owners)]

    def _open(self, element: Any) -> Item:
        kinds = (element.get(self._kind) or "").split()[:3]
        return {"@type": [short_name(kind) for kind in kinds]}

    def _referred(self, items: Mapping[Any, Item]) -> dict[Any, Any]:
        """Return the elements that an `itemref` hands to an item elsewhere."""
        names = {name: item for item in items for name in (item.get("itemref") or "").split()[:50]}
        if not names:
            return {}
        return {
            element: names[element.get("id")] for element in _bearing("id")(self._tree) if element.get("id") in names
        }

    def _owner(self, element: Any, items: Mapping[Any, Item], referred: Mapping[Any, Any]) -> Any:
        if element in referred:
            return referred[element]
        for ancestor in element.iterancestors():
            self._steps -= 1
            if self._steps < 0:
                return None
            if ancestor in items:
                return ancestor
            if ancestor in referred:
                return referred[ancestor]
        return None

    def _is_owned(self, element: Any, items: Mapping[Any, Item], referred: Mapping[Any, Any]) -> bool:
        """Say whether an item is another's property. One without the attribute stands alone even inside another."""
        return element.get(self._prop) is not None and self._owner(element, items, referred) is not None

    def _add(self, owner: Item, element: Any, nested: Item | None) -> None:
        if nested is owner:  # an itemref that names itself
            return
        value = nested if nested is not None else self._value(element)
        for name in (element.get(self._prop) or "").split()[:5]:
            owner.setdefault(short_name(name), []).append(value)

    def _value(self, element: Any) -> str:
        """Return a property's value by the rules of HTML: an attribute for links, media and times, else the text."""
        if (content := element.get("content")) is not None:
            return clean_text(str(content))
        for attribute in _VALUE_ATTRIBUTES.get(element.tag, ()):
            if (value := element.get(attribute)) is not None:
                return str(value)
        return "".join(self._texts(element))

    def _texts(self, element: Any) -> Iterator[str]:
        for event, node in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
            self._steps -= 1
            if self._steps < 0:
                return
            if event == "start" and node.text and node.tag not in ("script", "style"):
                yield node.text
            elif event != "start" and node.tail and node is not element:
                yield node.tail


@cache
def _bearing(attribute: str) -> etree.XPath:
    """Return what selects the elements with an attribute: compiled once, which takes longer than to walk a page."""
    return etree.XPath(f"/descendant::*[@{attribute}]")


_VALUE_ATTRIBUTES: dict[Any, tuple[str, ...]] = {
    **dict.fromkeys(("a", "area", "link"), ("href",)),
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), ("src",)),
    "object": ("data",),
    **dict.fromkeys(("data", "meter"), ("value",)),
    "time": ("datetime",),
}


def read_meta(tree: Any) -> dict[str, list[Node]]:
    """Return the texts of <meta> by property, name or itemprop."""
    places: dict[str, list[Node]] = {}
    for meta in _having(tree, "meta", "content"):
        names = dict.fromkeys(meta.get(attribute) for attribute in ("property", "name", "itemprop"))
        for name in filter(None, names):
            places.setdefault(f"meta:{_meta_name(name)}", []).append(clean_text(str(meta.get("content"))))
    return places


def read_link(tree: Any) -> dict[str, list[Node]]:
    """Return the addresses of <link> by rel."""
    places: dict[str, list[Node]] = {}
    for link in _having(tree, "link", "rel", "href"):
        for name in link.get("rel").lower().split()[:5]:
            if name in _LINKS:
                places.setdefault(f"link:{name}", []).append(str(link.get("href")))
    return places


def _having(tree: Any, tag: str, *attributes: str) -> Iterator[Any]:
    """Yield the first elements of a tag that have the attributes."""
    found = (one for one in tree.iter(tag) if all(one.get(name) is not None for name in attributes))
    return islice(found, MAX_NODES)


_LINKS = frozenset({"canonical", "next", "prev", "image_src", "author", "shortlink", "amphtml"})
"""The relations that can be a record's field; style sheets and icons can't."""


def _meta_name(name: str) -> str:
    return re.sub(r"[|\s]+", "_", name.strip().lower())
