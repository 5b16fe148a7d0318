"""Records in tables whose columns change from page to page, or are the records themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gwc_crawler.extract.page_view import PageView
from tests.extract.pages import learned, word

COLUMNS = {"name": "Ingredient", "amount": "Amount", "note": "Note", "prep": "Preparation"}


def recipe(n: int, columns: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A page with a table of these columns, its headers in bold, and the records in it."""
    rows = [{key: f"{word(7 * n + 2 * row + at)} {n + row}" for at, key in enumerate(columns)} for row in range(3)]
    lines = [[f"<b>{COLUMNS[key]}</b>" for key in columns], *([one[key] for key in columns] for one in rows)]
    table = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in lines)
    times = "<table><tr><td><b>Step</b></td><td><b>Time</b></td></tr><tr><td>Stir</td><td>5 min</td></tr></table>"
    return f"<body><h1>{word(n)}</h1><table>{table}</table><h2>Steps</h2>{times}</body>", {"ingredients": rows}


@pytest.mark.parametrize("columns", [("name", "amount"), ("name", "prep", "amount"), ("name", "note", "amount")])
def test_a_table_is_found_by_the_header_that_none_lacks(columns: tuple[str, ...]) -> None:
    samples = [recipe(n, ("name", "amount", "note")) for n in (1, 2)]
    more = [recipe(n, ("name", "amount", "note")[: 2 + n % 2])[0] for n in range(10, 20)]
    html, values = recipe(30, columns)
    known = [{key: one[key] for key in columns if key != "prep"} for one in values["ingredients"]]
    assert learned(samples, more).extract(html)["ingredients"] == known


def ratings(n: int, count: int) -> tuple[str, dict[str, Any]]:
    """A page with figures below what they rate, and the records: one a column."""
    rows = [{"aspect": word(n + at), "score": f"{n + 11 * at} %"} for at in range(count)]
    lines = ("".join(f"<td>{one[key]}</td>" for one in rows) for key in ("aspect", "score"))
    facts = f"<table><tr><td>Price</td></tr><tr><td>{n}.95</td></tr></table>"
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<body><h1>{word(n)}</h1>{facts}<table>{table}</table></body>", {"ratings": rows}


def test_each_column_of_a_table_may_be_a_record() -> None:
    wrapper = learned([ratings(1, 3), ratings(2, 4)], [ratings(n, 2 + n % 4)[0] for n in range(10, 20)])
    html, values = ratings(30, 5)
    assert wrapper.extract(html) == values


def test_tables_of_uneven_rows_keep_their_rows() -> None:
    grid, other = "<table><tr><td>a<td>b<tr><td>c<td>d</table>", "<table><tr><td>e<tr><td>f<td>g</table>"
    view = PageView.parse(f"<body>{grid}{other}</body>").parted(("table", "columns"))
    assert ["".join(one.itertext()) for one in view.tree.iter("part")] == ["ac", "bd"]
    assert [len(row) for row in view.tree.iter("tr")] == [1, 2]
