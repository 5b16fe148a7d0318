"""The rules of the paper's wrapper (GWC, algorithms 2 and 3), kept faithful for comparison with the best mode.

Algorithm 2 keeps the nodes of sample page A that stand at the same path in page B. Algorithm 3 finds each sample value
in it and gives its place as a CSS path: paths count positions, values are whole texts of nodes, records columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from cssselect import SelectorError

from gwc_crawler.extract.fields import URL_ATTRIBUTES
from gwc_crawler.extract.nodes import text_of
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Extracted, ValueShape

TEXT = "text"


@dataclass(frozen=True, slots=True)
class PaperPath:
    """One path: the part of a node it reads, and whether its matches are all values or the first is the value."""

    path: str
    what: str

    def values(self, page: PageView) -> Iterator[str]:
        """Yield the values on *page*, in document order; blank ones left out."""
        for node in selected(self.path, page):
            if self.what == TEXT:
                value = text_of(node)
            else:
                value = node.get(self.what) or ""
                value = page.absolute(value) if value and self.what in URL_ATTRIBUTES else value
            if value:
                yield value

    def to_json(self) -> dict[str, str]:
        """Plain values for the wrapper file."""
        return {"path": self.path, "what": self.what}


@dataclass(frozen=True, slots=True)
class PaperRule:
    """How the paper reads one field: a column for a text or a list, several side by side for records."""

    shape: ValueShape
    columns: dict[str, PaperPath]

    def read(self, page: PageView) -> Extracted:
        """Return the field's value on *page*; None (or []) where its path finds nothing."""
        if self.shape is ValueShape.TEXT:
            return next(self.columns[""].values(page), None)
        if self.shape is ValueShape.LIST:
            return list(self.columns[""].values(page))
        rows = zip_longest(*(column.values(page) for column in self.columns.values()))
        return [{key: text for key, text in zip(self.columns, row, strict=True) if text is not None} for row in rows]

    def count(self, page: PageView) -> int:
        """Return 1 if it finds anything on a page, else 0."""
        return int(bool(self.read(page)))

    def source(self, page: PageView) -> str:
        """Return the paths of the columns, if they give anything."""
        return ", ".join(column.path for column in self.columns.values()) if self.read(page) else ""

    def closest(self, page: PageView) -> str:
        """Return the longest beginning of the path that still selects something on *page*."""
        steps = next(iter(self.columns.values())).path.split(" > ")
        alive = (" > ".join(steps[:count]) for count in range(len(steps), 0, -1))
        return next((path for path in alive if selected(path, page)), "")

    def paper_form(self, name: str) -> dict[str, str]:
        """`{"label#text": "css path"}`; the columns of records as `label.column#text`."""
        return {
            f"{name}.{key}#{one.what}" if key else f"{name}#{one.what}": one.path for key, one in self.columns.items()
        }

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wrapper file."""
        columns = {key: one.to_json() for key, one in self.columns.items()}
        return {"kind": "paper", "shape": self.shape, "columns": columns}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PaperRule:
        """Return the rule that `to_json` wrote."""
        return cls(ValueShape(data["shape"]), {key: PaperPath(**one) for key, one in data["columns"].items()})


def selected(path: str, page: PageView) -> list[Any]:
    """Return the elements of the page that a CSS path selects, in document order; an invalid path selects nothing."""
    try:
        return [one.root for one in page.selector.css(path)]
    except (SelectorError, ValueError):
        return []
