"""From sample pages with values to a wrapper: the entry point of wrapper learning in either mode."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.fields import is_blank
from gwc_crawler.extract.wrapper import Rule, Wrapper
from gwc_crawler.learn.wrapper.best import BestLearner
from gwc_crawler.learn.wrapper.complaints import complain
from gwc_crawler.learn.wrapper.paper import learn_paper_rule
from gwc_crawler.learn.wrapper.samples import Sample, SamplePages, field_names, view_pages
from gwc_crawler.modes import LearnMode

MOST_PAGES = 20
"""Further pages that candidates are ranked on."""


def learn_wrapper(
    samples: Sequence[Sample],
    more_pages: Iterable[Any] = (),
    *,
    mode: LearnMode | str = LearnMode.BEST,
    pages: SamplePages | None = None,
    by_hand: Collection[str] = (),
) -> Wrapper:
    """Learn how to read every field of the samples.

    Args:
        samples: one page or more (usually two) with the values a person sees there. A field that is missing or empty on
            some of them is optional.
        more_pages: further pages of the same kind, to rank candidates that fit the samples equally well: bodies,
            (url, body) pairs, or objects with `url` and `html`.
        mode: "best", or "paper" for the paper's algorithms 2 and 3 as they are (two samples, no further pages).
        pages: the sample pages that other calls with the same samples have read.
        by_hand: fields that are read by other means; their values only serve to rule them out for other fields.

    Raises:
        LearnError: no samples, values that are not on their page (a line for each with value, page and closest text),
            or no field that can be learned. If only some fields can't be, each is a warning.
    """
    pages = pages or SamplePages()
    views = pages.views(samples)
    asked = [name for name in field_names(views) if name not in by_hand]
    names = [name for name in asked if any(not is_blank(view.fields.get(name)) for view in views)]
    if not names:
        raise LearnError("no sample has a field; give each sample page the values you see on it")
    learned: dict[str, tuple[Rule | None, dict[str, Any]]]
    if mode == LearnMode.PAPER:
        learned = {name: (learn_paper_rule(name, views), {}) for name in names}
    else:
        learner = BestLearner(views, view_pages(more_pages, MOST_PAGES), pages)
        learned = {name: learner.learn(name) or (None, {}) for name in names}
    rules: dict[str, Rule] = {name: rule for name, (rule, _) in learned.items() if rule is not None}
    found = complain(names, rules, views, mode)
    if found.errors or not rules:
        raise LearnError("\n".join(found.errors or found.unled))
    warnings = ["learned from one sample page: give a second one to be sure"] if len(views) == 1 else []
    warnings += [f"{text}; it stays empty" for text in found.unled]
    warnings += found.warnings
    report = {name: dict(evidence) for name, (_, evidence) in learned.items()}
    for name in found.unmet:
        report[name]["unmet"] = True
    optional = frozenset(name for name in asked if any(is_blank(view.fields.get(name)) for view in views))
    return Wrapper(LearnMode(mode), rules, optional, tuple(warnings), report)
