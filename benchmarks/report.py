"""`python -m benchmarks.report`: benchmarks/results/*.json → docs/benchmarks.md and the figures of README.md.

`--check` says whether they are what the results make, and changes nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import benchmarks.instructions
import benchmarks.latency
import benchmarks.peers.__main__
from benchmarks.readme import with_figures
from benchmarks.record import RESULTS
from benchmarks.sections import SECTIONS, Section

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/benchmarks.md"
README = "README.md"

MACHINE = re.compile(r"\d+ x .*; Python ")
"""The line of `measure.machine`, which stands below each table."""

Figures = Mapping[str, Any]

TABLES: Mapping[str, Callable[[Figures], str]] = {
    "peers": benchmarks.peers.__main__.table,
    "latency": benchmarks.latency.table,
    "instructions": benchmarks.instructions.table,
}

HEAD = """# Benchmarks

Made by `python -m benchmarks.report` from `benchmarks/results/`, which `make bench` writes. Compare ratios, not
machines. `make bench QUICK=1` checks in three minutes that all sections run.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page and README's figures; with --check 1 where they would change."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder with the results")
    parser.add_argument("--check", action="store_true", help="only say whether they are up to date")
    options = parser.parse_args(arguments)
    if not options.check:
        write_page(options.results)
        return 0
    stale = [name for name, text in files(options.results).items() if _written(ROOT / name) != text]
    for name in stale:
        print(f"{name} is not what {options.results} makes: run python -m benchmarks.report", file=sys.stderr)
    return 1 if stale else 0


def write_page(results: Path) -> None:
    """Write docs/benchmarks.md and README's figures."""
    for name, text in files(results).items():
        (ROOT / name).write_text(text, encoding="utf-8")


def files(results: Path) -> dict[str, str]:
    """Return path → text of all that is made from the results."""
    found = {section.module: _result(results, section.module) for section in SECTIONS}
    readme = with_figures((ROOT / README).read_text(encoding="utf-8"), found)
    return {PAGE: "\n".join(_page(found)), README: readme}


def _result(results: Path, name: str) -> dict[str, Any]:
    path = results / f"{name}.json"
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return result


def _written(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _page(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield HEAD
    for section in SECTIONS:
        if result := found[section.module]:
            yield from _section(section, result)
    if missing := [section for section in SECTIONS if not found[section.module]]:
        yield "## Not measured here\n"
        for section in missing:
            yield f"- {section.title}: `{' '.join(['python -m benchmarks.' + section.module, *section.full])}`"
        yield ""


def _section(section: Section, result: Mapping[str, Any]) -> Iterator[str]:
    figures = result["figures"]
    yield f"## {section.title}\n"
    yield f"{section.about}\n"
    yield f"{TABLES[section.module](figures)}\n" if section.module in TABLES else f"{shown(figures['output'])}\n"
    size = f"{figures['pages']:,} pages, " if "pages" in figures else ""
    began, ended = result["load"]
    machine = result["machine"].partition(",")[0]
    yield f"`{result['command']}`: {size}{result['date']} UTC, load {began:g} to {ended:g}, {machine}.\n"


def shown(output: str) -> str:
    """Return a program's output as Markdown: tables as they are, the rest as code, the line on the machine left out."""
    lines = [line for line in output.splitlines() if not MACHINE.match(line)]
    parts = []
    for is_table, group in groupby(lines, key=lambda line: line.startswith("|")):
        text = "\n".join(group).strip("\n")
        if text:
            parts.append(text if is_table else f"```\n{text}\n```")
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
