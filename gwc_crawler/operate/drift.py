"""Watch a running crawl for fields that vanish: records in, an alarm out, once for each field.

A site that changes its pages does not announce it. The crawl should see a field as often as the learner did; but pages
come in clusters (a listing's products, one section after the other), so that a field of only some pages can be
absent for long on a sound site. A field that is nearly always there may not be absent on half of the last pages. An
optional one has to be absent altogether, for long compared with the clusters, in a section that used to have it; and
there must be more pages without it than the learned coverage explains."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, log, sqrt

from gwc_crawler.items import Record, is_empty
from gwc_crawler.knowledge.model import Knowledge

WINDOW_PAGES = 60
"""Records that the rolling coverage looks at."""

LEAST_PAGES = 30
"""No alarm before this many records."""

DENSE = 0.9
"""Coverage from which on a field counts as nearly always there."""

FEW = 0.05
"""Learned share of pages without a field below which it is not certain that any page lacks it."""

CLUSTER_PAGES = 50
"""Pages alike in a row, on average: the ones that one listing, or a few alike, lead to."""

CERTAINTY = log(10_000)
"""Logarithm of a chance: an absence that comes by chance only once in e to this counts as real."""

LONGER_THAN_BEFORE = 3
"""Times the longest absence before that an absence must last to count: that one shows how large clusters are."""

PATIENCE = 20
"""Absences, in units of `absence_pages`, after which it counts however the pages were ordered."""

SHORT_PATIENCE = 5
"""The same for an optional field that this crawl has not seen at all; and how many pages with a field that is nearly
always there may count in advance."""

REST = ""
MOST_SECTIONS = 16
"""Directories that are looked at by themselves; all others together are one more."""


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


@dataclass(slots=True)
class Sighting:
    """A field's history in one section: its last pages, and its absences.

    `credit` is how much more often it was seen than expected (negative: less often): on sorted pages absences are
    still due.
    """

    pages: int = 0
    present: int = 0
    absent: int = 0
    longest_absence: int = 0
    credit: float = 0.0
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW_PAGES))

    def add(self, present: bool, expected: float) -> None:
        """Count one page."""
        self.pages += 1
        self.recent.append(present)
        if present:
            self.present += 1
            self.longest_absence = max(self.longest_absence, self.absent)
        self.absent = 0 if present else self.absent + 1
        self.credit = min(self.credit + present - expected, most_credit(expected))

    @property
    def coverage(self) -> float:
        """The share of pages with the field, before it was missing; 0.0 if it never was there."""
        return self.present / (self.pages - self.absent) if self.present else 0.0

    def has_lost_it(self, expected: float) -> float | None:
        """Return the coverage of the last pages if a field that used to be here is gone, else None."""
        if not self.present:
            return None
        share = min(expected, self.coverage) if self.pages - self.absent >= LEAST_PAGES else expected
        if self.credit > -expected * absence_pages(share):
            return None
        seen = sum(self.recent) / len(self.recent)
        if share >= DENSE:
            enough = len(self.recent) >= LEAST_PAGES
            return seen if enough and seen < lowest_credible(share, len(self.recent)) else None
        longest_credible = max(absence_pages(share), LONGER_THAN_BEFORE * self.longest_absence)
        return 0.0 if self.absent > longest_credible else None


class DriftWatch:
    """The coverage of each field, in each section of the site, compared with the expected and the earlier one.

    `expected`: field → coverage (0 … 1) on the pages it was learned on. One that is rare there must be absent for long.
    """

    def __init__(self, expected: Mapping[str, float]) -> None:
        self._expected = {name: share for name, share in expected.items() if share > 0}
        self._whole = {name: Sighting() for name in self._expected}
        self._sections: dict[str, dict[str, Sighting]] = {}
        self._alarmed: set[str] = set()

    def see(self, record: Record) -> list[DriftAlarm]:
        """Take in one record; return an alarm for each field that has fallen away by now and was not reported yet."""
        key = section_of(record.url)
        if key not in self._sections and len(self._sections) >= MOST_SECTIONS:
            key = REST
        if key not in self._sections:
            self._sections[key] = {name: Sighting() for name in self._expected}
        section = self._sections[key]
        alarms = []
        for name, expected in self._expected.items():
            present = not is_empty(record.fields.get(name))
            whole, here = self._whole[name], section[name]
            own = here.coverage if self._belongs_here(name, here) else expected
            whole.add(present, expected)
            here.add(present, own)
            if present or name in self._alarmed:
                continue
            if (found := self._lost(name, whole, here, own)) is not None:
                self._alarmed.add(name)
                alarms.append(DriftAlarm(name, *found, record.url))
        return alarms

    def _lost(self, name: str, whole: Sighting, here: Sighting, own: float) -> tuple[float, float, int] | None:
        """Return the coverage expected and seen, and over how many pages, of a field that has fallen away."""
        expected = self._expected[name]
        patience = PATIENCE if whole.present else 1 if expected >= DENSE else SHORT_PATIENCE
        if whole.absent >= patience * absence_pages(expected):
            return expected, 0.0, whole.absent
        if (seen := here.has_lost_it(own)) is None:
            return None
        return own, seen, here.absent if own < DENSE else len(here.recent)

    def _belongs_here(self, name: str, here: Sighting) -> bool:
        """Say whether an optional field is nearly always in this section, and hardly in another."""
        expected = self._expected[name]
        if expected >= DENSE or here.coverage < DENSE or here.pages < WINDOW_PAGES:
            return False
        if (rest := self._sections.get(REST)) is not None and rest[name] is here:
            return False
        others = (section[name] for section in self._sections.values())
        return any(one.pages >= LEAST_PAGES and one.coverage < expected / 2 for one in others if one is not here)


def section_of(url: str) -> str:
    """Return the host and the first directory of a normalised URL.

    >>> section_of("http://a.example/books/7?x=/y/"), section_of("http://a.example/7")
    ('a.example/books', 'a.example/')
    """
    host, _, path = url.partition("://")[2].partition("?")[0].partition("/")
    first, slash, _ = path.partition("/")
    return f"{host}/{first if slash else ''}"


def absence_pages(coverage: float) -> float:
    """Return for how many pages a field may be missing by chance, if pages without it come in clusters.

    Where those with it come `CLUSTER_PAGES` at a time, those without it come (1 - c) / c times as many at a time, or
    half a cluster where they are few; the lengths of such stretches fall off exponentially.

    >>> [round(absence_pages(share)) for share in (1.0, 0.99, 0.95, 0.42, 0.1)]
    [30, 46, 230, 636, 4145]
    """
    if coverage <= 0:
        return inf
    few = CLUSTER_PAGES / 2 * min(1.0, (1 - coverage) / FEW)
    return max(LEAST_PAGES, CERTAINTY * max(few, CLUSTER_PAGES * (1 - coverage) / coverage))


@lru_cache(maxsize=1024)
def most_credit(expected: float) -> float:
    """Return how many pages with a field may count in advance, where as many as *expected* (0 … 1) have it."""
    patience = SHORT_PATIENCE if expected >= DENSE else PATIENCE
    return patience * expected * absence_pages(expected) if expected > 0 else 0.0


def expected_coverage(knowledge: Knowledge) -> dict[str, float]:
    """Return the coverage of each field on the pages that the learner tried its wrapper on; {} if it tried none."""
    fields = knowledge.evidence.get("fields", {})
    return {name: float(row["coverage"]) for name, row in fields.items() if row.get("coverage")}


def lowest_credible(expected: float, pages: int) -> float:
    """Return the coverage below which *pages* records can't be chance: four standard deviations, and half the expected.

    >>> round(lowest_credible(1.0, 60), 2), round(lowest_credible(0.5, 60), 2), lowest_credible(0.05, 60)
    (0.5, 0.24, 0.0)
    """
    share = min(0.99, expected)
    return max(0.0, min(expected / 2, share - 4 * sqrt(share * (1 - share) / pages)))
