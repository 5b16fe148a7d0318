"""The data on a page for programs: JSON-LD, microdata, RDFa, meta tags, as items with properties."""

from __future__ import annotations

import html
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import Any, TypeAlias

from lxml import etree

from gwc_crawler.page.text import fold

Node: TypeAlias = "str | Item"
Item: TypeAlias = "dict[str, list[Any]]"
"""A thing and its properties, each with all its values: texts or further items. Its types stand under "@type"."""

MAX_NODES = 20_000
"""Values and items read from one page and family, and elements looked at for its marks; the rest is left unread."""
MAX_TOPS = 200  # items of one type that are no part of another item
MAX_SPLIT_CHARS = 20_000  # longer texts are not offered cut at commas or lines

_BLOCK_TAG = re.compile(
    r"</?(?:p|div|br|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|section|article|blockquote)\b[^<>]*>", re.I
)
_TAG = re.compile(r"<[/!]?[a-zA-Z-][^<>]*>")


def places_of(family: str, items: Iterable[Item]) -> dict[str, list[Node]]:
    """List every place reachable from the top items: of the first item of a type that has it, and of all ("*")."""
    by_type: dict[str, list[Item]] = {}
    for item in items:
        for kind in dict.fromkeys(item.get("@type") or ["Thing"]):
            known = by_type.setdefault(kind, [])
            if len(known) < MAX_TOPS and item not in known:  # two plugins that write the same block
                known.append(item)
    places: dict[str, list[Node]] = {}
    for kind, tops in by_type.items():
        for top in tops:
            for path, nodes in _walk(top).items():
                places.setdefault(f"{family}:{kind}{path}", nodes)
        if len(tops) > 1:
            for top in tops:
                for path, nodes in _walk(top).items():
                    places.setdefault(f"{family}:{kind}*{path}", []).extend(nodes)
    return places


def _walk(item: Item) -> dict[str, list[Node]]:
    """Return path → nodes for an item and all below it; "" is the item itself."""
    places: dict[str, list[Node]] = {"": [item]}
    waiting = deque([("", item)])
    while waiting:
        path, holder = waiting.popleft()
        for name, nodes in holder.items():
            if name != "@type":
                places.setdefault(f"{path}/{name}", []).extend(nodes)
                waiting.extend((f"{path}/{name}", node) for node in nodes if isinstance(node, dict))
    return places


@lru_cache(maxsize=4096)
def short_name(name: str) -> str:
    """Cut a vocabulary prefix: https://schema.org/Product, schema:Product → Product; signs of our own are taken out."""
    name = re.split(r"[/#]", name.strip().rstrip("/#"))[-1].removeprefix("schema:")
    return re.sub(r"[|*\s]+", "_", name) or "Thing"


def clean_text(text: str) -> str:
    """Convert a machine's text to page text: entities resolved (sites escape twice), block tags line breaks."""
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if "<" in text:
        text = _TAG.sub("", _BLOCK_TAG.sub("\n", text))
    return text


READINGS: dict[str, re.Pattern[str]] = {"lines": re.compile(r"\n"), "commas": re.compile(r"[,，、;；]")}


def is_cut(text: str, reading: str) -> bool:
    """Say whether the *reading* would cut the text at all."""
    return len(text) <= MAX_SPLIT_CHARS and READINGS[reading].search(text.strip()) is not None


def cut_text(text: str, reading: str) -> Iterator[str]:
    """Yield the parts of a text between commas or line breaks; nothing for a reading of another name."""
    pattern = READINGS.get(reading)
    if pattern and len(text) <= MAX_SPLIT_CHARS:
        yield from map(fold, pattern.split(text))


