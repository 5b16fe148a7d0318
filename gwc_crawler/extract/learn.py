"""From sample pages with values to a wrapper: the entry point of wrapper learning in either mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.best_learn import BestLearner
from gwc_crawler.extract.paper import closest_text, learn_paper_rule
from gwc_crawler.extract.samples import Sample, SampleView, field_names, view_pages, view_samples
from gwc_crawler.extract.values import is_empty
from gwc_crawler.extract.view import PageView
from gwc_crawler.extract.wrapper import Rule, Wrapper

MOST_PAGES = 20
"""Further pages that candidates are ranked on."""


def learn_wrapper(samples: Sequence[Sample], more_pages: Iterable[Any] = (), *, mode: str = "best") -> Wrapper:
    """Learn how to read every field of the samples.

    Args:
        samples: one page or more (two are the rule) with the values a person sees there.
        more_pages: further pages of the same kind, to rank what fits the samples equally well.
        mode: "best", or "paper" for the paper's algorithms 2 and 3 as they are (which use two samples, no more pages).

    Raises:
        LearnError: no samples, or values found nowhere: which, on which page, and the closest text there.
    """
    views = view_samples(samples)
    names = field_names(views)
    if not names:
        raise LearnError("no sample has a field; give each sample page the values you see on it")
    if mode == "best":
        return _learn_best(names, views, view_pages(more_pages, MOST_PAGES))
    rules = {name: rule for name in names if (rule := learn_paper_rule(name, views)) is not None}
    if missing := [name for name in names if name not in rules and _wanted(name, views)]:
        raise LearnError("\n".join(_not_found(name, views) for name in missing))
    return Wrapper(mode, _in_order(names, rules), optional_fields(views), _warnings(views))


def _learn_best(names: Sequence[str], samples: Sequence[SampleView], more: Sequence[PageView]) -> Wrapper:
    learner = BestLearner(samples, more)
    rules: dict[str, Rule] = {}
    report = {}
    missing = []
    warnings = list(_warnings(samples))
    for name in names:
        if not _wanted(name, samples):
            continue
        learned = learner.learn(name)
        if learned is None:
            missing.append(name)
            continue
        rules[name], report[name] = learned
    if missing and len(missing) == len(names):
        raise LearnError("\n".join(_not_found(name, samples) for name in missing))
    warnings += [_not_found(name, samples) for name in missing]
    return Wrapper("best", rules, optional_fields(samples), tuple(warnings), report)


def optional_fields(samples: Sequence[SampleView]) -> frozenset[str]:
    """The fields that are empty on some sample page."""
    names = field_names(samples)
    return frozenset(name for name in names if any(is_empty(sample.fields.get(name)) for sample in samples))


def _in_order(names: Sequence[str], rules: dict[str, Any]) -> dict[str, Rule]:
    return {name: rules[name] for name in names if name in rules}


def _wanted(name: str, samples: Sequence[SampleView]) -> bool:
    return any(not is_empty(sample.fields.get(name)) for sample in samples)


def _not_found(name: str, samples: Sequence[SampleView]) -> str:
    sample = next(one for one in samples if not is_empty(one.fields.get(name)))
    text = first_text(sample.fields[name])
    return (
        f"field {name!r}: the value {text!r} is nowhere on {sample.page.url or 'the sample page'}; "
        f"the closest text there is {closest_text(text, sample.page)!r}"
    )


def first_text(value: Any) -> str:
    """The first text inside a value of any shape."""
    if isinstance(value, dict):
        return first_text(next(iter(value.values()), ""))
    if isinstance(value, list | tuple):
        return first_text(value[0]) if value else ""
    return str(value)


def _warnings(samples: Sequence[SampleView]) -> tuple[str, ...]:
    if len(samples) == 1:
        return ("learned from one sample page: give a second one to be sure",)
    return ()
