"""In which notation a column is read: the values that leave no choice decide, and the report says so."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.field_check import decide_notations, is_undecided, language_of
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


@pytest.mark.parametrize(
    ("kind", "texts", "language", "written"),
    [
        ("number", ["7.250", "1.125"], "zh-CN", 'number(decimal=".")'),
        ("number", ["7.250"], "en-GB", 'number(decimal=".")'),
        ("number", ["7,250"], "de", 'number(decimal=",")'),
        ("number", ["7.250"], "de-CH", "number"),
        ("number", ["7.250"], "en", "number"),
        ("number", ["7.250"], "", "number"),
        ("number", ["7.250", "0,5"], "zh", 'number(decimal=",")'),
        ("number", ["7"], "zh", "number"),
        ("date", ["03/04/2024"], "de", 'date(order="dmy")'),
        ("date", ["03/04/2024"], "en-gb", 'date(order="dmy")'),
        ("date", ["03/04/2024"], "en-US", "date"),
        ("date", ["03/04/2024"], "qqq", "date"),
        ("date", ["03/04/2024", "04/13/2024"], "de", 'date(order="mdy")'),
        ("date", ["24/03/12"], "zh_Hant", 'date(order="ymd")'),
        ("date", ["2024-03-12"], "de", "date"),
    ],
)
def test_where_no_value_decides_the_pages_language_does(
    kind: str, texts: list[str], language: str, written: str
) -> None:
    assert decide_notations({"it": kind}, [{"it": text} for text in texts], language)[0] == {"it": written}


@pytest.mark.parametrize(
    ("heads", "language"),
    [
        (['<html lang="de">', "<HTML class=a LANG='de' dir=ltr>", "<html>"], "de"),
        (["<!doctype html>\n<html xmlns='x' xml:lang='fr' lang=en-GB>"], "en-GB"),
        (['<html lang="de">', '<html lang="fr">'], ""),
        (['<html><p lang="de">', '<html data-lang="de">', '<html hreflang="de">', '<html lang="">'], ""),
    ],
)
def test_the_language_is_the_one_that_all_pages_say(heads: list[str], language: str) -> None:
    pages = [StoredPage("http://x/", "http://x/", head.encode(), "text/html", "utf-8", 4, 1, True) for head in heads]
    assert language_of(pages) == language


def report(texts: list[str], language: str = "") -> str:
    types, notations = decide_notations({"kg": "number"}, [{"kg": text} for text in texts], language)
    console = Console(file=StringIO(), width=400)
    knowledge = Knowledge("shop", "best", (), (), 4, types=types, evidence={"notations": notations})
    render_report(knowledge, console, verbose=True)
    return " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]


def test_the_report_says_how_a_column_is_read_where_that_was_to_decide() -> None:
    assert "kg is read as number(decimal=\".\"): the values that leave no choice ('.': 1, ',': 0)" in report(
        ["7.250", "1.5"]
    )
    assert 'say in the site file number(decimal=".") or number(decimal=",")' in report(["7.250"])
    assert "no other value decides ('.': 0, ',': 0), the pages' language (zh) does" in report(["7.250"], "zh")
    assert "is read as" not in report(["7", "1.5"])
