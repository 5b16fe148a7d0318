"""The common form of structured data: items with properties, the places that lead into them, and their texts.

In come items as `structured_jsonld` and `structured_markup` read them; out come places, such as
`jsonld:Recipe/author/name`, with what lies there. `structured` calls these and makes addresses of the places.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

Node: TypeAlias = "str | Item"
Item: TypeAlias = "dict[str, list[Any]]"
"""A thing and its properties, each with all its values: texts or further items. Its types stand under "@type"."""

MAX_NODES = 20_000
"""Values and items read from one page and family; the rest is left unread."""
MAX_TOPS = 200
"""Items of one type that are no part of another item."""
MAX_SPLIT_CHARS = 20_000
"""Longer texts are not offered cut at commas or lines."""

_BLOCK_TAG = re.compile(
    r"</?(?:p|div|br|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|section|article|blockquote)\b[^<>]*>", re.I
)
_TAG = re.compile(r"<[/!]?[a-zA-Z-][^<>]*>")
_SPACE = re.compile(r"\s+")


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
    """Make page text of what is a text to a machine: entities resolved (sites escape twice), tags dropped.

    Block tags become line breaks, for the reading "|lines".
    """
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if "<" in text:
        text = _TAG.sub("", _BLOCK_TAG.sub("\n", text))
    return text


def fold_spaces(text: str) -> str:
    """Make one space of each run of white space."""
    return _SPACE.sub(" ", text).strip()


READINGS: dict[str, re.Pattern[str]] = {"lines": re.compile(r"\n"), "commas": re.compile(r"[,，、;；]")}


def is_cut(text: str, reading: str) -> bool:
    """Say whether the *reading* would cut the text at all."""
    return len(text) <= MAX_SPLIT_CHARS and READINGS[reading].search(text.strip()) is not None


def cut_text(text: str, reading: str) -> Iterator[str]:
    """Yield the parts of a text between commas or line breaks; nothing for a reading of another name."""
    pattern = READINGS.get(reading)
    if pattern and len(text) <= MAX_SPLIT_CHARS:
        yield from map(fold_spaces, pattern.split(text))


def texts_inside(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield texts, and of items their own text or name, or instead what is listed in them."""
    for node in nodes:
        if isinstance(node, str):
            yield fold_spaces(node)
        elif "itemListElement" in node:
            yield from texts_inside(node["itemListElement"])
        else:
            yield from texts_inside(node.get("text") or node.get("name") or node.get("item") or [])
