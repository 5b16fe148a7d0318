"""Runs in, text out: the lines and tables that `python -m tests.eval` prints."""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.eval.harness import Mistake, TaskRun
from tests.eval.scoring import Score

KINDS = ("text", "list", "records")
"""The shapes a field can have."""

Figures = tuple[float, float]
"""Mean and worst."""


def by_suite(runs: Iterable[TaskRun]) -> dict[str, list[TaskRun]]:
    """Group runs by their suite, in order of appearance."""
    groups: dict[str, list[TaskRun]] = defaultdict(list)
    for run in runs:
        groups[run.task.suite].append(run)
    return groups


def suite_figures(runs: Sequence[TaskRun]) -> dict[str, Figures]:
    """Return mean and worst F1 by metric: "macro" over all fields; "text", "list", "records" for fields of that kind.

    A suite of several small tasks (one site each) takes the mean over sites, so that a site with many pairs of pages
    does not outweigh the others; its worst is the worst site.
    """
    figures = {}
    for metric in ("macro", *KINDS):
        kinds = KINDS if metric == "macro" else (metric,)
        values = [(run.task.name, value) for run in runs if (value := run.macro_f1(kinds)) is not None]
        if values:
            figures[metric] = _mean_and_worst(values)
    return figures


def _mean_and_worst(values: Sequence[tuple[str, float]]) -> Figures:
    tasks: dict[str, list[float]] = defaultdict(list)
    for name, value in values:
        tasks[name].append(value)
    if len(tasks) == 1:
        return statistics.fmean(value for _, value in values), min(value for _, value in values)
    means = [statistics.fmean(group) for group in tasks.values()]
    return statistics.fmean(means), min(means)


def suite_lines(runs: Sequence[TaskRun]) -> Iterator[str]:
    """Yield one aligned line for each suite."""
    yield _columns("suite", "runs", "macro", "worst", "text", "list", "rec.", "learn s", "ms/page")
    for suite, group in by_suite(runs).items():
        figures = suite_figures(group)
        means = [f"{figures[kind][0]:.3f}" if kind in figures else "-" for kind in ("macro", *KINDS)]
        learn = statistics.fmean(run.learn_seconds for run in group)
        extract = statistics.fmean(run.extract_ms for run in group)
        worst = f"{figures['macro'][1]:.3f}"
        yield _columns(suite, len(group), means[0], worst, *means[1:], f"{learn:.2f}", f"{extract:.2f}")


def _columns(name: str, *cells: object) -> str:
    return f"{name:36}" + "".join(f"{cell!s:>8}" for cell in cells)


def field_lines(runs: Sequence[TaskRun]) -> Iterator[str]:
    """Yield precision, recall and F1 (pooled over seeds), the worst seed's F1 and whole-value exactness, by field."""
    yield _columns("task field", "prec.", "recall", "F1", "worst", "exact")
    groups: dict[str, list[TaskRun]] = defaultdict(list)
    for run in runs:
        groups[run.task.name].append(run)
    for name, group in groups.items():
        for field in group[0].task.fields:
            total = Score()
            for run in group:
                total += run.scores[field]
            worst = min(run.scores[field].f1 for run in group)
            exact = total.pages_exact / max(total.pages, 1)
            cells = (total.precision, total.recall, total.f1, worst, exact)
            yield _columns(f"{name} {field}", *(f"{cell:.3f}" for cell in cells))


def mistake_lines(runs: Sequence[TaskRun], each: int, *, hidden: bool = True) -> Iterator[str]:
    """Yield *each* mistakes for each field of each task, from the seeds that made most of them.

    Those of the tasks that are only scored stay *hidden*: a rule made for them would make their score worthless.
    """
    if hidden and (only_scored := sorted({run.task.name for run in runs if not run.task.looked_at and run.mistakes})):
        yield f"== not shown (--all-errors shows them): {', '.join(only_scored)}"
        runs = [run for run in runs if run.task.looked_at]
    for run in runs:
        if run.refusal:
            yield f"== {run.task.name} seed {run.seed} not learned whole: {_short(run.refusal)}"
    groups: dict[tuple[str, str], list[tuple[TaskRun, list[Mistake]]]] = defaultdict(list)
    for run in runs:
        for field in run.task.fields:
            if mistakes := [one for one in run.mistakes if one.field == field]:
                groups[run.task.name, field].append((run, mistakes))
    for (task, field), found in groups.items():
        found.sort(key=lambda pair: -len(pair[1]))
        counts = ", ".join(f"seed {run.seed}: {len(mistakes)}" for run, mistakes in found)
        yield f"== {task} {field}: {counts}"
        run, mistakes = found[0]
        yield f"   learned on {' '.join(run.samples)}"
        for one in mistakes[:each]:
            yield f"   {one.url}\n     expected  {_short(one.expected)}\n     extracted {_short(one.extracted)}"


def _short(value: object, limit: int = 400) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[: limit // 2]} … {text[-limit // 2 :]}"


def comparison_table(modes: Mapping[str, Sequence[TaskRun]]) -> str:
    """Return a Markdown table: one row for each suite, the modes side by side."""
    names = list(modes)
    head = [
        "pages of",
        "fields",
        *(f"{name}: mean F1 (worst)" for name in names),
        "text / list / records",
        "learn s",
        "ms a page",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    grouped = {name: by_suite(runs) for name, runs in modes.items()}
    for suite, first in grouped[names[0]].items():
        lines.append(f"| {' | '.join(_row(suite, first, [grouped[name][suite] for name in names]))} |")
    lines += (f"| {' | '.join(_split_row(modes, looked_at))} |" for looked_at in (True, False))
    return "\n".join(lines)


def _split_row(modes: Mapping[str, Sequence[TaskRun]], looked_at: bool) -> list[str]:
    """Return the row of all tasks whose mistakes are read, or of all that are only scored; edited pages aside."""
    label = "*all whose mistakes we read*" if looked_at else "*all that are only scored*"
    cells = [label, ""]
    for runs in modes.values():
        wanted = [run for run in runs if run.task.looked_at is looked_at and not run.task.edited]
        values = [(run.task.name, value) for run in wanted if (value := run.macro_f1()) is not None]
        cells.append("{:.3f} ({:.3f})".format(*_mean_and_worst(values)) if values else "-")
    return [*cells, "", "", ""]


def _row(suite: str, first: Sequence[TaskRun], groups: Sequence[Sequence[TaskRun]]) -> list[str]:
    cells = [suite, str(len(first[0].task.fields))]
    for group in groups:
        mean, worst = suite_figures(group)["macro"]
        cells.append(f"{mean:.3f} ({worst:.3f})")
    figures = suite_figures(first)
    cells.append(" / ".join(f"{figures[kind][0]:.3f}" if kind in figures else "-" for kind in KINDS))
    cells.append(f"{statistics.fmean(run.learn_seconds for run in first):.2f}")
    cells.append(f"{statistics.fmean(run.extract_ms for run in first):.1f}")
    return cells
