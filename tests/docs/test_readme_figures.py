"""README's figures are those of docs/quality.md; the rest is compared by `tests/benchmarks/test_report.py`."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
QUALITY = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")


def rows_under(head: str) -> list[list[str]]:
    """Return the cells of the rows of quality.md's table whose head begins so."""
    table = QUALITY[QUALITY.index(head) :].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def told(command: str) -> str:
    """Return what README says was measured by a command."""
    match = re.search(rf"^\|.*\| (.*) \| `{re.escape(command)}` \|$", README, flags=re.MULTILINE)
    assert match, command
    return match[1]


def test_records_brought_home() -> None:
    found = [row[1] for row in rows_under("| site | records found of truth | precision | with")]
    assert told("python -m tests.eval.crawls GROUP --mode best") == ", ".join(found)


def test_exact_values() -> None:
    means = [row[2].split()[0].removeprefix("0") for row in rows_under("| pages of | fields | best: mean F1")]
    assert told("python -m tests.eval --table --form quick") == f"{min(means)} to {max(means)}"
    assert f"on {len(means)} sets" in README
