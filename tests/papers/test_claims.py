"""docs/papers/claims.md is what its list says, and each claim that holds has a test that is there."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from gwc_crawler import settings
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.papers.claims import PAGE, ROOT, Claim, claims, page

INHERITED = "test_a_url_is_leased_once"


def test_the_page_is_made_of_the_list() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.papers.claims --write"


def test_each_claim_is_shown_or_says_why_not() -> None:
    assert {f"{one.paper}: {one.claim}": one.problem for one in claims() if one.problem} == {}


def test_each_row_has_five_cells() -> None:
    rows = [line for line in page().partition("## ")[2].splitlines() if line.startswith("| ")]
    assert len(rows) > len(claims())
    assert [row for row in rows if len(re.split(r"(?<!\\)\|", row)) != 7] == []


def test_no_claim_stands_twice() -> None:
    told = [(one.paper, one.claim) for one in claims()]
    assert len(told) == len(set(told))


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"state": "maybe"}, "'maybe' is no state: holds, deviates, absent"),
        ({"state": "absent"}, "it has no reason"),
        ({"state": "holds"}, "there is no test ''"),
        ({"state": "holds", "shown_by": "tests/papers/test_claims.py::test_not_there"}, "there is no test 'tests/"),
        ({"state": "holds", "shown_by": "tests/papers/test_claims.py::test_a_row_that_shows_nothing_is_noticed"}, ""),
        ({"state": "holds", "shown_by": f"tests/frontier/behaviour.py::FrontierBehaviour::{INHERITED}"}, "there is no"),
        ({"state": "holds", "shown_by": f"tests/frontier/test_sqlite.py::TestSqliteFrontier::{INHERITED}"}, ""),
        ({"state": "holds", "shown_by": "tests/frontier/test_sqlite.py::TestSqliteFrontier::test_not"}, "there is no"),
    ],
)
def test_a_row_that_shows_nothing_is_noticed(row: dict[str, str], problem: str) -> None:
    found = Claim("X", "1", "It works.", **row).problem
    assert found.startswith(problem)
    assert bool(found) == bool(problem)


COMMANDS = sorted({part for one in claims() for part in one.command.split("; ") if part})
SCRAPY = {path.stem for path in (ROOT / "gwc_crawler" / "commands").glob("*.py")}
IN_FILES = {"[learn] pages = 4000", "deep = true in a site file"}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_one_is_told_to_run_or_set_is_there(command: str, tmp_path: Path) -> None:
    first, *words = command.replace(",", " ").split()
    if first == "SELECT":
        with CrawlDatabase(tmp_path / "crawl.db") as database:
            assert database.connection.execute(command).fetchall() == []
    elif first == "python":
        assert find_spec(words[1])
    elif first == "scrapy":
        assert words[0] in SCRAPY
    else:
        assert first.startswith("GWC_") or command in IN_FILES
    assert [name for name in re.findall(r"GWC_\w+", command) if not hasattr(settings, name)] == []
