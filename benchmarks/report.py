"""`python -m benchmarks.report`: benchmarks/results/*.json → docs/benchmarks.md, docs/scale.md and their plots,
and the figures of README.md.

`--check` says whether they are what the results make, and changes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import benchmarks.instructions
import benchmarks.latency
import benchmarks.peers.__main__
import benchmarks.scale
import benchmarks.startup
import benchmarks.tls
import benchmarks.where
from benchmarks.plot import Line, Panel, svg
from benchmarks.readme import with_figures
from benchmarks.record import RESULTS
from benchmarks.sections import SECTIONS, Section
from benchmarks.simulate.table import table as fleet_table

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/benchmarks.md"
README = "README.md"

Figures = Mapping[str, Any]

TABLES: Mapping[str, Callable[[Figures], str]] = {
    "peers": benchmarks.peers.__main__.table,
    "latency": benchmarks.latency.table,
    "tls": benchmarks.tls.table,
    "startup": benchmarks.startup.table,
    "instructions": benchmarks.instructions.table,
    "where": benchmarks.where.table,
    "simulate": lambda figures: fleet_table(figures["outcomes"]),
}

HEAD = """# Benchmarks

Made by `python -m benchmarks.report` from `benchmarks/results/`, which `make bench` writes; edit neither. Compare
ratios, not machines: under each heading stand the command, and how busy the machine was (its load: processes that
wanted one of its cores) when the section began and ended. `make bench QUICK=1` looks in three minutes that all run.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, its plots and README's figures; with --check 1 where they would change."""
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
    """Write docs/benchmarks.md, its plots and README's figures."""
    for name, text in files(results).items():
        (ROOT / name).write_text(text, encoding="utf-8")


def files(results: Path) -> dict[str, str]:
    """Return path → text of all that is made from the results."""
    found = {section.module: _result(results, section.module) for section in SECTIONS}
    plots = {
        f"docs/benchmarks-{name}.svg": draw(found[name]["figures"])
        for name, draw in (("peers", peers_plot), ("latency", latency_plot))
        if found[name]
    }
    if simulated := found["simulate"]:
        plots |= benchmarks.scale.files(simulated)
    readme = with_figures((ROOT / README).read_text(encoding="utf-8"), found)
    return {PAGE: "\n".join(_page(found)), README: readme, **plots}


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
    if section.module in TABLES:
        yield f"{TABLES[section.module](figures)}\n"
    else:
        yield f"```\n{figures['output']}\n```\n"
    if section.module in ("peers", "latency"):
        yield f"![{section.title}](benchmarks-{section.module}.svg)\n"
    if "note" in result:
        yield f"{result['note']}\n"
    size = f"{figures['pages']:,} pages; " if "pages" in figures else ""
    began, ended = result["load"]
    yield f"`{result['command']}`, {size}{result['date']} UTC, load {began:g} to {ended:g}; {result['machine']}.\n"


def peers_plot(figures: Figures) -> str:
    """CPU a page of each crawler, as bars."""
    pages = figures["pages"]
    rows = [(row["name"], 1000 * median(row["cpu_seconds"]) / pages) for row in figures["rows"]]
    return svg([Panel("CPU ms a page: less is better", rows=[(name, ms, f"{ms:.2f}") for name, ms in rows])])


def latency_plot(figures: Figures) -> str:
    """Pages a second against connections: what a delay allows and what was reached."""
    one_site = [row for row in figures["rows"] if row["name"].startswith("one site")]
    panels = []
    for delay in sorted({row["delay_ms"] for row in one_site}):
        rows = [row for row in one_site if row["delay_ms"] == delay]
        lines = [
            Line("the delay allows", [(row["connections"], row["allowed"]) for row in rows]),
            Line("reached", [(row["connections"], row["reached"]) for row in rows]),
        ]
        panels.append(Panel(f"pages a second by connections, {delay} ms", lines=lines))
    return svg(panels)


if __name__ == "__main__":
    sys.exit(main())
