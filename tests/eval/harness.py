"""Learn on two pages of a task, extract from the rest, score: `run_task` for one seed, `run_tasks` for many.

The two sample pages are drawn at random, as a person would choose them: both with (nearly) everything that the page
class has. Of up to 40 random pairs we take the first one where every field that half of the pages have is on both,
every field is on one at least, every list has two items on one page, and every sample value stands on its page; else
the pair that comes nearest. Further pages that only help to rank candidates are left out of the scores, but where a
site has few pages (recipes, list pages): there the learner sees all pages, without their truth.
"""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gwc_crawler.errors import LearnError
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.eval.edits import edit_page
from tests.eval.scoring import Score, score_value
from tests.eval.tasks import EvalPage, Task, page_characters, stands_in

MORE_PAGES = 30
FEW_PAGES = 10
"""A task with at most this many pages is scored on every page that is not a sample."""


class Learner(Protocol):
    """What is measured: `gwc_crawler.learn_wrapper` or anything with its signature."""

    def __call__(self, samples: Any, more_pages: Any = (), *, mode: Any = "best") -> Any:
        """Return an object with `extract(html, url) -> dict`."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One wrong field of one page."""

    url: str
    field: str
    expected: Any
    extracted: Any


@dataclass(slots=True)
class TaskRun:
    """One learning and its scores. Times are CPU seconds."""

    task: Task
    seed: int
    samples: tuple[str, ...]
    scores: dict[str, Score]
    learn_seconds: float
    extract_seconds: float
    pages: int
    mistakes: list[Mistake] = field(default_factory=list)
    refusal: str = ""
    """What the learner said where it would not learn every field."""

    def macro_f1(self, kinds: Iterable[str] = ("text", "list", "records")) -> float | None:
        """Return the mean F1 of the fields of these *kinds*, None where the task has none (or none was scored)."""
        wanted = set(kinds)
        scored = [s.f1 for name, s in self.scores.items() if s.pages and self.task.kind(name) in wanted]
        return statistics.fmean(scored) if scored else None

    @property
    def extract_ms(self) -> float:
        """Milliseconds for one page, parsing included."""
        return 1000 * self.extract_seconds / max(self.pages, 1)


def run_tasks(
    tasks: Sequence[Task],
    *,
    seeds: int,
    mode: str = "best",
    max_pages: int | None = 300,
    learn: Learner | None = None,
    sample_count: int = 2,
) -> list[TaskRun]:
    """Run every task with the seeds 0 … *seeds* - 1 (small tasks: at most as many as there are pairs)."""
    return [
        run_task(task, seed, mode=mode, max_pages=max_pages, learn=learn, sample_count=sample_count)
        for task in tasks
        for seed in range(min(seeds, _pairs(len(task.pages))))
    ]


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def run_task(
    task: Task,
    seed: int,
    *,
    mode: str = "best",
    max_pages: int | None = 300,
    learn: Learner | None = None,
    sample_count: int = 2,
) -> TaskRun:
    """Learn on the pair of *seed* and score on the rest, at most *max_pages* random ones.

    Args:
        mode: "best" or "paper", handed to the learner.
        learn: what to measure; the product's own learner by default.
        sample_count: 1 to learn on the first page of the pair alone.
    """
    samples = choose_samples(task, seed)
    rest = [page for page in task.pages if page is not samples[0] and page is not samples[1]]
    random.Random(f"{task.name} rest {seed}").shuffle(rest)
    if len(task.pages) <= FEW_PAGES:
        more, scored = rest, rest
    else:
        more, scored = rest[:MORE_PAGES], rest[MORE_PAGES:][:max_pages]
    learned = _learn(learn or learn_wrapper, samples[:sample_count], more, mode)
    return _score(task, seed, samples, learned, scored)


@dataclass(frozen=True, slots=True)
class _Learned:
    wrapper: Any
    seconds: float
    refusal: str = ""


def _learn(learn: Learner, samples: Sequence[EvalPage], more: Sequence[EvalPage], mode: str) -> _Learned:
    """Learn all fields; where the learner refuses, those that it can learn alone (the others score as not found)."""
    fields = {name for page in samples for name in page.sample_fields()}
    start = time.process_time()
    try:
        return _Learned(_learn_fields(learn, samples, more, mode, fields), time.process_time() - start)
    except LearnError as error:
        refusal = str(error)
    learnable = {name for name in fields if _can_learn(learn, samples, mode, name)}
    start = time.process_time()
    wrapper = _learn_fields(learn, samples, more, mode, learnable) if learnable else _Nothing()
    return _Learned(wrapper, time.process_time() - start, refusal)


