"""In which notation a column is read: the values that leave no choice decide, and the report says so."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from gwc_crawler.knowledge import Knowledge
from gwc_crawler.learn.notations import decide_notations, is_undecided
from gwc_crawler.learn.report import render_report


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        (["7.250", "0.125"], 'number(decimal=".")'),
        (["7.250", "1.234.567"], 'number(decimal=",")'),
        (["7.250", "3,5", "2,5", "1.5"], 'number(decimal=",")'),
        (["7.250", "3,5", "1.5"], "number"),
        (["7.250", "8,500"], "number"),
        (["7", None, "none", ["1", "0.5"]], 'number(decimal=".")'),
        ([], "number"),
    ],
)
def test_most_of_the_values_that_leave_no_choice_decide(texts: list[object], written: str) -> None:
    types, evidence = decide_notations({"kg": "number"}, [{"kg": text} for text in texts])
    assert types == {"kg": written} == {"kg": evidence["kg"]["type"]}


def test_a_part_of_records_is_a_column_and_what_is_said_stands() -> None:
    types = {"title": "text", "votes.stars": "number", "kg": 'number(decimal=",")', "price": "price"}
    records = [{"votes": [{"stars": "4.125"}, {"stars": "0.5"}, {}], "kg": "0.5", "price": ["1.299 €", "5,- €"]}]
    decided, evidence = decide_notations(types, records)
    assert decided == types | {"votes.stars": 'number(decimal=".")', "price": 'price(decimal=",")'}
    assert set(evidence) == {"votes.stars", "price"}
    assert not is_undecided(evidence)


def report(texts: list[str]) -> str:
    types, notations = decide_notations({"kg": "number"}, [{"kg": text} for text in texts])
    console = Console(file=StringIO(), width=400)
    render_report(Knowledge("shop", "best", (), (), 4, types=types, evidence={"notations": notations}), console)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_report_says_how_a_column_is_read_where_that_was_to_decide() -> None:
    assert "kg is read as number(decimal=\".\"): the values that leave no choice ('.': 1, ',': 0)" in report(
        ["7.250", "1.5"]
    )
    assert 'say in the site file number(decimal=".") or number(decimal=",")' in report(["7.250"])
    assert "is read as" not in report(["7", "1.5"])
