"""How well wrappers carry to drawn templates: `python -m tests.eval.templates --first 0 --sites 40`.

Prints the mean share of pages on which the fields of each shape are exact, then each field below the demand with one
mistake: what stands on the page, and what was read.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence

from tests.eval.templates.trial import Outcome, try_template

DEMANDS = {"text": 0.98, "list": 0.95, "records": 0.95}


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the templates and print how they went."""
    options = _parser().parse_args(arguments)
    outcomes = []
    for seed in range(options.first, options.first + options.sites):
        outcomes.append(try_template(seed, wide=options.wide))
        if not options.quiet:
            print("\n".join(failures(outcomes[-1], options.rules)), flush=True)
    print("\n".join(sums(outcomes)))
    return 0


def figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The mean share of exact pages over all fields of a shape."""
    shares = {shape: [share for one in outcomes for share in one.of_shape(shape)] for shape in DEMANDS}
    return {shape: statistics.fmean(found) for shape, found in shares.items() if found}


def reached(outcome: Outcome) -> bool:
    """Whether a template's fields reach the demands, by shape."""
    means = figures([outcome])
    return all(mean >= DEMANDS[shape] for shape, mean in means.items())


def failures(outcome: Outcome, rules: bool) -> Iterator[str]:
    """What failed, a few lines for each field."""
    if outcome.refusal:
        yield f"seed {outcome.template.seed}: {outcome.refusal[:300]}"
    for name, score in outcome.scores.items():
        shape = outcome.template.fields[name]
        if score.pages_exact < DEMANDS[shape] * score.pages:
            wanted, found = outcome.mistakes[name]
            yield f"seed {outcome.template.seed} {name} ({shape}) {score.pages_exact}/{score.pages}"
            yield f"   wanted {str(wanted)[:230]}"
            yield f"   found  {str(found)[:230]}"
            if rules and outcome.wrapper and name in outcome.wrapper.rules:
                for line in outcome.wrapper.rules[name].to_json().get("finders", [])[:4]:
                    yield f"   rule   {str(line)[:200]}"


def sums(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The means, and how many templates reach the demands."""
    for shape, mean in figures(outcomes).items():
        yield f"{shape:8} {mean:.3f}"
    yield f"{sum(map(reached, outcomes))} of {len(outcomes)} templates reach the demands"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.eval.templates", description="Learn drawn templates.")
    parser.add_argument("--sites", type=int, default=40, help="how many (40)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--wide", action="store_true", help="templates with rarer ways of writing values, too")
    parser.add_argument("--quiet", action="store_true", help="the sums alone")
    parser.add_argument("--rules", action="store_true", help="print the rules of the fields that fail")
    return parser


if __name__ == "__main__":
    sys.exit(main())
