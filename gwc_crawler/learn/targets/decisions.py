"""The decision that both modes make about a site's URLs, and the smaller decisions they share.

In: a task and its pre-crawled pages. Out: a `Choice`, which `learn_site` turns into knowledge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import UrlClass
from gwc_crawler.learn.targets.task import LearnTask

SHOWN = 5
"""How many of a kind a person is shown: URLs of a class, values of a field, doubts."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Target and directory classes of a site.

    `evidence` has the figures behind them, ready for JSON; `warnings` are sentences for a person.
    """

    targets: tuple[UrlClass, ...]
    directories: tuple[UrlClass, ...]
    ignored_query_keys: tuple[str, ...] = ()
    ignored_segments: Mapping[str, str] = field(default_factory=dict)
    page_check: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def compile_target(task: LearnTask) -> re.Pattern[str] | None:
    """Return the site file's own target regex, or None.

    Raises:
        LearnError: it is no regular expression.
    """
    if task.target is None:
        return None
    try:
        return re.compile(task.target)
    except re.error as error:
        message = f"[learn] target = {task.target!r} is no regular expression ({error}); mend it or leave it out"
        raise LearnError(message) from error


def given_class(pattern: re.Pattern[str], urls: Iterable[str]) -> UrlClass:
    """Return the class that a person chose by regex, with the *urls* it covers.

    Raises:
        LearnError: it matches no URL.
    """
    members = [url for url in urls if pattern.fullmatch(url)]
    if not members:
        example = next(iter(urls), "none")
        raise LearnError(
            f"[learn] target = {pattern.pattern!r} matches none of the fetched URLs; "
            f"it must match the whole URL, such as {example}"
        )
    return UrlClass(pattern.pattern, len(members), examples(members), 1.0, {"chosen_by": "[learn] target"})


def examples(urls: Sequence[str]) -> tuple[str, ...]:
    """Return a few URLs, spread evenly over *urls*."""
    step = max(1, len(urls) // SHOWN)
    return tuple(urls[::step][:SHOWN])


def weight_threshold(pages: Sequence[StoredPage]) -> dict[str, Any]:
    """Return the mean weight of all pre-crawled pages, how many have each weight, and the threshold "chosen": the mean
    rounded half up, at least 1 (GWC, *Initialise* 4)."""
    histogram = Counter(str(weight) for weight in sorted(page.weight for page in pages))
    mean = sum(page.weight for page in pages) / len(pages)
    return {"mean": round(mean, 3), "histogram": dict(histogram), "chosen": max(1, int(mean + 0.5))}


def class_row(role: str, one: UrlClass) -> dict[str, Any]:
    """Return a class as a row of the report."""
    return {
        "regex": one.regex,
        "role": role,
        "size": one.size,
        "score": round(one.score, 3),
        "examples": list(one.examples),
        **one.evidence,
    }
