"""How many generated sites are learned from two targets: `python -m tests.eval.generated --sites 500`.

`--kind neighbours` takes two that stand together on a list, as a person picks them; `well_filled` the fullest pages.

Prints the share with recall and precision of the target decision ≥ .99, then each failure: seed, figures, grammar,
what was learned, a few pages that are wrong or lost. `--shrink` prints the simplest grammar that still fails.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.eval.generated.grammar import Grammar, described, draw_grammar, draw_wide_grammar
from tests.eval.generated.shrink import shrunk
from tests.eval.generated.trial import KINDS, Outcome, try_as_a_crawl


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the sites; 0 where the share asked for is reached, else 1."""
    options = _parser().parse_args(arguments)
    seeds = [options.seed] if options.seed is not None else range(options.first, options.first + options.sites)
    outcomes = []
    for outcome in try_seeds(seeds, options.processes, wide=options.wide, kind=options.kind):
        outcomes.append(outcome)
        if not outcome.passed and not options.quiet:
            print("\n".join(failure_lines(outcome)), flush=True)
            if options.shrink:
                print(f"  simplest: {described(shrunk(outcome.grammar))}", flush=True)
    passed = sum(outcome.passed for outcome in outcomes)
    used = sorted(outcome.pages for outcome in outcomes)
    print("\n".join([*_by_address(outcomes), *_by_certainty(outcomes)]))
    exact = sum(outcome.exact for outcome in outcomes) / len(outcomes)
    print(f"pages learned from: {used[0]} to {used[-1]}, median {used[len(used) // 2]}")
    print(
        f"{passed} of {len(outcomes)} sites passed ({passed / len(outcomes):.1%}); values exact on average {exact:.3f}"
    )
    return 0 if passed >= options.share * len(outcomes) else 1


def failure_lines(outcome: Outcome) -> Iterator[str]:
    """Say how a site failed, in a few lines."""
    yield f"seed {outcome.grammar.seed}: recall {outcome.recall:.3f} precision {outcome.precision:.3f} {outcome.error}"
    yield f"  {described(outcome.grammar)}"
    yield f"  samples {' '.join(outcome.samples)}"
    yield f"  learned {' | '.join(outcome.targets[:4])}, {outcome.pages} pages"
    if outcome.said:
        yield f"  said {outcome.said}"
    for name, paths in (("wrong", outcome.wrong), ("lost", outcome.lost)):
        if paths:
            yield f"  {name} {len(paths)}: {' '.join(paths[:: max(1, len(paths) // 3)][:3])}"


def try_seeds(seeds: Sequence[int], processes: int, *, wide: bool = False, kind: str = "random") -> Iterator[Outcome]:
    """Try the sites of some seeds, so many at a time; *wide* ones have filters, calendars and the like."""
    try_one = partial(_try_seed, draw_wide_grammar if wide else draw_grammar, kind)
    if processes == 1 or len(seeds) == 1:
        yield from (try_one(seed) for seed in seeds)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(try_one, seeds)


def _try_seed(draw: Callable[[int], Grammar], kind: str, seed: int) -> Outcome:
    return try_as_a_crawl(draw(seed), kind)


def _by_address(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Say how each way of addressing does: a cause that stands out is seen here first."""
    counts = Counter(outcome.grammar.address for outcome in outcomes)
    passed = Counter(outcome.grammar.address for outcome in outcomes if outcome.passed)
    for address, count in sorted(counts.items()):
        yield f"{address:12} {passed[address]:4} of {count:4}"


def _by_certainty(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Say how often the learning was right when it said how sure it is."""
    for level in ("sure", "fairly sure", "unsure"):
        told = [outcome for outcome in outcomes if outcome.certainty == level]
        yield f"{level:12} {sum(outcome.passed for outcome in told):4} of {len(told):4}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.eval.generated", description="Learn generated sites.")
    parser.add_argument("--sites", type=int, default=100, help="how many (100)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--seed", type=int, help="this site alone")
    parser.add_argument("--kind", choices=KINDS, default="random", help="how the two samples are picked (random)")
    parser.add_argument("--wide", action="store_true", help="with filters, calendars, neighbours, talk, mobile hosts")
    parser.add_argument("--share", type=float, default=0.99, help="exit code 1 below this share (.99)")
    parser.add_argument("--shrink", action="store_true", help="simplify each site that fails")
    parser.add_argument("--quiet", action="store_true", help="the sums alone")
    parser.add_argument("--processes", type=int, default=1, help="processes at a time (1)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
