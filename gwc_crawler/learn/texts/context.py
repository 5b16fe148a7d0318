"""Examples for learning: a page (or a record's scope on it) and the value that should be read there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gwc_crawler.extract.fields import is_blank
from gwc_crawler.extract.locator import COUNT, read_nodes, select
from gwc_crawler.extract.nodes import UNSEEN
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.structured import StructuredData
from gwc_crawler.learn.texts.text_index import TextIndex

T = TypeVar("T")


@dataclass(slots=True)
class LearnPage:
    """A page during learning: its view, its text index, and the nodes that paths selected (they are asked often)."""

    page: PageView
    index: TextIndex
    selected: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, page: PageView, left_out: frozenset[str] = UNSEEN) -> LearnPage:
        """Index the page, without what stands in the elements *left_out*."""
        return cls(page, TextIndex(page.tree, left_out))

    def parted(self, how: tuple[str, ...]) -> LearnPage:
        """Return the page as `PageView.parted` gives it."""
        return LearnPage.of(self.page.parted(how))

    @property
    def structured(self) -> StructuredData:
        """The data on the page that are meant for machines."""
        return self.page.structured

    def shows(self, text: str) -> bool:
        """Say whether *text*, squeezed, stands on the page."""
        return text in self.index.text

    @property
    def elements(self) -> Iterable[Any]:
        """All elements of the page that are looked at."""
        return self.index.spans

    def select(self, path: str, scope: Any) -> Any:
        """Return the nodes that `locator.select` selects, remembered."""
        key = path, scope
        if key not in self.selected:
            self.selected[key] = select(path, self.page, scope)
        return self.selected[key]

    def texts(self, path: str, read: str, drop: tuple[str, ...], scope: Any, limit: int) -> list[str]:
        """Return the texts that `Locator.texts` reads, remembered."""
        nodes = self.select(path, scope)
        if limit and read not in ("all", COUNT):
            nodes = nodes[:limit]
        key = path, read, drop, scope, limit
        texts: list[str] | None = self.selected.get(key)
        if texts is None:
            texts = self.selected[key] = read_nodes(nodes, read, drop, self.page)
        return texts


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


def spread(items: Sequence[T], most: int) -> list[T]:
    """Return at most *most* of the items, evenly spread: neighbours are alike, and come and go together."""
    step = max(1.0, len(items) / most)
    return [items[int(place * step)] for place in range(min(most, len(items)))]
