"""docs/benchmarks.md is what its command makes of the results, and every section can be run."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from benchmarks.readme import ROWS, with_figures
from benchmarks.report import PAGE, RESULTS, ROOT, files
from benchmarks.sections import SECTIONS, Section
from benchmarks.suite import run


def test_the_page_is_what_the_results_make() -> None:
    stale = [name for name, text in files(RESULTS).items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run python -m benchmarks.report"


@pytest.mark.parametrize("module", ROWS)
def test_a_row_of_the_readme_is_what_its_section_found(module: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    result = json.loads((RESULTS / f"{module}.json").read_text(encoding="utf-8"))
    row = next(line for line in readme.splitlines() if line.endswith(f"| `{result['command']}` |"))
    first, found, command, end = row.rsplit(" |", 3)
    drifted = readme.replace(row, " |".join([first, re.sub(r"\d", "8", found).replace("none", "some"), command, end]))
    assert drifted != readme
    assert with_figures(drifted, {module: result}) == readme


def test_each_section_is_a_program() -> None:
    assert all(importlib.util.find_spec(f"benchmarks.{section.module}") for section in SECTIONS)


def test_what_was_not_measured_is_named_with_its_command(tmp_path: Path) -> None:
    figures = {"output": "2 x CPU, Linux; Python 3\n\n| ours |\n|---|\n| 1.50 |\n\nkilled twice"}
    when = {"date": "1970-01-01 00:00", "load": [1.0, 2.0], "machine": "2 x CPU, Linux"}
    result = {"command": "python -m benchmarks.extract", **when, "figures": figures}
    (tmp_path / "extract.json").write_text(json.dumps(result), encoding="utf-8")
    page = files(tmp_path)[PAGE]
    assert "\n\n| ours |\n|---|\n| 1.50 |\n\n```\nkilled twice\n```\n" in page
    assert "`python -m benchmarks.extract`: 1970-01-01 00:00 UTC, load 1 to 2, 2 x CPU.\n" in page
    assert "- Beside other crawlers: `python -m benchmarks.peers`" in page


@pytest.mark.parametrize(("module", "code"), [("hashes", 0), ("nothing_of_this_name", 1)])
def test_a_section_leaves_a_result_unless_it_breaks_off(tmp_path: Path, module: str, code: int) -> None:
    ended = run(Section(module, "", "", quick=("--help",)), tmp_path, quick=True)
    assert ended.code == code
    assert (tmp_path / f"{module}.json").exists() == (code == 0)
    assert ended.broke_off == bool(code)
