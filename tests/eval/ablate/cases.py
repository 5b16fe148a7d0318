"""What a pass is tried on: sample pairs of the development sites, pages of recipes, generated sites, templates."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from gwc_crawler.errors import LearnError
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.eval.ablate.passes import named, without
from tests.eval.generated.grammar import draw_grammar
from tests.eval.generated.trial import try_as_a_crawl
from tests.eval.harness import run_task
from tests.eval.pairs import Pair, load_pairs, pages_of, task_of, typed
from tests.eval.scoring import Score, score_value
from tests.eval.targets import MOST_PAGES, score_samples, truth_of
from tests.eval.tasks import recipe_tasks
from tests.eval.templates.trial import try_template

MORE, SCORED = 20, 40
"""Further pages to learn from, and pages scored, of a development site."""


@dataclass(frozen=True, slots=True)
class Result:
    """The share of pages on which each field is exact; of whole sites, whether its targets are all and alone taken."""

    exact: dict[str, float]
    whole: bool | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One learning and its score. `suite` is the column it counts in."""

    suite: str
    name: str
    run: Callable[[], Result]


def load_cases(suites: Sequence[str], wanted: Sequence[str], kinds: Sequence[str], count: int) -> Iterator[Case]:
    """Yield the cases of these *suites*.

    Args:
        wanted: beginnings of the names of development groups (all for none).
        kinds: of sample pairs.
        count: generated sites, and templates.
    """
    pairs = load_pairs(wanted, kinds)
    if "values" in suites:
        yield from (Case("values", one.name, partial(_values, one)) for one in pairs if pages_of(one))
    if "targets" in suites:
        yield from (Case("targets", one.name, partial(_targets, one)) for one in pairs)
    if "recipes" in suites:
        yield from (
            Case("recipes", f"{task.name} {n}", partial(_recipes, task.name, n))
            for task in recipe_tasks()
            for n in range(2)
        )
    if "templates" in suites:
        yield from (Case("templates", str(seed), partial(_template, seed)) for seed in range(count))
    if "generated" in suites:
        yield from (Case("generated", str(seed), partial(_generated, seed)) for seed in range(count))


def run_case(case: Case, left_out: Sequence[str] = ()) -> tuple[Result, dict[str, int]]:
    """Run a case without some passes; return how often each of the others acted, too."""
    with without(named(left_out)) as acted:
        return case.run(), dict(acted)


def _values(pair: Pair) -> Result:
    pages, task = pages_of(pair), task_of(pair.group)
    assert pages is not None
    rest = [page for page in task.pages if page not in pages]
    random.Random(pair.name).shuffle(rest)
    more, scored = rest[:MORE], rest[MORE : MORE + SCORED]
    given = [Sample(page.url, page.html, typed(page)) for page in pages]
    names = {name for sample in given for name in sample.fields}
    try:
        wrapper = learn_wrapper(given, [(page.url, page.html) for page in more])
    except LearnError:
        return Result(dict.fromkeys(names, 0.0))
    scores = {name: Score() for name in sorted(names)}
    for page in scored:
        found = wrapper.extract(page.html, page.url)
        for name, score in scores.items():
            score += score_value(page.truth[name], found.get(name), folding=task.folding, unique=task.unique)
    return Result({name: score.pages_exact / score.pages for name, score in scores.items() if score.pages})


def _recipes(name: str, seed: int) -> Result:
    task = next(task for task in recipe_tasks() if task.name == name)
    scores = run_task(task, seed, max_pages=SCORED).scores
    return Result({name: score.pages_exact / score.pages for name, score in scores.items() if score.pages})


def _template(seed: int) -> Result:
    scores = try_template(seed).scores
    return Result({name: score.pages_exact / score.pages for name, score in scores.items() if score.pages})


def _generated(seed: int) -> Result:
    outcome = try_as_a_crawl(draw_grammar(seed))
    return Result({"values": outcome.exact}, outcome.passed)


def _targets(pair: Pair) -> Result:
    site, _, group = pair.group.partition("/")
    samples = truth_of(site).given_samples(group, pair.urls)
    return Result({}, score_samples(site, group, pair.kind, samples, None, MOST_PAGES).is_good)
