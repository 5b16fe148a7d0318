"""Watching a running crawl for fields that fall away: records in, an alarm out, once for each field.

A site that changes its pages does not announce it. What the learner saw as a field's coverage is what the crawl should
see, too; a field that stays clearly below it over the last pages has drifted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from gwc_crawler.items import Record
from gwc_crawler.knowledge import Knowledge

WINDOW_PAGES = 60
"""Records that the rolling coverage looks at."""

LEAST_PAGES = 30
"""No alarm before this many records."""


@dataclass(frozen=True, slots=True)
class DriftAlarm:
    """A field that has fallen away: coverage expected and seen (0 … 1) over the last `pages` records."""

    field: str
    expected: float
    seen: float
    pages: int
    url: str

    def __str__(self) -> str:
        return (
            f"field {self.field!r} has fallen away: found on {self.seen:.0%} of the last {self.pages} records, "
            f"{self.expected:.0%} when it was learned; last page without it: {self.url}; "
            f"look at the table `exceptions`, then learn again"
        )


class DriftWatch:
    """Rolling coverage of each field against what was expected.

    Args:
        expected: field → coverage (0 … 1) on the pages it was learned on. Fields that are rare there are not watched.
    """

    def __init__(self, expected: Mapping[str, float]) -> None:
        self._expected = {name: share for name, share in expected.items() if share > 0}
        self._recent: dict[str, deque[bool]] = {name: deque(maxlen=WINDOW_PAGES) for name in self._expected}
        self._alarmed: set[str] = set()

    def see(self, record: Record) -> list[DriftAlarm]:
        """Take in one record; return an alarm for each field that has fallen away by now and was not reported yet."""
        alarms = []
        for name, recent in self._recent.items():
            present = record.fields.get(name) not in (None, "", [])
            recent.append(present)
            if present or name in self._alarmed or len(recent) < LEAST_PAGES:
                continue
            seen, expected = sum(recent) / len(recent), self._expected[name]
            if seen < lowest_credible(expected, len(recent)):
                self._alarmed.add(name)
                alarms.append(DriftAlarm(name, expected, seen, len(recent), record.url))
        return alarms


def expected_coverage(knowledge: Knowledge) -> dict[str, float]:
    """Return the coverage of each field on the pages that the learner tried its wrapper on; {} where it tried none."""
    fields = knowledge.evidence.get("fields", {})
    return {name: float(row["coverage"]) for name, row in fields.items() if row.get("coverage")}


def lowest_credible(expected: float, pages: int) -> float:
    """Return the coverage below which *pages* records can't be chance: four standard deviations, and half the expected.

    >>> round(lowest_credible(1.0, 60), 2), round(lowest_credible(0.5, 60), 2), lowest_credible(0.05, 60)
    (0.5, 0.24, 0.0)
    """
    share = min(0.99, expected)
    return max(0.0, min(expected / 2, share - 4 * sqrt(share * (1 - share) / pages)))