class _Nothing:
    """The wrapper of a page class of which nothing could be learned."""

    def extract(self, html: bytes, url: str) -> dict[str, Any]:
        return {}


def _can_learn(learn: Learner, samples: Sequence[EvalPage], mode: str, name: str) -> bool:
    try:
        _learn_fields(learn, samples, (), mode, {name})
    except LearnError:
        return False
    return True


def _learn_fields(
    learn: Learner, samples: Sequence[EvalPage], more: Sequence[EvalPage], mode: str, fields: Collection[str]
) -> Any:
    given = [
        Sample(page.url, page.html, {name: value for name, value in page.sample_fields().items() if name in fields})
        for page in samples
    ]
    return learn(given, [(page.url, page.html) for page in more], mode=mode)


def _score(
    task: Task, seed: int, samples: Sequence[EvalPage], learned: _Learned, scored: Sequence[EvalPage]
) -> TaskRun:
    scores = {name: Score() for name in task.fields}
    urls = tuple(page.url for page in samples)
    run = TaskRun(task, seed, urls, scores, learned.seconds, 0.0, len(scored), refusal=learned.refusal)
    for page in scored:
        html = edit_page(page, seed) if task.edited else page.html
        start = time.process_time()
        extracted = learned.wrapper.extract(html, page.url)
        run.extract_seconds += time.process_time() - start
        for name, expected in page.truth.items():
            score = score_value(expected, extracted.get(name), folding=task.folding, unique=task.unique)
            scores[name] += score
            if score.wrong or score.missing:
                run.mistakes.append(Mistake(page.url, name, expected, extracted.get(name)))
    return run


def choose_samples(task: Task, seed: int) -> tuple[EvalPage, EvalPage]:
    """Return the two sample pages of *seed*; see the module's docstring."""
    if len(task.pages) <= FEW_PAGES:
        pairs = list(itertools.combinations(task.pages, 2))
        pairs.sort(key=lambda pair: (sum(map(_typable, pair)), _fitness(task, pair)), reverse=True)
        return pairs[seed]
    rng = random.Random(f"{task.name} samples {seed}")
    draws = [_draw(rng, task.pages) for _ in range(40)]
    draws.sort(key=lambda pair: _fitness(task, pair), reverse=True)  # stable: of equals the first drawn
    return next((pair for pair in draws if all(map(_typable, pair))), draws[0])


def _draw(rng: random.Random, pages: Sequence[EvalPage]) -> tuple[EvalPage, EvalPage]:
    first, second = rng.sample(range(len(pages)), 2)
    return pages[first], pages[second]


def _fitness(task: Task, pair: tuple[EvalPage, EvalPage]) -> tuple[int, int, int]:
    """Order pairs: frequent fields on both, each field on one (first in sparse tasks), two items in a list."""
    on_both = sum(all(page.truth[name] for page in pair) for name in _frequent_fields(task))
    on_one = sum(any(page.truth[name] for page in pair) for name in task.fields)
    first, second = (on_one, on_both) if task.sparse else (on_both, on_one)
    return first, second, sum(any(_is_long(page.truth[name]) for page in pair) for name in task.fields)


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1


_FREQUENT: dict[str, list[str]] = {}


def _frequent_fields(task: Task) -> list[str]:
    """Return the fields that half of the task's pages have."""
    if task.name not in _FREQUENT:
        present = {name: sum(bool(page.truth[name]) for page in task.pages) for name in task.fields}
        _FREQUENT[task.name] = [name for name, count in present.items() if count * 2 >= len(task.pages)]
    return _FREQUENT[task.name]


_TYPABLE: dict[str, bool] = {}


def _typable(page: EvalPage) -> bool:
    """Say whether every value of the page stands on it, and no part of a record is unknown."""
    if page.url not in _TYPABLE:
        known = not _unknown(page.truth)
        _TYPABLE[page.url] = known and stands_in(list(page.sample_fields().values()), page_characters(page))
    return _TYPABLE[page.url]


def _unknown(value: Any) -> bool:
    if isinstance(value, dict):
        return any(part is None or _unknown(part) for part in value.values())
    return isinstance(value, list) and any(map(_unknown, value))
