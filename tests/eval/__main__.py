"""The command line of the evaluation: `python -m tests.eval --corpus booksamillion --seeds 10 --errors`.

Prints one line for each suite (mean and worst macro F1 over the seeds, CPU times), then with --fields one for each
field, and with --errors the commonest mistakes. `--table` prints both modes side by side, as docs/quality.md
has them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable

from tests.eval.corpora import CorporaAbsent
from tests.eval.floors import FORMS, run_suite
from tests.eval.harness import run_tasks
from tests.eval.report import comparison_table, field_lines, mistake_lines, suite_lines
from tests.eval.tasks import load_tasks


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for; 0, or 2 where the corpora are absent."""
    options = _parser().parse_args(arguments)
    try:
        tasks = load_tasks(options.corpus)
    except CorporaAbsent as absent:
        print(absent, file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(f"{task.name}  {len(task.pages)} pages  {', '.join(task.fields)}" for task in tasks))
        return 0
    size = {"seeds": options.seeds, "max_pages": options.pages or None, "sample_count": options.samples}
    if options.table:
        print(_table(dict.fromkeys(task.suite for task in tasks), options.form))
        return 0
    runs = run_tasks(tasks, mode=options.mode, **size)
    if options.json:
        print(json.dumps([_as_json(run) for run in runs], ensure_ascii=False, indent=1))
        return 0
    print("\n".join(suite_lines(runs)))
    if options.fields or options.errors:
        print("\n" + "\n".join(field_lines(runs)))
    if options.errors:
        print("\n" + "\n".join(mistake_lines(runs, options.errors, hidden=not options.all_errors)))
    return 0


def _table(suites: Iterable[str], form: str) -> str:
    """Measure whole suites in both modes, as the floors are measured."""
    names = list(suites)
    modes = ("best", "paper")
    return comparison_table(
        {mode: [run for suite in names for run in run_suite(suite, FORMS[form], mode)] for mode in modes}
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.eval", description="Score learning and extraction.")
    parser.add_argument("--corpus", action="append", default=[], help="task or suite name prefix, may be repeated")
    parser.add_argument("--seeds", type=int, default=10, help="pairs of sample pages (10)")
    parser.add_argument("--mode", choices=("best", "paper"), default="best")
    parser.add_argument("--pages", type=int, default=300, help="at most so many scored pages a seed (300; 0: all)")
    parser.add_argument("--fields", action="store_true", help="one line for each field")
    parser.add_argument("--errors", type=int, nargs="?", const=3, default=0, metavar="N", help="N mistakes a field (3)")
    parser.add_argument("--all-errors", action="store_true", help="of the tasks that should only be scored, too")
    parser.add_argument("--samples", type=int, choices=(1, 2), default=2, help="sample pages to learn from (2)")
    parser.add_argument("--table", action="store_true", help="suites in both modes side by side, as Markdown")
    parser.add_argument("--form", choices=tuple(FORMS), default="full", help="how much the table measures (full)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", action="store_true", help="name the tasks and stop")
    return parser


def _as_json(run: object) -> dict[str, object]:
    from tests.eval.harness import TaskRun

    assert isinstance(run, TaskRun)
    return {
        "task": run.task.name,
        "seed": run.seed,
        "samples": run.samples,
        "macro_f1": run.macro_f1(),
        "fields": {name: score.f1 for name, score in run.scores.items()},
        "learn_seconds": run.learn_seconds,
        "extract_ms": run.extract_ms,
    }


if __name__ == "__main__":
    sys.exit(main())
