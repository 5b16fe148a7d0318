"""The columns and rows of a table: the header over a cell, the way from a row to the cell under it, other labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from gwc_crawler.learn.degrees import PART_COST, VERY_MANY
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex

COLUMN_COST = 1.3
"""Cost of a column's cell."""
_CELL_BEFORE = "preceding-sibling::*[self::td or self::th]"
_CELLS_BEFORE = f"count({_CELL_BEFORE})"
"""Cells alone are counted: a style sheet may stand between them."""


def cell_around(node: Any, scope: Any) -> Any:
    """Return the cell of the row *scope* (None: of any row) in which *node* stands; None if it is in none."""
    around = (one for one in (node, *node.iterancestors()) if one.getparent() is not None)
    return next((one for one in around if one.getparent().tag == "tr" and scope in (None, one.getparent())), None)


def header_over(cell: Any, index: TextIndex) -> Chunk | None:
    """Return the only text of the cell over *cell* in its table's first row; None where that row has other cells."""
    row = cell.getparent()
    table = next(row.iterancestors("table"), None)
    first = None if table is None else next(table.iter("tr"), None)
    if first is None or first is row or len(headers := _cells(first)) != len(cells := _cells(row)):
        return None
    start, end = index.spans.get(headers[cells.index(cell)], (0, 0)) if cell in cells else (0, 0)
    chunk = index.chunks[index.chunk_at(start)] if start < end else None
    return chunk if chunk is not None and (chunk.start, chunk.end) == (start, end) else None


def _cells(row: Any) -> list[Any]:
    return list(row.iterchildren("td", "th"))


def column_in_table(says: str, cell: Any) -> tuple[str, float]:
    """Return the XPath, from the top, of a row's cell under the header that *says* tests for, in its table.

    With its cost, which is higher if the row is counted, as the number of rows differs between pages: if it is not
    the one below the headers, and has no more cells than a label and its value.
    """
    table = next(cell.iterancestors("table"))
    place = 1 + list(table.iter("tr")).index(cell.getparent())
    is_counted = place != 2 and len(_cells(cell.getparent())) <= 2
    header = f"ancestor::table[1]/descendant::tr[1]/*[{says}]"
    under = f"[{_CELLS_BEFORE}=count({header}/{_CELL_BEFORE})]"
    path = f"//tr[1]/*[{says}]/ancestor::table[1]/descendant::tr[{place}]/{cell.tag}{under}"
    return path, COLUMN_COST + PART_COST * is_counted


def column_of(says: str, name: str) -> tuple[str, float]:
    """Return the XPath, from a row, of the cell (an element *name*) under the header that *says* tests for.

    It selects nothing where no column has that header, and in the row of the headers itself. With its cost.
    """
    header = f"ancestor::table[1]/descendant::tr[1]/*[{says}]"
    below = "(../preceding-sibling::tr or ../../preceding-sibling::*/tr)"
    path = f"./{name}[{below} and {header} and {_CELLS_BEFORE}=count({header}/{_CELL_BEFORE})]"
    return path, COLUMN_COST


def stands_in_rows(element: Any) -> bool:
    """Say whether others of an element's name and class stand beside it or in the rows beside its own, as labels do."""
    row = element.getparent()
    if row is None:
        return False
    beside = islice(chain(row, *(other for other in _near(row) if other.tag == row.tag)), VERY_MANY)
    name = element.tag, element.get("class")
    return any(one is not element and (one.tag, one.get("class")) == name for one in beside)


def _near(row: Any) -> Iterator[Any]:
    """Yield the next siblings of an element on either side."""
    return chain(islice(row.itersiblings(preceding=True), 3), islice(row.itersiblings(), 3))
