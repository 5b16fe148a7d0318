"""The places of a sample's value on its page: text nodes, elements and attributes that are or hold it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lxml import etree

from gwc_crawler.extract.fields import holds_address, is_url, said_by, same_url, same_value, squeeze
from gwc_crawler.extract.locator import COUNT, RUN, Run
from gwc_crawler.extract.nodes import LEVELS, heading_level, text_of
from gwc_crawler.knowledge.form import ends_section
from gwc_crawler.learn.degrees import A_HANDFUL, MANY, NAME_LENGTH
from gwc_crawler.learn.places.steps import kind_of_element
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.texts.shared import heading_before
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex

HEADS = (24, 12, 6)
"""Lengths of a value's beginning to search for if the value does not stand as a whole: a mark may come soon."""
MOST_POINTS = (5, 10)
"""Numbers that a bar of full width may stand for, besides 100; as many icons may stand in a row."""
RUN_TAGS = frozenset({"p", "dd"})
"""Tags of texts that go on in another element of the same form."""
READ_WHOLE = ("text", "apart")
LEAST_PROSE = 30
"""Characters from which on, on average, texts are prose rather than names."""
SECTION = "after:like"
"""The way to read what stands under a heading, up to the next one of its kind."""
ENDS = frozenset({"footer", "hr", "nav"})
"""Elements with which a page's last section ends."""
NESTED = ("dl", "ol", "ul")
"""Tags inside an item that are not its own text: one item has quotations in a list, another examples below a term."""
HELD_TIMES = 40
"""Maximum length of a useful element that holds a value, in lengths of the value."""


@dataclass(frozen=True, slots=True)
class Place:
    """A node and how to read it. `chunk` is set where a single text node is meant instead of an element."""

    node: Any
    read: str = "text"
    drop: tuple[str, ...] = ()
    chunk: Chunk | None = None
    whole: bool = True
    whole_parent: bool = False
    """The chunk is all the text of its element: then the element is the better choice."""


def find_places(context: ExampleContext) -> list[Place]:
    """Return all places of a text value in the context's scope: the whole text first, then parts, then attributes."""
    index, value = context.at.index, str(context.wanted)
    start, end = scope_range(index, context.scope)
    plain = squeeze(value)
    if not plain:
        return []
    hits = [hit for hit in index.hits(plain) if start <= hit[0] and hit[1] <= end]
    exact = list(islice(_exact_places(index, hits, context.scope), 3 * MANY))
    parts = list(islice(_part_places(index, hits), MANY))
    if not exact and not parts:
        exact = list(_gapped_places(context, plain))
    attributes = list(islice(_attribute_places(context, value, plain), A_HANDFUL))
    is_word = len(value) <= NAME_LENGTH and " " not in value.strip()
    signs = list(islice(_sign_places(context, value), MANY)) if is_word else []
    return exact + parts + attributes + signs


def stands_on(text: str, at: LearnPage) -> bool:
    """Say whether a text stands on the page: in its text, an attribute, or structured data."""
    if find_places(ExampleContext(at, text)):
        return True
    return any(same_value(found, text) for values in at.structured.values().values() for found in values)


def scope_range(index: TextIndex, scope: Any) -> tuple[int, int]:
    """Return the range of the squeezed text that a scope covers."""
    if scope is None:
        return 0, len(index.text)
    if not isinstance(scope, Run):
        return index.spans.get(scope, (0, 0))
    spans = [index.spans[member] for member in scope.members if member in index.spans]
    if not spans or not index.chunks:
        return 0, 0
    start, last = min(span[0] for span in spans), max(span[1] for span in spans)
    tail = index.chunks[index.chunk_at(last)]  # the last member's
    return start, tail.end if tail.start == last and tail.after in scope.members else last


def _exact_places(index: TextIndex, hits: Sequence[tuple[int, int]], scope: Any) -> Iterator[Place]:
    for start, end in hits:
        chunk = index.chunks[index.chunk_at(start)]
        if (chunk.start, chunk.end) == (start, end):
            yield Place(chunk.parent, chunk=chunk, whole_parent=index.spans[chunk.parent] == (start, end))
            if index.spans[chunk.parent] != (start, end) and _begins_element(chunk, index, start):
                yield Place(chunk.parent, whole=False)
        node = index.cover(start, end)
        while node is not None and index.spans.get(node) == (start, end):
            yield Place(node)
            yield Place(node, "apart")
            if node.tag in RUN_TAGS and end - start >= LEAST_PROSE:
                yield Place(node, RUN)
            if (heading := heading_before(node, index, start)) is not None:
                yield Place(heading, SECTION)
                if (beside := next(node.itersiblings("*"), None)) is not None and beside.tag in ENDS:
                    yield Place(heading, f"{SECTION},{beside.tag}")
            if node is scope:
                break
            node = node.getparent()


