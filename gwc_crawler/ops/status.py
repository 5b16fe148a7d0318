"""How far a site's crawl is: its files in, a `SiteStatus` out, which has a form in JSON; as text: `status_text`.

Read-only, and safe while a crawl runs. Called by `scrapy status`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from gwc_crawler.database import Database, crawl_holder
from gwc_crawler.errors import KnowledgeError, StoreError
from gwc_crawler.frontier import Intervals
from gwc_crawler.frontier.cuts import LimitsState, read_limits
from gwc_crawler.frontier.figures import Tally, paused_hosts, tally, workers
from gwc_crawler.frontier.revisit_table import count_due
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.store.figures import count_exceptions_by_field, count_records

JSON_HOSTS = 1000
"""Hosts in JSON, the largest first."""

STATE_NAMES = {"U": "waiting", "R": "running", "C": "complete", "E": "error"}


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker's leases: how many, since when the oldest, and when that one returns to the waiting URLs."""

    owner: str
    leased: int
    oldest_lease_seconds: float
    next_expiry_seconds: float


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    """One crawl or pre-crawl. `running_as` names the process that runs it now, None if it rests."""

    database: str
    running_as: str | None
    tally: Tally
    records: int
    exceptions: Mapping[str, int]
    workers: tuple[WorkerStatus, ...]
    paused_hosts: Mapping[str, float]
    limits: LimitsState = field(default_factory=LimitsState)
    due: int = 0
    """Pages that `-a recrawl=due` would look at now."""

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy status --json`; times are epoch seconds."""
        figures = self.tally
        return {
            "database": self.database,
            "running": self.running_as is not None,
            "running_as": self.running_as,
            "urls": dict(figures.states),
            "pages_by_kind": dict(figures.kinds),
            "urls_by_weight": {str(weight): dict(row) for weight, row in figures.weights.items()},
            "urls_by_host": {host: dict(figures.hosts[host]) for host in list(figures.hosts)[:JSON_HOSTS]},
            "hosts": len(figures.hosts),
            "errors_by_reason": dict(figures.reasons),
            "pages_last_minute": figures.last_minute,
            "pages_last_10_minutes": figures.last_ten_minutes,
            "records": self.records,
            "exceptions": sum(self.exceptions.values()),
            "exceptions_by_field": dict(self.exceptions),
            "workers": [asdict(worker) for worker in self.workers],
            "paused_hosts": dict(self.paused_hosts),
            "due": self.due,
            "cuts": [asdict(row) for row in self.limits.cuts.values()],
            "closed_classes": {name: one.closed.value for name, one in self.limits.classes.items() if one.closed},
        }


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """A site: what is learned, its pre-crawl and its crawl, each None where there is none yet.

    `problem` says what of it can't be read.
    """

    site: str
    checked_at: float
    knowledge: Mapping[str, Any] | None = None
    precrawl: CrawlStatus | None = None
    crawl: CrawlStatus | None = None
    problem: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy status --json`."""
        return {
            "site": self.site,
            "checked_at": self.checked_at,
            "knowledge": dict(self.knowledge) if self.knowledge else None,
            "precrawl": self.precrawl.as_json() if self.precrawl else None,
            "crawl": self.crawl.as_json() if self.crawl else None,
            "problem": self.problem,
        }


def crawl_status(
    path: Path, site: str, *, now: float, lease_seconds: float, intervals: Intervals | None = None
) -> CrawlStatus | None:
    """Look into one database; None where there is none. With *intervals* it also counts what is due again.

    Raises:
        StoreError: it can't be read.
    """
    if not path.exists():
        return None
    with Database(path, read_only=True) as database:
        return CrawlStatus(
            database=str(path),
            running_as=crawl_holder(path),
            tally=tally(database, now),
            records=count_records(database, site),
            exceptions=count_exceptions_by_field(database),
            workers=tuple(
                WorkerStatus(one.owner, one.leased, max(0.0, now - one.until + lease_seconds), one.until - now)
                for one in workers(database)
            ),
            paused_hosts=paused_hosts(database, now),
            limits=read_limits(database),
            due=count_due(database, intervals, now) if intervals is not None else 0,
        )


def site_status(
    site: str,
    *,
    knowledge: Path,
    samples_db: Path,
    crawl_db: Path,
    now: float,
    lease_seconds: float,
    intervals: Intervals | None = None,
) -> SiteStatus:
    """Look at all of one site; what can't be read becomes its `problem`."""
    problems: list[str] = []

    def look(path: Path, intervals: Intervals | None = None) -> CrawlStatus | None:
        try:
            return crawl_status(path, site, now=now, lease_seconds=lease_seconds, intervals=intervals)
        except StoreError as error:
            problems.append(str(error))
            return None

    learned = None
    try:
        learned = knowledge_figures(knowledge) if knowledge.exists() else None
    except KnowledgeError as error:
        problems.append(str(error))
    precrawl, crawl = look(samples_db), look(crawl_db, intervals)
    return SiteStatus(site, now, learned, precrawl, crawl, "; ".join(problems) or None)


def knowledge_figures(path: Path) -> dict[str, Any]:
    """Return what status tells of the knowledge; where it doesn't say when it was learned, the file's time does.

    Raises:
        KnowledgeError: it can't be read.
    """
    knowledge = Knowledge.load(path)
    return {
        "learned_at": knowledge.learned_at or when(path.stat().st_mtime),
        "mode": knowledge.mode,
        "targets": [one.regex for one in knowledge.targets],
        "directories": [one.regex for one in knowledge.directories],
        "max_weight": knowledge.max_weight,
        "keywords": knowledge.keywords,
    }


def stage_of(status: SiteStatus) -> str:
    """Say in a few words where a site stands."""
    if status.crawl is not None and status.crawl.running_as:
        return f"crawling ({status.crawl.running_as})"
    if status.precrawl is not None and status.precrawl.running_as:
        return f"pre-crawling ({status.precrawl.running_as})"
    if status.crawl is not None:
        states = status.crawl.tally.states
        return "at rest" if states["U"] or states["R"] else "finished"
    if status.knowledge is not None:
        return "learned"
    return "pre-crawled" if status.precrawl is not None else "nothing yet"


def when(moment: float | None) -> str:
    """Write an epoch time as a local date and time; "–" for None.

    >>> when(None)
    '–'
    """
    return "–" if moment is None else datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M:%S")
