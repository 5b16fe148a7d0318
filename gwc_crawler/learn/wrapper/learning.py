"""From sample pages with values to a wrapper: the entry point of wrapper learning in either mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gwc_crawler.errors import LearnError
from gwc_crawler.extract import PageView, Rule, Wrapper
from gwc_crawler.extract.fields import first_text, is_empty, same_value
from gwc_crawler.learn.places import Context, LearnPage, find_places
from gwc_crawler.learn.wrapper.best import BestLearner
from gwc_crawler.learn.wrapper.paper import closest_text, learn_paper_rule
from gwc_crawler.learn.wrapper.samples import Sample, SampleView, field_names, view_pages, view_samples

MOST_PAGES = 20
"""Further pages that candidates are ranked on."""


def learn_wrapper(samples: Sequence[Sample], more_pages: Iterable[Any] = (), *, mode: str = "best") -> Wrapper:
    """Learn how to read every field of the samples.

    Args:
        samples: one page or more (two are the rule) with the values a person sees there. A field that is not given,
            or empty, on some of them is optional.
        more_pages: further pages of the same kind, to rank what fits the samples equally well: bodies, (url, body)
            pairs, or objects with `url` and `html`.
        mode: "best", or "paper" for the paper's algorithms 2 and 3 as they are (two samples, no further pages).

    Raises:
        LearnError: no samples, values that stand nowhere on their page (a line for each with value, page and closest
            text), or no field that can be learned. One that can't be, while others can, is a warning.
    """
    views = view_samples(samples)
    names = [name for name in field_names(views) if any(not is_empty(view.fields.get(name)) for view in views)]
    if not names:
        raise LearnError("no sample has a field; give each sample page the values you see on it")
    learned: dict[str, tuple[Rule | None, dict[str, Any]]]
    if mode == "paper":
        learned = {name: (learn_paper_rule(name, views), {}) for name in names}
    else:
        learner = BestLearner(views, view_pages(more_pages, MOST_PAGES))
        learned = {name: learner.learn(name) or (None, {}) for name in names}
    rules: dict[str, Rule] = {name: rule for name, (rule, _) in learned.items() if rule is not None}
    wrong = {name: _wrong_samples(name, rules.get(name), views) for name in names}
    complaints = [text for name in names if (text := _complaint(name, rules.get(name), wrong[name], mode))]
    unled = [_unled(name, wrong[name]) for name in names if name not in rules]
    if complaints or not rules:
        raise LearnError("\n".join(complaints or unled))
    warnings = ["learned from one sample page: give a second one to be sure"] if len(views) == 1 else []
    warnings += [f"{text}; it stays empty" for text in unled]
    warnings += [_deviation(name, rules[name], sample) for name in rules for sample in wrong[name] if mode == "best"]
    report = {name: dict(evidence) for name, (_, evidence) in learned.items()}
    return Wrapper(mode, rules, optional_fields(views), tuple(warnings), report)


def optional_fields(samples: Sequence[SampleView]) -> frozenset[str]:
    """The fields that are empty on some sample page."""
    names = field_names(samples)
    return frozenset(name for name in names if any(is_empty(sample.fields.get(name)) for sample in samples))


def _wrong_samples(name: str, rule: Rule | None, samples: Sequence[SampleView]) -> list[SampleView]:
    """The samples on which the rule does not give the value that the person gave."""
    if rule is None:
        return [sample for sample in samples if not is_empty(sample.fields.get(name))]
    return [sample for sample in samples if not same_value(rule.read(sample.page), sample.fields.get(name))]


def _complaint(name: str, rule: Rule | None, wrong: Sequence[SampleView], mode: str) -> str:
    """Which value of a field is nowhere on its page, and what is there instead; "" if all are there."""
    for sample in wrong:
        value = sample.fields.get(name)
        text = first_text(value)
        if not text or (rule is not None and mode == "paper"):
            continue
        if not stands_on(value, sample.page):
            return (
                f"field {name!r}: the value {_short(text)!r} is nowhere on {_page(sample)}; "
                f"the closest text there is {closest_text(text, sample.page)!r}"
            )
    return ""


def _unled(name: str, samples: Sequence[SampleView]) -> str:
    pages = " and ".join(map(_page, samples))
    return f"field {name!r}: its values stand on {pages}, but no rule leads to them; give it from other pages"


def stands_on(value: Any, page: PageView) -> bool:
    """Whether a value (of a list or of records: any text of it) stands on the page, in text, attribute or data."""

    if isinstance(value, str):
        if find_places(Context(LearnPage.of(page), value)):
            return True
        return any(same_value(found, value) for values in page.structured.values().values() for found in values)
    parts = [part for item in value for part in (item.values() if isinstance(item, dict) else [item])]
    return any(stands_on(part, page) for part in parts if not is_empty(part))


def _deviation(name: str, rule: Rule, sample: SampleView) -> str:
    wanted, found = sample.fields.get(name), rule.read(sample.page)
    return f"field {name!r} on {_page(sample)}: learned {_short(found)!r}, but the sample says {_short(wanted)!r}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _page(sample: SampleView) -> str:
    return sample.page.url or "the sample page"
