"""JSON-LD: the scripts of a page, decoded and turned into items; `structured` calls `read_jsonld` once a page.

Sites write what is not quite JSON (comment marks, trailing commas): it is mended or passed over, never an error.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from gwc_crawler.extract.structured.structured_items import MAX_NODES, Item, Node, clean_text, places_of, short_name

MAX_SCRIPT_CHARS = 2_000_000
MAX_DEPTH = 8

_DECODER = json.JSONDecoder(strict=False, parse_float=str, parse_int=str, parse_constant=str)
_WRAPPING = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)\s*")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")


def read_jsonld(tree: Any) -> dict[str, list[Node]]:
    """Return the places of a page's JSON-LD; @graph and @id are followed."""
    tops = [top for text in _scripts(tree) for top in islice(_documents(text), MAX_NODES)]
    things = [thing for top in tops for thing in _things(top)]
    known = {thing["@id"]: thing for thing in things if isinstance(thing.get("@id"), str) and len(thing) > 1}
    reader = _JsonReader(known)
    return places_of("jsonld", [item for thing in things if (item := reader.item(thing, 0))])


def _scripts(tree: Any) -> Iterator[str]:
    for script in tree.iter("script"):
        kind = script.get("type") or ""
        if "ld+json" in kind.lower() and (text := script.text) and len(text) <= MAX_SCRIPT_CHARS:
            yield text


def _documents(text: str) -> Iterator[Any]:
    """Decode the JSON documents of one script: usually one, sometimes several in a row, sometimes not quite JSON."""
    text = _WRAPPING.sub("", text)
    position = 0
    while (position := _next_start(text, position)) >= 0:
        try:
            document, position = _DECODER.raw_decode(text, position)
        except RecursionError:
            return
        except ValueError:
            mended = _TRAILING_COMMA.sub("", text[position:])
            if len(mended) == len(text) - position:
                return
            text, position = mended, 0
            continue
        yield document


def _next_start(text: str, position: int) -> int:
    starts = [start for sign in "{[" if (start := text.find(sign, position)) >= 0]
    return min(starts, default=-1)


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