def _begins_element(chunk: Chunk, index: TextIndex, start: int) -> bool:
    """Say whether a value begins an element that has others inside: on other pages it may run on into them."""
    return chunk.after is None and len(chunk.parent) > 0 and index.spans[chunk.parent][0] == start


def _part_places(index: TextIndex, hits: Sequence[tuple[int, int]]) -> Iterator[Place]:
    for start, end in hits:
        chunk = index.chunks[index.chunk_at(start)]
        if chunk.start <= start and end <= chunk.end:
            if (chunk.start, chunk.end) != (start, end):
                yield Place(chunk.parent, chunk=chunk, whole=False)
                if _begins_element(chunk, index, start):
                    yield Place(chunk.parent, whole=False)
            continue
        node = index.cover(start, end)
        span = index.spans[node]
        if span == (start, end):
            continue
        yield from _run_places(index, node, start, end)
        if span[1] - span[0] <= HELD_TIMES * (end - start):
            yield Place(node, whole=False)
            yield Place(node, "apart", whole=False)
            for drop in _drops(index, node, start, end):
                if node.tag == "li" and drop in NESTED:
                    yield Place(node, "apart", NESTED)
                yield Place(node, "apart", (drop,))


def _run_places(index: TextIndex, node: Any, start: int, end: int) -> Iterator[Place]:
    """Yield places if several neighbouring nodes make up the value: all of one name, or from one up to another."""
    spans = [(child, index.spans[child]) for child in node if child in index.spans]
    inside = [child for child, span in spans if start <= span[0] < span[1] <= end]
    if len(inside) > 1 and len({child.tag for child in inside}) == 1 and index.spans[inside[0]][0] == start:
        yield Place(inside[0], "all")
        if inside[0].tag in RUN_TAGS:
            yield Place(inside[0], RUN)
    before = [child for child, span in spans if span[1] <= start]
    before = [child for child, span in spans if span[0] < span[1] <= start] or before
    after = [child for child, span in spans if span[0] >= end]
    between = index.text[index.spans[before[-1]][1] : start] if before else ""
    if before and (not inside or (len(between) <= 1 and not between.isalnum())):  # but a sign, such as a colon
        stop = after[0].tag if after else "-"
        yield Place(before[-1], SECTION)
        if stop in {one.tag for one in inside} and (names := (after[0].get("class") or "").split()):
            yield Place(before[-1], f"{SECTION},{stop}.{names[0]}")
        if heading_level(before[-1]) and stop not in LEVELS:
            stop = f"like,{stop}"  # of the last section on the page: elsewhere others follow
        if all(map(ends_section, stop.split(","))):
            yield Place(before[-1], f"after:{stop}")
        if before[-1].tag not in stop.split(",") and ends_section(before[-1].tag):
            yield Place(before[-1], f"after:{before[-1].tag}")


def _drops(index: TextIndex, node: Any, start: int, end: int) -> Iterator[str]:
    """Yield kinds of elements inside *node* that stand before or after the value, and that would be left out."""
    for inner in islice(node.iterdescendants(), 60):
        span = index.spans.get(inner)
        if span and span[0] < span[1] and (span[1] <= start or span[0] >= end):
            yield kind_of_element(inner)
            return


