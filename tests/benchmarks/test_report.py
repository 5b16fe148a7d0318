"""docs/benchmarks.md is what its command makes of the results, and every section can be run and drawn."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.readme import ROWS, with_figures
from benchmarks.record import RESULTS, told
from benchmarks.report import PAGE, ROOT, files
from benchmarks.sections import SECTIONS, Section
from benchmarks.suite import run
from benchmarks.where import shares_of
from benchmarks.where import table as where_table


def test_the_page_and_its_plots_are_what_the_results_make() -> None:
    stale = [name for name, text in files(RESULTS).items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run python -m benchmarks.report"


@pytest.mark.parametrize("module", ROWS)
def test_a_row_of_the_readme_is_what_its_section_found(module: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    result = json.loads((RESULTS / f"{module}.json").read_text(encoding="utf-8"))
    row = next(line for line in readme.splitlines() if line.endswith(f"| `{result['command']}` |"))
    drifted = readme.replace(row, row.replace("0", "7").replace("none", "some"))
    assert drifted != readme
    assert with_figures(drifted, {module: result}) == readme


def test_each_section_is_a_program() -> None:
    assert all(importlib.util.find_spec(f"benchmarks.{section.module}") for section in SECTIONS)


def test_what_was_not_measured_is_named_with_its_command(tmp_path: Path) -> None:
    result = told("tls", "python -m benchmarks.tls", 0.0, 1.0, {"pages": 100, "rows": [
        {"name": "ours", "http": [1.0], "https": [1.5]}]})  # fmt: skip
    (tmp_path / "tls.json").write_text(json.dumps(result), encoding="utf-8")
    page = files(tmp_path)[PAGE]
    assert "| ours | 10.00 | 15.00 | 1.50 |" in page
    assert "`python -m benchmarks.tls`, 100 pages; 1970-01-01 00:00 UTC, load 1 to" in page
    assert "- Beside other crawlers: `python -m benchmarks.peers`" in page


@pytest.mark.parametrize(("module", "code"), [("report", 0), ("nothing_of_this_name", 1)])
def test_a_section_leaves_a_result_unless_it_breaks_off(tmp_path: Path, module: str, code: int) -> None:
    ended = run(Section(module, "", "", quick=("--help",)), tmp_path, quick=True)
    assert ended.code == code
    assert (tmp_path / f"{module}.json").exists() == (code == 0)
    assert ended.broke_off == bool(code)


def test_samples_are_taken_by_cpu_time(tmp_path: Path) -> None:
    busy = tmp_path / "busy_for_a_while.py"
    busy.write_text("import time\ndef work():\n    while time.process_time() < .3: pass\nwork()\n", encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.sampled", str(tmp_path / "samples"), "-m", "busy_for_a_while"]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    samples = (tmp_path / "samples").read_text(encoding="utf-8").splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in samples if "work (" in line) >= 10


def test_a_sample_belongs_to_the_innermost_package_that_is_known() -> None:
    ours, lxml = "read (/x/gwc_crawler/page/reader.py:3)", "parse (/x/lxml/html/__init__.py:9)"
    scrapy = "crawl (/v/site-packages/scrapy/core/engine.py:5)"
    samples = f"main;{scrapy};{ours} 6\nmain;{scrapy};{ours};{lxml} 3\nmain;{scrapy} 1\n"
    assert shares_of(samples) == {"gwc_crawler/page": 0.6, "lxml, parsel, w3lib": 0.3, "Scrapy": 0.1}


def test_making_the_tree_counts_apart_from_reading_it() -> None:
    parse, text = (f"f (/v/gwc_crawler/page/{name}.py)" for name in ("parse", "text"))
    assert shares_of(f"main;{parse} 3\nmain;{text} 1\n") == {"the tree (libxml2)": 0.75, "gwc_crawler/page": 0.25}


def test_shares_are_told_in_milliseconds_of_a_page_and_add_up() -> None:
    crawls = [
        {"name": "all", "cpu_ms": 2.0, "shares": {"Scrapy": 0.75, "gwc_crawler/store": 0.242, "odd": 0.008}},
        {"name": "links", "cpu_ms": 1.0, "shares": {"Scrapy": 1.0}},
    ]
    assert where_table({"pages": 100, "crawls": crawls}).splitlines()[2:] == [
        "| Scrapy | 1.50 (75%) | 1.00 (100%) |",
        "| gwc_crawler/store | 0.48 (24%) | 0.00 (0%) |",
        "| what takes less than 1 % each | 0.02 (1%) | 0.00 (0%) |",
        "| in all | 2.00 | 1.00 |",
    ]
