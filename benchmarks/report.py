"""`python -m benchmarks.report`: benchmarks/results/*.json → docs/benchmarks.md and the figures of README.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.readme import with_figures
from benchmarks.sections import SECTIONS, Section

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = "docs/benchmarks.md"
README = "README.md"

MACHINE = re.compile(r"\d+ x .*; Python ")
"""The line of `measure.machine`, which stands below each table."""

HEAD = """# Benchmarks

Made by `python -m benchmarks.report` from `benchmarks/results/`, which `make bench` writes. Compare ratios, not
machines. `make bench QUICK=1` checks in three minutes that all sections run.
"""


def write_page() -> None:
    """Write docs/benchmarks.md and README's figures."""
    for name, text in files(RESULTS).items():
        (ROOT / name).write_text(text, encoding="utf-8")


def files(results: Path) -> dict[str, str]:
    """Return path → text of all that is made from the results."""
    paths = {section.module: results / f"{section.module}.json" for section in SECTIONS}
    found = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.exists()}
    readme = with_figures((ROOT / README).read_text(encoding="utf-8"), found)
    return {PAGE: "\n".join(_page(found)), README: readme}


def _page(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield HEAD
    for section in SECTIONS:
        if section.module in found:
            yield from _section(section, found[section.module])
    if missing := [section for section in SECTIONS if section.module not in found]:
        yield "## Not measured here\n"
        for section in missing:
            yield f"- {section.title}: `{' '.join(['python -m benchmarks.' + section.module, *section.full])}`"
        yield ""


def _section(section: Section, result: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {section.title}\n"
    yield f"{section.about}\n"
    yield f"{shown(result['figures']['output'])}\n"
    began, ended = result["load"]
    machine = result["machine"].partition(",")[0]
    yield f"`{result['command']}`: {result['date']} UTC, load {began:g} to {ended:g}, {machine}.\n"


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
    write_page()
