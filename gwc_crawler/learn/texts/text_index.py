"""The text of a sample page as one string without white space, with the node that each piece belongs to.

A value that a person typed is searched for in that string, so it is found also if it runs over several nodes or
differs in white space, width or quotes. Made once for each sample page, in one walk.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.nodes import SPACED_LABEL, UNSEEN

_WHITE = re.compile(r"[ \t\r\n]+")
DEEPEST = 400
"""Elements nested deeper are left out: real values stand higher, and paths to them would be as long."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A text node with visible text: `parent` contains it; it is the parent's text, or the tail of `after`."""

    parent: Any
    after: Any
    text: str
    start: int
    end: int


class TextIndex:
    """The squeezed text of a tree, but for elements *left_out*, with the ranges of its chunks and elements."""

    def __init__(self, root: Any, left_out: frozenset[str] = UNSEEN) -> None:
        self.root = root
        self._left_out = left_out
        self.chunks: list[Chunk] = []
        self.spans: dict[Any, tuple[int, int]] = {}
        self._pieces: list[str] = []
        self._length = 0
        self._walk(root)
        self.text = "".join(self._pieces)
        self._starts = [chunk.start for chunk in self.chunks]
        self._whole: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for chunk, piece in zip(self.chunks, self._pieces, strict=True):
            self._whole[piece].append((chunk.start, chunk.end))

    def _walk(self, root: Any) -> None:
        stack: list[tuple[Any, int]] = [(root, -1)]
        depth = 0
        while stack:
            node, start = stack.pop()
            if start >= 0:
                self.spans[node] = (start, self._length)
                depth -= 1
                self._add(node.tail, node.getparent(), node) if node is not root else None
                continue
            if not isinstance(node.tag, str) or node.tag in self._left_out or depth >= DEEPEST:
                if node is not root:
                    self._add(node.tail, node.getparent(), node)
                continue
            depth += 1
            stack.append((node, self._length))
            self._add(node.text, node, None)
            stack.extend((child, -1) for child in reversed(node))

    @cached_property
    def said(self) -> list[str]:
        """The `label_text` of each chunk."""
        return list(map(label_text, self.chunks))

    def said_in(self, longest: int) -> list[str]:
        """Return the `label_text` of each chunk of at most *longest* visible characters."""
        return [text for chunk, text in zip(self.chunks, self.said, strict=True) if chunk.end - chunk.start <= longest]

    def _add(self, text: str | None, parent: Any, after: Any) -> None:
        if not text or text.isspace() or not (plain := squeeze(text)):
            return
        self.chunks.append(Chunk(parent, after, text, self._length, self._length + len(plain)))
        self._pieces.append(plain)
        self._length += len(plain)

    @cached_property
    def times(self) -> Counter[tuple[str, str]]:
        """How many elements have an id or a class."""
        counts: Counter[tuple[str, str]] = Counter()
        for element in self.spans:
            counts.update(("class", token) for token in (element.get("class") or "").split())
            counts["id", element.get("id") or ""] += 1
        return counts

    def hits(self, plain: str, limit: int = 60) -> list[tuple[int, int]]:
        """Return the ranges of the squeezed text *plain*, in page order; whole text nodes are all among them."""
        whole = self._whole.get(plain, [])[:limit]
        return sorted({*whole, *self.find(plain, limit)})

    def find(self, plain: str, limit: int = 60) -> Iterator[tuple[int, int]]:
        """Yield the first ranges where the squeezed text *plain* stands, at most *limit*."""
        at = self.text.find(plain) if plain else -1
        while at >= 0 and limit > 0:
            yield at, at + len(plain)
            limit -= 1
            at = self.text.find(plain, at + 1)

    def chunk_at(self, position: int) -> int:
        """Return the number of the chunk that holds *position*."""
        return max(0, bisect_right(self._starts, position) - 1)

    def first_chunk(self, node: Any) -> int:
        """Return the number of the first chunk in an element; of one without text, of the next one behind it."""
        start, end = self.spans.get(node, (0, 0))
        number = self.chunk_at(start) if node in self.spans else 0
        is_before = start == end and node in self.spans and self.chunks and self.chunks[number].start < start
        return number + 1 if is_before else number

    def cover(self, start: int, end: int) -> Any:
        """Return the smallest element whose text holds the whole range."""
        node = self.chunks[self.chunk_at(start)].parent
        while node is not None:
            span = self.spans.get(node)
            if span is not None and span[0] <= start and end <= span[1]:
                return node
            node = node.getparent()
        return self.root


def element_of(node: Any) -> Any:
    """Return the element itself, or that in which a text stands: of one behind an element the parent of that."""
    if not isinstance(node, str):
        return node
    beside = node.getparent()  # type: ignore[attr-defined]  # lxml's smart strings
    return beside.getparent() if node.is_tail else beside  # type: ignore[attr-defined]


def label_text(chunk: Chunk) -> str:
    """Return a text node's text as XPath's `normalize-space()` gives it."""
    return xml_fold(chunk.text)


def xml_fold(text: str) -> str:
    """Fold white space as XPath does: blank, tab, line feed and carriage return only."""
    return _WHITE.sub(" ", text).strip(" ")


def heading_text(heading: Any) -> str:
    """Return the first text in a heading that has a letter, else the first text; "" if it has none."""
    texts = [text for text in islice(heading.itertext(), 4) if not text.isspace()]
    return xml_fold(next((text for text in texts if any(map(str.isalpha, text))), next(iter(texts), "")))


_LONGEST_NUMBER = 6
_BRACKETS = {"【": "】", "［": "］", "[": "]", "〔": "〕"}
_SPACED_LABEL = re.compile(SPACED_LABEL)


def heading_chunk(index: TextIndex, span: tuple[int, int]) -> Chunk | None:
    """Return the first text of a heading, behind a number in an element of its own; None if it has no text."""
    number = index.chunk_at(span[0])
    for chunk in index.chunks[number : number + 2]:
        if chunk.start >= span[1] or chunk.start - span[0] > _LONGEST_NUMBER:
            return None
        if any(map(str.isalpha, chunk.text)):
            return chunk if chunk.start >= span[0] else None
    return None


def prefix_ends(text: str) -> Iterator[int]:
    """Yield the positions at which a leading label may end: behind the first colon-like sign after a word, not "(>=" 3;
    behind brackets that begin the text: "【Issued】 2008"; or behind a wide blank: "◎导　演　Zhang"."""
    if spaced := _SPACED_LABEL.match(text):
        yield spaced.end() + 1
        return
    closing = _BRACKETS.get(text[:1], "")
    for place, sign in enumerate(text):
        if sign in (closing or ":：=-–|") and place >= 2 and any(map(str.isalnum, text[:place])):
            yield place + 1
            return
