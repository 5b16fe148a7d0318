"""The harness learns on two pages it may choose, scores on the others, and says what a learner refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import LearnError
from tests.eval.harness import choose_samples, run_task, run_tasks
from tests.eval.report import comparison_table, field_lines, mistake_lines, suite_figures, suite_lines
from tests.eval.tasks import EvalPage, Task


class Oracle:
    """A learner whose wrappers know the truth of every page, but for the fields it is told to get wrong."""

    def __init__(
        self, task: Task, wrong: Mapping[str, Any] | None = None, refused: frozenset[str] = frozenset()
    ) -> None:
        self.truth = {page.url: page.truth for page in task.pages}
        self.wrong, self.refused = wrong or {}, refused
        self.calls: list[tuple[list[str], list[str]]] = []

    def __call__(self, samples: Any, more_pages: Any = (), *, mode: Any = "best") -> Any:
        self.calls.append(([one.url for one in samples], [url for url, _ in more_pages]))
        fields = {name for one in samples for name in one.fields}
        if fields & self.refused:
            raise LearnError("nowhere")
        return OracleWrapper(self, fields)


class OracleWrapper:
    def __init__(self, oracle: Oracle, fields: set[str]) -> None:
        self.oracle, self.fields = oracle, fields

    def extract(self, html: bytes, url: str) -> dict[str, Any]:
        return {name: self.oracle.wrong.get(name, self.oracle.truth[url][name]) for name in self.fields}


def make_task(directory: Path, count: int) -> Task:
    pages = []
    for number in range(count):
        file = directory / f"{number}.html"
        rich = number % 3 == 0
        truth = {"name": f"Name {number}", "note": "Rare" if rich else "", "tags": ["one", "two"] if rich else ["one"]}
        texts = [truth["name"], truth["note"], *truth["tags"]]
        file.write_text("".join(f"<p>{text}</p>" for text in texts), encoding="utf-8")
        pages.append(EvalPage(f"http://example.com/{number}", file, truth))
    return Task("demo/page", "demo/page", "", tuple(pages))


@pytest.mark.parametrize("count", [4, 60])
def test_a_perfect_learner_has_f1_one_and_sees_no_scored_page_as_a_sample(tmp_path: Path, count: int) -> None:
    task = make_task(tmp_path, count)
    oracle = Oracle(task)
    run = run_task(task, 0, learn=oracle)
    assert run.macro_f1() == 1
    assert run.pages == (2 if count == 4 else count - 2 - 30)
    samples, more = oracle.calls[0]
    assert len(samples) == 2
    assert not set(samples) & set(more)


def test_samples_are_rich_repeatable_and_differ_by_seed(tmp_path: Path) -> None:
    task = make_task(tmp_path, 60)
    pairs = [tuple(page.url for page in choose_samples(task, seed)) for seed in range(8)]
    assert pairs == [tuple(page.url for page in choose_samples(task, seed)) for seed in range(8)]
    assert len(set(pairs)) > 5
    for seed in range(8):
        assert any(page.truth["note"] for page in choose_samples(task, seed))


def test_a_site_with_few_pages_is_run_once_for_each_pair(tmp_path: Path) -> None:
    task = make_task(tmp_path, 4)
    runs = run_tasks([task], seeds=10, learn=Oracle(task))
    assert len({run.samples for run in runs}) == 6


def test_one_sample_page_can_be_enough(tmp_path: Path) -> None:
    task = make_task(tmp_path, 20)
    oracle = Oracle(task)
    run_task(task, 0, learn=oracle, sample_count=1)
    assert len(oracle.calls[0][0]) == 1


def test_a_refused_field_scores_as_not_found_and_the_others_count(tmp_path: Path) -> None:
    task = make_task(tmp_path, 60)
    run = run_task(task, 0, learn=Oracle(task, refused=frozenset({"tags"})))
    assert run.refusal == "nowhere"
    assert (run.scores["name"].f1, run.scores["tags"].f1) == (1, 0)
    everything = frozenset({"name", "note", "tags"})
    assert run_task(task, 0, learn=Oracle(task, refused=everything)).scores["name"].recall == 0


def test_figures_lines_and_table_show_mean_and_worst(tmp_path: Path) -> None:
    task = make_task(tmp_path, 60)
    good, bad = run_task(task, 0, learn=Oracle(task)), run_task(task, 1, learn=Oracle(task, {"name": "Name"}))
    figures = suite_figures([good, bad])
    assert figures["text"] == (0.75, 0.5)
    assert figures["list"] == (1, 1)
    assert "demo/page" in list(suite_lines([good, bad]))[1]
    assert len(list(field_lines([good, bad]))) == 4
    assert any("Name" in line for line in mistake_lines([good, bad], 1, hidden=False))
    assert "not shown" in next(mistake_lines([good, bad], 1))
    assert "| demo/page | 3 | 1.000 (1.000) | 0.667 (0.667) |" in comparison_table({"best": [good], "paper": [bad]})
