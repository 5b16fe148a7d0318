"""What each pass of the learner brings: `python -m tests.eval.ablate`, for hours; or with less of everything:

    python -m tests.eval.ablate --suites values recipes --groups cloudchem shici --kinds random --passes what_parts
    python -m tests.eval.ablate --together what_parts mended        all of these off at once

A row for each pass: the lines that only it reaches, how many cases it acted in, and how the mean share of exact values
(or of whole sites) falls in each suite when it is left out; + is what the pass gains. Cases in which a pass never acted
come out the same without it and are not run again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.eval.ablate.cases import Case, Result, load_cases, run_case
from tests.eval.ablate.lines import lines_only_of
from tests.eval.ablate.passes import PASSES, Pass, named
from tests.eval.corpora import CorporaAbsent
from tests.eval.targets import KINDS

SUITES = ("values", "targets", "recipes", "templates", "generated")
Figures = Mapping[str, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0, or 2 where the corpora are absent or a pass is unknown."""
    options = _parser().parse_args(arguments)
    try:
        passes, together = (
            named(options.passes) if options.passes else _acting_on(options.suites),
            named(options.together),
        )
        cases = list(load_cases(options.suites, options.groups, options.kinds, options.count))
    except CorporaAbsent as absent:
        print(absent, file=sys.stderr)
        return 2
    except KeyError as unknown:
        print(f"there is no pass {unknown}; there are {', '.join(one.name for one in PASSES)}", file=sys.stderr)
        return 2
    forked = multiprocessing.get_context("fork")  # with the corpora that are read already
    with ProcessPoolExecutor(options.processes, forked) as pool:
        base = dict(zip((case.name for case in cases), pool.map(run_case, cases), strict=True))
        print(heading(options.suites))
        whole = {name: result for name, (result, _) in base.items()}
        print(row("(as it is)", None, len(cases), figures(cases, whole), {}), flush=True)
        for group in [together] if together else [[one] for one in passes]:
            names = [one.name for one in group]
            again = [case for case in cases if any(base[case.name][1].get(name) for name in names)]
            found = pool.map(partial(run_case, left_out=tuple(names)), again)
            rest = whole | {case.name: result for case, (result, _) in zip(again, found, strict=True)}
            label = names[0] if len(names) == 1 else f"{len(names)} passes"
            print(row(label, lines_only_of(names), len(again), figures(cases, whole), figures(cases, rest)), flush=True)
    return 0


def _acting_on(suites: Collection[str]) -> list[Pass]:
    """The passes that can change anything there: where no site is learned, none of those that decide on targets."""
    learn_sites = not {"targets", "generated"}.isdisjoint(suites)
    return [one for one in PASSES if learn_sites or not one.of_targets]


def figures(cases: Iterable[Case], results: Mapping[str, Result]) -> Figures:
    """Return for each suite the mean share of exact values of a field, and of whole sites where it has these."""
    exact: dict[str, list[float]] = {}
    for case in cases:
        result = results[case.name]
        exact.setdefault(case.suite, []).extend(result.exact.values())
        if result.whole is not None:
            exact.setdefault(f"{case.suite}, whole", []).append(float(result.whole))
    return {suite: statistics.fmean(shares) for suite, shares in exact.items() if shares}


def heading(suites: Sequence[str]) -> str:
    """Return the table's first lines."""
    columns = [column for suite in suites for column in _columns(suite)]
    return f"| pass | lines | acted in | {' | '.join(columns)} |\n|---|---|---|{'---|' * len(columns)}"


def _columns(suite: str) -> Iterator[str]:
    if suite != "targets":
        yield suite
    if suite in ("targets", "generated"):
        yield f"{suite}, whole"


def row(label: str, lines: int | None, acted: int, whole: Figures, rest: Figures) -> str:
    """Return a row: the figures themselves where nothing is left out, else what the pass gains."""
    told = [f"{whole[suite] - rest[suite]:+.4f}" if rest else f"{value:.4f}" for suite, value in whole.items()]
    return f"| {label} | {'' if lines is None else lines} | {acted} | {' | '.join(told)} |"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.eval.ablate", description="What each pass brings.")
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=SUITES, help="what to learn (all)")
    parser.add_argument("--groups", nargs="*", default=(), help="beginnings of names of development groups (all)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="of sample pairs (all)")
    parser.add_argument("--count", type=int, default=60, help="generated sites, and templates (60)")
    parser.add_argument("--passes", nargs="*", default=(), help="the passes to leave out, one after the other (all)")
    parser.add_argument("--together", nargs="*", default=(), help="leave these out all at once, nothing else")
    parser.add_argument("--processes", type=int, default=1, help="processes at a time (1)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
