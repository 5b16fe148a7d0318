"""Examples for learning: a page (or a record's scope on it) and the value that should be read there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from gwc_crawler.extract.fields import is_blank
from gwc_crawler.extract.locator import WHOLE_READS, read_nodes, select
from gwc_crawler.extract.nodes import UNREAD, UNSEEN
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import ValueShape
from gwc_crawler.learn.texts.text_index import TextIndex
from gwc_crawler.page.text import fold
from gwc_crawler.sites.samples import shape_of

T = TypeVar("T")


class LearnPage(PageView):
    """A page during learning, without the text in the elements *left_out*; what paths select there is remembered."""

    def __init__(self, tree: Any, url: str = "", left_out: frozenset[str] = UNSEEN) -> None:
        super().__init__(tree, url)
        self.selected: dict[Any, Sequence[Any]] = {}
        self._left_out = left_out

    @cached_property
    def index(self) -> TextIndex:
        """The page's text, and where it stands."""
        return TextIndex(self.tree, self._left_out)

    @cached_property
    def with_unseen(self) -> LearnPage:
        """The page with the text that a browser does not show."""
        return LearnPage(self.tree, self.url, UNREAD)

    @cached_property
    def every_text(self) -> list[str]:
        """The texts of all text nodes, also of those that a browser does not show, white space folded."""
        index = self.with_unseen.index
        return [fold(chunk.text) for chunk in index.chunks]

    def shows(self, text: str) -> bool:
        """Say whether *text*, squeezed, stands on the page."""
        return text in self.index.text

    def select(self, path: str, scope: Any = None) -> Sequence[Any]:
        """Return the nodes that `locator.select` selects."""
        if scope is None:
            return select(path, self)
        key = path, scope
        if key not in self.selected:
            self.selected[key] = select(path, self, scope)
        return self.selected[key]

    def texts(self, path: str, read: str, drop: tuple[str, ...], scope: Any, limit: int) -> list[str]:
        """Return the texts that `Locator.texts` reads."""
        nodes = self.select(path, scope)
        if limit and read not in WHOLE_READS:
            nodes = nodes[:limit]
        return read_nodes(nodes, read, drop, self)


@dataclass(frozen=True, slots=True)
class ExampleContext:
    """One example: `wanted` should be read in `scope` (None: the whole page; an element or a Run: a record)."""

    at: LearnPage
    wanted: Any
    scope: Any = None

    @property
    def empty(self) -> bool:
        """The page (or record) does not have the value."""
        return is_blank(self.wanted)


def shape_in(contexts: Sequence[ExampleContext]) -> ValueShape:
    """Return the shape of the samples' values for a field."""
    return shape_of(next(context.wanted for context in contexts if not context.empty))


def texts_in(value: Any, part: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a value of any shape, each with the part of the record that it stands in; blank ones left out.

    >>> list(texts_in(["a", " "])), list(texts_in([{"name": "Thor", "tags": ["x", "y"]}]))
    ([('', 'a')], [('name', 'Thor'), ('tags', 'x'), ('tags', 'y')])
    """
    if isinstance(value, str):
        if value.strip():
            yield part, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from texts_in(inner, key)
    else:
        for inner in value or ():
            yield from texts_in(inner, part)


def spread(items: Sequence[T], most: int) -> list[T]:
    """Return at most *most* of the items, evenly spread: neighbours are alike, and come and go together."""
    step = max(1.0, len(items) / most)
    return [items[int(place * step)] for place in range(min(most, len(items)))]
