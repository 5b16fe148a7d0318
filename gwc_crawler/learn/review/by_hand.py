"""What a person has said of URLs in the site file, with how many known URLs each pattern takes; which take none.

In: the pages of the review and the task. Out: rows for the report, and warnings that name the nearest pattern that
would take some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rapidfuzz import fuzz

from gwc_crawler.knowledge import glob_of
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.targets import LearnTask
from gwc_crawler.learn.urls import class_regexes, split_into_groups
from gwc_crawler.urls import host_of


def count_by_hand(task: LearnTask, pages: Pages) -> list[dict[str, Any]]:
    """For each pattern: its key, its text, how many known URLs it takes, one of them; and the nearest if it takes
    none."""
    known, rows = sorted(pages.known), list[dict[str, Any]]()
    for key, patterns in task.by_hand.items():
        for one in patterns:
            taken = list(filter(re.compile(one.regex).fullmatch, known))
            row = {"key": key, "pattern": one.text, "urls": len(taken), "example": taken[0] if taken else ""}
            rows.append(row if taken else {**row, "nearest": _nearest(glob_of(one.regex), known)})
    return rows


def _nearest(glob: str, known: list[str]) -> str:
    """The form of URLs whose glob is most like one that takes none; "" where nothing is known."""
    host = host_of(known[0]) if known else ""
    groups = split_into_groups(known) if known else []
    forms = [glob_of(regex, host) for rows in groups for regex in class_regexes(rows)]
    return max(sorted(set(forms)), key=lambda form: fuzz.ratio(form, glob), default="")


def warnings_by_hand(rows: list[dict[str, Any]], known: int) -> Iterator[str]:
    """Sentences about the patterns that take nothing."""
    for row in rows:
        if not row["urls"]:
            nearest = f"; the nearest that takes some is {row['nearest']!r}" if row["nearest"] else ""
            yield f"{row['key']} {row['pattern']!r} in [learn] takes none of {known:,} known URLs{nearest}"