def texts_inside(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield texts; for items their own text or name, or instead their list's entries."""
    for node in nodes:
        if isinstance(node, str):
            yield fold(node)
        elif "itemListElement" in node:
            yield from texts_inside(node["itemListElement"])
        else:
            yield from texts_inside(node.get("text") or node.get("name") or node.get("item") or [])


# --- JSON-LD ----------------------------------------------------------------------------------------------------------

MAX_SCRIPT_CHARS = 2_000_000
MAX_DEPTH = 8

_DECODER = json.JSONDecoder(strict=False, parse_float=str, parse_int=str, parse_constant=str)
_WRAPPING = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)\s*")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_START = re.compile(r"[{\[]")


def read_jsonld(tree: Any) -> dict[str, list[Node]]:
    """Return the places of a page's JSON-LD; @graph and @id are followed."""
    tops = [top for text in scripts(tree) for top in islice(documents(text), MAX_NODES)]
    things = [thing for top in tops for thing in _things(top)]
    known = {thing["@id"]: thing for thing in things if isinstance(thing.get("@id"), str) and len(thing) > 1}
    reader = _JsonReader(known)
    return places_of("jsonld", [item for thing in things if (item := reader.item(thing, 0))])


def scripts(tree: Any, kind: str = "ld+json") -> Iterator[str]:
    """Yield the texts of the scripts inside *tree* whose type has *kind* in it; too large ones are left out."""
    for script in tree.iter("script"):
        if kind in (script.get("type") or "").lower() and (text := script.text) and len(text) <= MAX_SCRIPT_CHARS:
            yield text


def documents(text: str, decoder: json.JSONDecoder = _DECODER) -> Iterator[Any]:
    """Decode the JSON documents of one script: usually one, sometimes several in a row, sometimes not quite JSON."""
    text = _WRAPPING.sub("", text)
    position = 0
    while begun := _START.search(text, position):
        position = begun.start()
        try:
            document, position = decoder.raw_decode(text, position)
        except RecursionError:
            return
        except ValueError:
            mended = _TRAILING_COMMA.sub("", text[position:])
            if len(mended) == len(text) - position:
                return
            text, position = mended, 0
            continue
        yield document


class _Written(float):
    """A number of JSON that knows how it is written there: "11.50"."""

    text: str

    def __new__(cls, text: str) -> _Written:
        """Make one of the digits that stand there."""
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __str__(self) -> str:
        return self.text


_Written.__name__ = "float"  # by which JMESPath's functions know a number

EXACT = json.JSONDecoder(strict=False, parse_float=_Written)  # decodes numbers as numbers that keep their written text


def json_in(tree: Any) -> Iterator[Any]:
    """Yield the JSON documents in the scripts inside *tree*, in page order, whatever they hold."""
    for text in scripts(tree, "json"):
        yield from islice(documents(text, EXACT), MAX_NODES)


def _things(top: Any) -> Iterator[dict[str, Any]]:
    """Yield the top-level objects of a document: itself, its list's members, its @graph's members."""
    waiting, count = deque([top]), 0
    while waiting and count < MAX_NODES:
        count += 1
        one = waiting.popleft()
        if isinstance(one, list):
            waiting.extendleft(reversed(one))
        elif isinstance(one, dict):
            if isinstance(graph := one.get("@graph"), list | dict):
                waiting.appendleft(graph)
            else:
                yield one


class _JsonReader:
    """Turn decoded JSON into items; `known` are the things that an `{"@id": …}` may stand for."""

    def __init__(self, known: Mapping[str, dict[str, Any]]) -> None:
        self._known = known
        self._left = MAX_NODES

    def item(self, thing: dict[str, Any], depth: int, *, referred: bool = False) -> Item | None:
        """Return *thing* as an item; None beyond the limits. Inside a *referred* thing no reference is followed."""
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            return None
        name = thing.get("@id")
        if depth and not referred and isinstance(name, str) and thing.keys() <= {"@id", "@type", "name"}:
            thing, referred = {**self._known.get(name, {}), **thing}, True
        item: Item = {"@type": list(map(short_name, _types(thing.get("@type"))))}
        for key, value in thing.items():
            if key not in _NO_PROPERTIES and (nodes := list(self._nodes(value, depth + 1, referred))):
                item.setdefault(short_name(key), []).extend(nodes)
        return item

    def _nodes(self, value: Any, depth: int, referred: bool) -> Iterator[Node]:
        if isinstance(value, dict):
            if isinstance(value.get("@value"), str):
                yield clean_text(value["@value"])
            elif item := self.item(value, depth, referred=referred):
                yield item
        elif isinstance(value, list):
            if depth <= MAX_DEPTH:
                for one in value:
                    yield from self._nodes(one, depth + isinstance(one, list), referred)
        elif value is not None and self._left > 0:
            self._left -= 1
            yield clean_text(value) if isinstance(value, str) else str(value).lower()


_NO_PROPERTIES = frozenset({"@type", "@context", "@reverse"})


def _types(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str) and one][:3]


# --- What elements say of a page by their attributes ------------------------------------------------------------------

MAX_STEPS = 200_000  # tree steps spent on the scopes and texts of one page's microdata or RDFa


class _ScopeReader:
    """Items in attributes (microdata, RDFa): *scope* opens one, elements with *prop* inside give its values."""

    def __init__(self, tree: Any, scope: str, kind: str, prop: str) -> None:
        self._tree, self._scope, self._kind, self._prop = tree, scope, kind, prop
        self._steps = MAX_STEPS

    def tops(self) -> list[Item]:
        """Return the items that are no property of another one, in document order."""
        elements = _bearing(self._scope)(self._tree)[:MAX_NODES]
        types = {element: (element.get(self._kind) or "").split()[:3] for element in elements}
        items: dict[Any, Item] = {element: {"@type": list(map(short_name, kinds))} for element, kinds in types.items()}
        if not items:
            return []
        owners = self._referred(items)
        for element in _bearing(self._prop)(self._tree)[:MAX_NODES]:
            owner = self._owner(element, items, owners)
            if owner is not None and owner is not element:  # an itemref may name itself
                value = items.get(element) or self._value(element)
                for name in (element.get(self._prop) or "").split()[:5]:
                    items[owner].setdefault(short_name(name), []).append(value)
        # an item without the attribute stands alone even inside another
        has_prop = (one for one in items if one.get(self._prop) is not None)
        owned = {one for one in has_prop if self._owner(one, items, owners) is not None}
        return [item for element, item in items.items() if element not in owned]

    def _referred(self, items: Mapping[Any, Item]) -> dict[Any, Any]:
        """Return the elements that an `itemref` hands to an item elsewhere."""
        names = {name: item for item in items for name in (item.get("itemref") or "").split()[:50]}
        referred = _bearing("id")(self._tree) if names else ()
        return {element: names[name] for element in referred if (name := element.get("id")) in names}

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
    """Return the XPath of elements with an attribute; compiled once, as that takes longer than to walk a page."""
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
            place = "meta:" + re.sub(r"[|\s]+", "_", name.strip().lower())
            places.setdefault(place, []).append(clean_text(str(meta.get("content"))))
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


# --- Read a page's own data in JSON-LD, microdata, RDFa and meta tags -------------------------------------------------

_READERS: dict[str, Callable[[Any], dict[str, list[Node]]]] = {
    "jsonld": read_jsonld,
    "microdata": lambda tree: places_of("microdata", _ScopeReader(tree, "itemscope", "itemtype", "itemprop").tops()),
    "rdfa": lambda tree: places_of("rdfa", _ScopeReader(tree, "typeof", "typeof", "property").tops()),
    "meta": read_meta,
    "link": read_link,
}


class StructuredData:
    """The structured data of one parsed page, read on demand and kept; make one for each tree, before changing it."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree
        self._read: dict[str, dict[str, list[Node]]] = {}

    def get(self, address: str) -> list[str]:
        """Return the values that *address* gives, [] if there are none (or the address is of no known family)."""
        place, _, reading = address.partition("|")
        deep = place.endswith("//")
        nodes = self._places(place.partition(":")[0]).get(place.removesuffix("//"), [])
        if reading:
            values = [part for text in nodes if isinstance(text, str) for part in cut_text(text, reading)]
        else:
            values = list(texts_inside(nodes)) if deep else [fold(node) for node in nodes if isinstance(node, str)]
        return [value for value in values if value]

    def values(self) -> dict[str, list[str]]:
        """Return every address with its values."""
        return {address: values for address in self._addresses() if (values := self.get(address))}

    def _addresses(self) -> Iterator[str]:
        for family in _READERS:
            for place, nodes in self._places(family).items():
                texts = [node for node in nodes if isinstance(node, str)]
                if texts:
                    yield place
                if len(texts) < len(nodes) and "/" in place:
                    yield f"{place}//"
                if len(nodes) == 1 and texts:
                    yield from (f"{place}|{reading}" for reading in READINGS if is_cut(texts[0], reading))

    def _places(self, family: str) -> dict[str, list[Node]]:
        """Return the family's places and the nodes that lie there, read once."""
        if family not in self._read:
            self._read[family] = _READERS[family](self._tree) if family in _READERS else {}
        return self._read[family]
