"""Learn a template from two sample pages, score what is read from unseen ones."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gwc_crawler.errors import LearnError
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.eval.scoring import Score, score_value
from tests.eval.templates.template import Page, Template

Fitness = Callable[[tuple[Page, Page]], tuple[int, ...]]

MORE, SCORED, TO_CHOOSE = 20, 20, 12


@dataclass
class Outcome:
    """What became of a template: a score for each field, and what was wrong."""

    template: Template
    scores: dict[str, Score] = field(default_factory=dict)
    mistakes: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    wrapper: Any = None
    samples: tuple[Page, ...] = ()
    refusal: str = ""

    def of_shape(self, shape: str) -> list[float]:
        """The share of pages on which each field of a shape is exact."""
        return [
            score.pages_exact / score.pages
            for name, score in self.scores.items()
            if self.template.fields[name] == shape and score.pages
        ]


def try_template(seed: int, *, wide: bool = False) -> Outcome:
    """Learn the template of a seed and score it."""
    template = Template.drawn(seed, wide=wide)
    pages = template.pages(TO_CHOOSE + MORE + SCORED)
    samples = choose(pages[:TO_CHOOSE], seed, _shortness if template.single else _fullness if wide else _fitness)
    known = {name for page in samples for name in page.truth}
    outcome = Outcome(template, {name: Score() for name in template.fields if name in known}, samples=samples)
    more = [(page.url, page.html) for page in pages[TO_CHOOSE : TO_CHOOSE + MORE]]
    _learn(outcome, more)
    for page in pages[TO_CHOOSE + MORE :]:
        found = outcome.wrapper.extract(page.html, page.url) if outcome.wrapper else {}
        for name in outcome.scores:
            score = score_value(page.truth.get(name) or "", found.get(name))
            if score.wrong or score.missing:
                outcome.mistakes.setdefault(name, (page.truth.get(name), found.get(name)))
            outcome.scores[name] += score
    return outcome


def _learn(outcome: Outcome, more: list[tuple[str, str]]) -> None:
    """Learn; without the fields that learning refuses to learn, which is kept as the refusal."""
    refused: set[str] = set()
    while True:
        truths = [
            {name: value for name, value in page.truth.items() if name not in refused} for page in outcome.samples
        ]
        given = [Sample(page.url, page.html, truth) for page, truth in zip(outcome.samples, truths, strict=True)]
        try:
            outcome.wrapper = learn_wrapper(given, more)
        except LearnError as error:
            outcome.refusal = outcome.refusal or str(error)
            named = set(re.findall(r"field '(\w+)'", str(error)))
            if not named - refused:
                return
            refused |= named
        else:
            return


def choose(pages: list[Page], seed: int, fitness: Fitness | None = None) -> tuple[Page, ...]:
    """Two pages as a person would choose them: of each layout one, with most fields, in lists more than one item."""
    rng = random.Random(f"samples {seed}")
    pairs = rng.sample(list(itertools.combinations(pages, 2)), 30)
    return max(pairs, key=fitness or _fitness)


def _fitness(pair: tuple[Page, Page]) -> tuple[int, ...]:
    names = {name for page in pair for name in page.truth}
    both = sum(all(name in page.truth for page in pair) for name in names)
    lists = sum(
        any(isinstance(page.truth.get(name), list) and len(page.truth[name]) > 1 for page in pair) for name in names
    )
    return len({page.variant for page in pair}), len(names), lists, both


def _fullness(pair: tuple[Page, Page]) -> tuple[int, ...]:
    """As a person chooses who wants to show every part of the records, too."""
    variants, *rest = _fitness(pair)
    return variants, _shown(pair), *rest


def _shortness(pair: tuple[Page, Page]) -> tuple[int, ...]:
    """Of pages with most fields those with the shortest lists."""
    lengths = sum(len(value) for page in pair for value in page.truth.values() if isinstance(value, list))
    return len({page.variant for page in pair}), _shown(pair), -lengths


def _shown(pair: tuple[Page, Page]) -> int:
    return len({(name, key) for page in pair for name, value in page.truth.items() for key in _parts(value)})


def _parts(value: Any) -> set[str]:
    """The names of the parts of records; of a text or list itself "" alone."""
    return {key for one in value for key in one} if isinstance(value, list) and isinstance(value[0], dict) else {""}
