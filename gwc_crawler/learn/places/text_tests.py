"""A text that has its label within: before the value, among others in the line, or behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from gwc_crawler.items import Family
from gwc_crawler.learn.places.steps import Address, quote, step_name
from gwc_crawler.learn.texts import (
    LABEL_PREFIX,
    LONGEST_LINE,
    Chunk,
    Shared,
    TextIndex,
    ending_of,
    label_text,
    leads_beside,
    prefix_ends,
)

_SIGN_COST, _AMID_COST, _WORDS_COST = 1.6, 1.7, 1.8
"""What it costs to go by words up to a sign, by one of the labels in a line, and by words that nothing parts from the
value, or behind it."""
_SEVERAL_LEADS = 2
"""Beside a label that begins a text, and that no other page has, so many others are such as several pages have."""
_MOST_INSIDE = 8
_BRACKETS = ("】", "］", "]", "〕")
_TEXT_IN = re.compile(r"//[a-z][a-z0-9]*/(?=text\(\)\[)")
_BY_ITS_WORDS = re.compile(r"/text\(\)\[(?:starts-with\()?normalize-space\(\)[^/]*$")
_ANY_PARENT_COST = 0.1


def beginnings(index: TextIndex, shared: Shared, target: Chunk) -> Iterator[tuple[str, float]]:
    """The words that a text begins with before its value, and what it costs to go by them: "Issued:", "ISO "."""
    prefix = label_text(target)[:LABEL_PREFIX]
    for end in prefix_ends(prefix):
        lead = prefix[:end].strip()
        beside = sum(map(shared.is_prefix, leads_beside(index, target)))
        if shared.is_prefix(lead) or beside >= _SEVERAL_LEADS:
            yield lead, _SIGN_COST
    yield from ((words, _WORDS_COST) for words in shared.words_before(prefix))


def begun_with_label(index: TextIndex, shared: Shared, node: Any) -> Iterator[Address]:
    """The address of an element by the label in brackets with which its first text begins, and that tells it from its
    likes: "【Usage】 two tablets", with links or without."""
    chunk = next(iter(index.chunks[index.first_chunk(node) :]), None)
    name = step_name(node)
    if chunk is None or chunk.parent is not node or chunk.after is not None or name == "*":
        return
    for words, cost in beginnings(index, shared, chunk):
        if words.endswith(_BRACKETS) and (quoted := quote(words)) is not None:
            yield Address(Family.LABEL, f"//{name}[starts-with(normalize-space(),{quoted})]", cost)


def tests_of_other_parts(shared: Shared, target: Chunk) -> Iterator[tuple[str, float]]:
    """Tests for one of several labels within a line, "Size: 12 mm Colour: red", and for what is behind the value."""
    text = label_text(target)
    labels = shared.labels_inside(text) if target.end - target.start <= LONGEST_LINE else []
    parts = [(one, _AMID_COST) for one in labels[:_MOST_INSIDE]] if len(labels) > 1 else []
    if (ending := ending_of(text)) and shared.is_ending(ending):
        parts.append((ending, _WORDS_COST))
    for part, cost in parts:
        if quoted := quote(part):
            yield f"contains(normalize-space(),{quoted})", cost


def of_a_label(addresses: Iterable[Address], label: Chunk, shared: Shared) -> Iterator[Address]:
    """The addresses of a label's text that go by what it says, also whatever it stands in: a paragraph in one layout, a
    cell in another; and by all of it, where it is a line of its own. The third line may say anything."""
    for one in addresses:
        if one.family is Family.LABEL and _BY_ITS_WORDS.search(one.path):
            yield one
            if begin := _TEXT_IN.match(one.path):
                yield Address(Family.LABEL, f"//{one.path[begin.end() :]}", one.cost + _ANY_PARENT_COST)
    text = label_text(label)
    if shared.is_shared_text(text) and (quoted := quote(text)):
        yield Address(Family.LABEL, f"//text()[normalize-space()={quoted}]", _SIGN_COST)