def _gapped_places(context: ExampleContext, plain: str) -> Iterator[Place]:
    """Yield places where the value is an element's text without an element inside it (a footnote mark, a badge)."""
    index = context.at.index
    for head in dict.fromkeys(plain[: max(HEADS[-1], min(length, len(plain) // 3))] for length in HEADS):
        found = [place for start, _ in index.find(head, limit=8) for place in _around_gaps(context, plain, head, start)]
        yield from found
        if found:
            return


def _around_gaps(context: ExampleContext, plain: str, head: str, start: int) -> Iterator[Place]:
    index = context.at.index
    node = index.cover(start, start + len(plain))
    if node is None or index.spans[node][1] - index.spans[node][0] > 3 * len(plain) + 200:
        node = index.cover(start, start + len(head))
    for outer in (node, node.getparent()):
        if outer is None or outer not in index.spans or not _is_within(outer, context.scope):
            continue
        gap = index.spans[outer][1] - index.spans[outer][0] - len(plain)
        sizes = _sizes(index, outer) if gap > 0 else Counter()
        inner = (one for one in islice(outer.iterdescendants(), 80) if isinstance(one.tag, str))
        for drop in dict.fromkeys(kind for one in inner for kind in _kinds_of(one)):
            for read in ("text", "apart") if sizes[drop] >= gap > 0 else ():
                if squeeze(text_of(outer, apart=read == "apart", drop=frozenset((drop,)))) == plain:
                    yield Place(outer, read, (drop,))


def _sizes(index: TextIndex, outer: Any) -> Counter[str]:
    """Sum the lengths of the texts inside by kind of element; elements within each other count twice."""
    sizes: Counter[str] = Counter()
    for inner in outer.iterdescendants(etree.Element):
        start, end = index.spans.get(inner, (0, 0))
        for kind in _kinds_of(inner):
            sizes[kind] += end - start
    return sizes


def _is_within(node: Any, scope: Any) -> bool:
    """Tell whether a node belongs to a scope: the same text may stand outside, behind a record."""
    tops = scope.members if isinstance(scope, Run) else (scope,)
    return scope is None or any(one is top for one in (node, *node.iterancestors()) for top in tops)


def _kinds_of(element: Any) -> Iterator[str]:
    yield element.tag
    yield from (f"{element.tag}.{token}" for token in (element.get("class") or "").split()[:3])


def _attribute_places(context: ExampleContext, value: str, plain: str) -> Iterator[Place]:
    """Yield attributes that are the value (addresses: once made absolute), then those that hold it."""
    page, address = context.at, is_url(value)
    holding: list[Place] = []
    # A short value has to stand alone, as the 3 of "3 of 5 stars".
    alone = re.compile(rf"(?<![\w.]){re.escape(value)}(?![\w.]*\w)" if len(plain) <= 2 else "")
    for element in _scope_elements(context):
        if address:
            same = (name for name, said in page.addresses(element) if same_url(said, value))
            yield from (Place(element, f"@{name}") for name in same)
        for name, text in element.attrib.items():
            if name in ("class", "style") or not text or ":" in name:  # XPath can't ask for names of other spaces
                continue
            if address and holds_address(name):
                continue
            if len(text) <= 4 * len(value) + 200 and value[:1] in text and value in text:
                if squeeze(text) == plain:
                    yield Place(element, f"@{name}")
                elif alone.search(text) and len(text) <= len(value) + 4 * NAME_LENGTH:
                    holding.append(Place(element, f"@{name}", whole=False))
    yield from holding


def _sign_places(context: ExampleContext, value: str) -> Iterator[Place]:
    """Yield signs that show a value without text ("4.5", "Three"): the end of a class name, a bar's width, icons."""
    value = value.strip()
    is_number = value.replace(".", "", 1).isdigit()
    icons = int(value) if value.isdigit() and 0 < int(value) <= MOST_POINTS[-1] else 0
    for element in _scope_elements(context):
        if value in (classes := element.get("class") or ""):
            yield from _class_places(element, classes.split(), value)
        if is_number and "width" in (style := element.get("style") or ""):
            for most in MOST_POINTS:
                if said_by(f"style:width/{most}", style) == value:
                    yield Place(element, f"@style:width/{most}")
            if said_by("style:width", style) in (value, f"{value}%"):
                yield Place(element, "@style:width", whole=False)
        if icons and len(element) >= icons:
            yield from (Place(likes[0], COUNT) for likes in _icons(element, context.at.index) if len(likes) == icons)


def _class_places(element: Any, classes: list[str], value: str) -> Iterator[Place]:
    for token in classes:
        beginning = token.removesuffix(value)
        if not beginning:
            yield Place(element, "@class", whole=False)
            continue
        may_precede = not beginning[-1].isalnum() or (value[0].isdigit() and beginning[-1].isalpha())
        if beginning != token and any(map(str.isalpha, beginning)) and may_precede:  # "star-"; "stars" before a number
            yield Place(element, f"@class:{beginning}")


def _icons(element: Any, index: TextIndex) -> list[list[Any]]:
    """Return the children without a text, those that look alike together."""
    likes: dict[tuple[str, ...], list[Any]] = {}
    for child in element:
        start, end = index.spans.get(child, (0, 1))
        if start == end:
            likes.setdefault((child.tag, child.get("class") or "", child.get("src") or ""), []).append(child)
    return list(likes.values())


def _scope_elements(context: ExampleContext) -> Iterator[Any]:
    index = context.at.index
    scope = index.root if context.scope is None else context.scope
    for top in scope.members if isinstance(scope, Run) else (scope,):
        yield from (node for node in top.iter() if isinstance(node.tag, str))
