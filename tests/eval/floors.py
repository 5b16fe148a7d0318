"""Floors: what was once reached is a gate. `python -m tests.eval.floors` measures and raises them, never lowers them.

`floors.json` holds, for the quick and the full form and each mode, every suite's figures as they were last pinned, and
a hash of each corpus they were measured on. On another corpus the floors mean nothing: then the comparison fails and
says so, and a person decides. A floor that has to sink is lowered by hand, with the reason in the commit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.eval.corpora import corpora_root
from tests.eval.harness import TaskRun, run_tasks
from tests.eval.report import suite_figures
from tests.eval.tasks import load_tasks

FILE = Path(__file__).with_name("floors.json")
TOLERANCE = 0.0005
"""Floors are rounded down to three digits; a figure this much below one still counts as reached."""

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Form:
    """How much is measured: pairs of sample pages, and scored pages for each; a suite of many tasks needs less.

    `large`: the same for sites of which a page takes long to learn.
    """

    seeds: int
    max_pages: int
    part_seeds: int
    part_pages: int
    large: tuple[int, int]


FORMS = {"quick": Form(2, 25, 1, 15, (1, 15)), "full": Form(10, 300, 10, 40, (3, 2000))}
"""Quick: within `make test`, and what the table in docs/quality.md shows. Full: within `make test-slow`."""


def measure(suite: str, form: Form, mode: str) -> Figures:
    """Run the tasks of one suite and return its figures: means by metric, and "worst" of the macro F1."""
    return figures_of(run_suite(suite, form, mode))


def run_suite(suite: str, form: Form, mode: str) -> list[TaskRun]:
    """Run the tasks of one suite in one form."""
    tasks = [task for task in load_tasks() if task.suite == suite]
    if len(tasks) == 1 and tasks[0].sparse:
        seeds, pages = form.large
        return run_tasks(tasks, seeds=seeds, mode=mode, max_pages=pages)
    if len(tasks) == 1:
        return run_tasks(tasks, seeds=form.seeds, mode=mode, max_pages=form.max_pages)
    return run_tasks(tasks, seeds=form.part_seeds, mode=mode, max_pages=form.part_pages)


def figures_of(runs: Sequence[TaskRun]) -> Figures:
    """Return the mean of each metric and the worst macro F1."""
    figures = suite_figures(runs)
    return {**{metric: mean for metric, (mean, _) in figures.items()}, "worst": figures["macro"][1]}


def below_floor(figures: Mapping[str, float], floors: Mapping[str, float]) -> list[str]:
    """Return a sentence for each figure that is below its floor (a missing figure is 0)."""
    return [
        f"{metric}: {figures.get(metric, 0.0):.3f} is below the floor {floor:.3f}"
        for metric, floor in floors.items()
        if figures.get(metric, 0.0) < floor - TOLERANCE
    ]


def raised(floors: Mapping[str, float], figures: Mapping[str, float]) -> Figures:
    """Return the floors after a measurement: each the higher one of what it was and what was reached, rounded down."""
    return {
        metric: max(floors.get(metric, 0.0), math.floor(figures.get(metric, 0.0) * 1000 + 1e-6) / 1000)
        for metric in [*floors, *(metric for metric in figures if metric not in floors)]
    }


def read_floors() -> dict[str, Any]:
    """Return the content of floors.json, empty before the first pinning."""
    if not FILE.exists():
        return {"corpora": {}, "floors": {}}
    data: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return data


LARGE = frozenset({"ruststd/struct", "ruststd/trait", "ruststd/enum"})
"""Suites with pages of up to 3 MB: measured by hand (`python -m tests.eval --corpus ruststd`), and crawled whole."""


@cache
def suites() -> tuple[str, ...]:
    """Return the names of all suites that have floors, in the table's order."""
    return tuple(dict.fromkeys(task.suite for task in load_tasks() if task.suite not in LARGE))


@cache
def corpus_of(suite: str) -> tuple[str, ...]:
    """Return the corpora a suite's pages come from."""
    return tuple(sorted({task.truth_file.split("/")[0] for task in load_tasks() if task.suite == suite}))


@cache
def corpus_hash(corpus: str) -> str:
    """Return 16 hex digits that change with a corpus' truth and with the names and sizes of its files."""
    digest = hashlib.sha256()
    for file in sorted((corpora_root() / corpus).rglob("*")):
        if file.is_file():
            relative = file.relative_to(corpora_root())
            digest.update(f"{relative} {file.stat().st_size}\n".encode())
            if file.name.startswith("truth"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def changed_corpora(suite: str, pinned: Mapping[str, str]) -> list[str]:
    """Return the corpora of a suite that are not those its floors were measured on."""
    return [corpus for corpus in corpus_of(suite) if pinned.get(corpus, "") != corpus_hash(corpus)]


def pin(wanted: Iterable[str], form_name: str, modes: Iterable[str]) -> Iterator[str]:
    """Measure suites and raise their floors in floors.json; yields a line for each."""
    for suite in wanted:
        for mode in modes:
            figures = measure(suite, FORMS[form_name], mode)
            data = read_floors()
            if wrong := [one for one in changed_corpora(suite, data["corpora"]) if one in data["corpora"]]:
                yield f"{suite}: not pinned, {', '.join(wrong)} has changed: first take its hash out of floors.json"
                continue
            data["corpora"] |= {corpus: corpus_hash(corpus) for corpus in corpus_of(suite)}
            floors = data["floors"].setdefault(form_name, {}).setdefault(mode, {})
            short = below_floor(figures, floors.get(suite, {}))
            floors[suite] = raised(floors.get(suite, {}), figures)
            FILE.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            yield f"{suite} {form_name} {mode}: " + ("; ".join(short) if short else f"macro {figures['macro']:.3f}")


def main(arguments: list[str] | None = None) -> int:
    """Raise floors: `python -m tests.eval.floors --form quick --mode best [suite …]`."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.floors", description="Measure and raise floors.")
    parser.add_argument("suites", nargs="*", help="suite names (all)")
    parser.add_argument("--form", choices=tuple(FORMS), default="quick")
    parser.add_argument("--mode", action="append", choices=("best", "paper"), help="may be repeated (best)")
    options = parser.parse_args(arguments)
    for line in pin(options.suites or suites(), options.form, options.mode or ["best"]):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
