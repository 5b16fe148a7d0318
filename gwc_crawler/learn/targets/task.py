"""The learning task: the parts of the site file that learning needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gwc_crawler.items import FieldValue
from gwc_crawler.knowledge.patterns import UrlPattern
from gwc_crawler.modes import LearnMode

TARGET, LISTING, ALSO, EXCLUDE = "target", "listing", "also", "exclude"
"""Keys of `LearnTask.by_hand`, and of [learn] in a site file."""


@dataclass(frozen=True)
class LearnTask:
    """One site's learning task.

    Attributes:
        samples: pairs of (URL, field → value that a person sees there).
        mode: the learner.
        target: a regex that decides the target class, or None to find it.
        max_weight: the weight threshold, or None to take it from the pre-crawl.
        types: field → type name.
        paging: list field → the regex of its further pages' URLs, "" to find it.
        fields: field → the rule made of a person's selectors, in a wrapper's JSON form.
        by_hand: a person's decisions on URLs: key → patterns.
    """

    site: str
    entry: tuple[str, ...]
    keywords: str = ""
    samples: tuple[tuple[str, Mapping[str, FieldValue]], ...] = ()
    mode: LearnMode = LearnMode.BEST
    target: str | None = None
    max_weight: int | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    paging: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by_hand: Mapping[str, Sequence[UrlPattern]] = field(default_factory=dict)
