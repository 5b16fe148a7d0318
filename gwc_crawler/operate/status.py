"""Read the state of a site's crawl: its files in, a `SiteStatus` out, which has a JSON form; as text: `status_text`.

Read-only, and safe while a crawl runs. Called by `scrapy status`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gwc_crawler.errors import KnowledgeError, OutageError, StoreError
from gwc_crawler.frontier.recrawl import Intervals
from gwc_crawler.frontier.rejections import LimitsState, read_limits
from gwc_crawler.frontier.sqlite.revisits import count_due
from gwc_crawler.frontier.sqlite.stats import Past, Tally, paused_hosts, state_counts, tally, workers
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.operate.fleet.channel import SILENT_SECONDS, Activity, Pause, Report, SqliteChannel
from gwc_crawler.operate.fleet.plan import SiteEntry
from gwc_crawler.store.server.outlet import OutletState, read_states
from gwc_crawler.store.sqlite.database import CrawlDatabase, crawl_holder, has_tables
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.state import ChannelRows, DraftRow, DraftTable
from gwc_crawler.store.sqlite.upkeep import FileSizes

Found = TypeVar("Found")
Key = TypeVar("Key")

if TYPE_CHECKING:
    from gwc_crawler.frontier.redis.stats import RedisLook, SharedStats

JSON_HOSTS = 1000

ONLY_HERE = (
    "pages_by_kind",
    "records",
    "exceptions",
    "exceptions_by_field",
    "due",
    "C of urls_by_weight and urls_by_host",
)
"""Figures of a shared crawl that are of the pages which this machine's workers have fetched."""

STATE_NAMES = {"U": "waiting", "R": "running", "C": "complete", "E": "error"}


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker's leases (from the frontier) and its last report. A field is None if its source doesn't tell it.

    `oldest_lease_seconds`, `next_expiry_seconds`: seconds since the oldest lease was taken, and until it returns to
    the waiting URLs. `activity`: running, paused, stopping, or silent: no sign of life for a while. `silent_hosts`:
    hosts that no longer answer it, with time and reason.
    """

    owner: str
    leased: int
    oldest_lease_seconds: float | None = None
    next_expiry_seconds: float | None = None
    activity: Activity | None = None
    reasons: tuple[str, ...] = ()
    silent_hosts: tuple[str, ...] = ()
    pages: int | None = None
    pages_per_second: float | None = None
    up_seconds: float | None = None
    seen_seconds_ago: float | None = None


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    """One crawl or pre-crawl. `running_as` names the process that runs it now, None if it rests.

    `frontier` says where its URLs are: sqlite or redis. Of a shared crawl, `only_here` names the figures that are of
    this machine alone, and `left_out` says how much of others was not looked at.
    """

    database: str
    running_as: str | None
    tally: Tally
    records: int | None = None
    """None: they are kept where they can't be counted."""
    exceptions: Mapping[str, int] = field(default_factory=dict)
    workers: tuple[WorkerStatus, ...] = ()
    paused_hosts: Mapping[str, float] = field(default_factory=dict)
    limits: LimitsState = field(default_factory=LimitsState)
    due: int = 0
    frontier: str = "sqlite"
    away: str | None = None
    """Why the queue of a shared crawl can't be asked; then nothing is known of states, workers and limits."""
    pause: Pause | None = None
    only_here: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    kept_at: str = ""
    """The place of pages and records, if it is not `database`."""
    looks: tuple[DraftRow, ...] = ()
    """The looks of a pre-crawl: whether its pages are enough."""
    first: Mapping[str, Any] | None = None
    """The first records of a pre-crawl (`FirstRecords.told`)."""

    @property
    def urls(self) -> Mapping[str, int]:
        """The URLs by state."""
        return self.tally.states

    @property
    def pages_per_second(self) -> float:
        """The pace of all workers in the last minute."""
        return round(sum(one.pages_per_second or 0.0 for one in self.workers if one.activity is not Activity.SILENT), 2)

    @property
    def paused(self) -> bool:
        """Whether all workers that are not silent pause."""
        at_work = {one.activity for one in self.workers} - {Activity.SILENT, None}
        return at_work == {Activity.PAUSED}

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy status --json`; times are epoch seconds."""
        tally = self.tally
        return {
            "frontier": self.frontier,
            "database": self.database,
            "running": self.running_as is not None,
            "running_as": self.running_as,
            "urls": None if self.away else dict(tally.states),
            "pages_by_kind": dict(tally.kinds),
            "urls_by_weight": {str(weight): dict(row) for weight, row in tally.weights.items()},
            "urls_by_host": {host: dict(tally.hosts[host]) for host in list(tally.hosts)[:JSON_HOSTS]},
            "hosts": len(tally.hosts),
            "errors_by_reason": dict(tally.reasons),
            "pages_last_minute": tally.last_minute,
            "pages_last_10_minutes": tally.last_ten_minutes,
            "pages_per_second": self.pages_per_second,
            "records": self.records,
            "exceptions": None if self.records is None else sum(self.exceptions.values()),
            "kept_at": self.kept_at,
            "exceptions_by_field": dict(self.exceptions),
            "workers": [asdict(worker) for worker in self.workers],
            "paused_hosts": dict(self.paused_hosts),
            "due": self.due,
            "cuts": [asdict(row) for row in self.limits.rejections.values()],
            "same_pages": [asdict(page) for page in self.limits.recognised],
            "closed_classes": {name: one.closed.value for name, one in self.limits.classes.items() if one.closed},
            "paused": self.paused,
            "pause": asdict(self.pause) if self.pause else None,
            "only_here": list(self.only_here),
            "left_out": dict(self.left_out),
            "looks": [one.told for one in self.looks],
            "first_records": self.first,
        }


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """A site: its knowledge, its pre-crawl and its crawl, each None if there is none yet.

    `fleet` is its entry in a fleet's register, None if it is in none. `problem` names a file that can't be read.
    """

    site: str
    checked_at: float
    knowledge: Mapping[str, Any] | None = None
    precrawl: CrawlStatus | None = None
    crawl: CrawlStatus | None = None
    problem: str | None = None
    fleet: Mapping[str, Any] | None = None
    names: Mapping[str, Any] | None = None
    """Look-ups by all crawls of the data directory (`name_stats`)."""
    sizes: Mapping[str, FileSizes] | None = None
    """The sizes of its databases on disk, by file name; None if nobody asked."""
    past: Past | None = None
    """The pace and the queue of its last hour; None where nobody asked, or nothing was fetched."""
    servers: tuple[OutletState, ...] = ()
    """How the ways to servers do, where pages and records go there."""

    @property
    def has_data(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.knowledge or self.precrawl or self.crawl or self.problem or self.fleet)

    @property
    def stage(self) -> Stage:
        """Where it stands; at rest is STOPPED: a crawl has URLs left, and goes on however it ended."""
        away = self.crawl is not None and self.crawl.away is not None
        return stage_of(self.crawl, self.precrawl, learned=self.knowledge is not None, broken=away)

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy status --json`."""
        return {
            "site": self.site,
            "checked_at": self.checked_at,
            "knowledge": dict(self.knowledge) if self.knowledge else None,
            "precrawl": self.precrawl.as_json() if self.precrawl else None,
            "crawl": self.crawl.as_json() if self.crawl else None,
            "problem": self.problem,
            "fleet": dict(self.fleet) if self.fleet else None,
            "names": dict(self.names) if self.names else None,
            "past": asdict(self.past) if self.past else None,
            "sql_server": self.servers[0].as_json() if self.servers else None,
            "sizes": {name: asdict(one) for name, one in self.sizes.items()} if self.sizes is not None else None,
        }


def crawl_status(
    path: Path, site: str, *, now: float, lease_seconds: float | None, intervals: Intervals | None = None
) -> CrawlStatus | None:
    """Look into one database; None if there is none, or no crawl has begun in it. Raises StoreError.

    With *lease_seconds* None, only a few look-ups: URLs by state, reports, first records. With *intervals*, pages
    that are due again are also counted.
    """
    if not has_tables(path):
        return None
    with CrawlDatabase(path, read_only=True) as database:
        holder, channel = crawl_holder(path), SqliteChannel(database)
        crawl = CrawlStatus(
            database=str(path),
            running_as=holder,
            tally=Tally(state_counts(database)),
            workers=tuple(reported(one, now) for one in (channel.reports() if holder else ())),
            pause=channel.desired().pause if holder else None,
            first=ChannelRows(database).first_records(),
        )
        if lease_seconds is None:
            return crawl
        reader = SqliteReader(database, site)
        records = reader.records()
        return replace(
            crawl,
            tally=tally(database, now),
            records=records.count() if records else 0,
            exceptions=reader.exception_counts(),
            workers=_with_leases(crawl.workers, database, now, lease_seconds),
            paused_hosts=paused_hosts(database, now),
            limits=read_limits(database),
            due=count_due(database, intervals, now) if intervals is not None else 0,
            looks=tuple(DraftTable(database).rows()),
        )


def _with_leases(
    reports: Sequence[WorkerStatus], database: CrawlDatabase, now: float, lease_seconds: float
) -> tuple[WorkerStatus, ...]:
    told = {one.owner: one for one in reports}
    for one in workers(database):
        told[one.owner] = replace(
            told.get(one.owner, WorkerStatus(one.owner, one.leased)),
            leased=one.leased,
            oldest_lease_seconds=max(0.0, now - one.until + lease_seconds),
            next_expiry_seconds=one.until - now,
        )
    return tuple(told.values())


def reported(report: Report, now: float) -> WorkerStatus:
    """Return the status of a worker by its own report; *now* by the clock of the reports."""
    up = max(1.0, report.seen_at - report.started_at)
    ago = max(0.0, now - report.seen_at)
    return WorkerStatus(
        report.owner,
        report.under_way,
        activity=Activity.SILENT if ago > SILENT_SECONDS else report.activity,
        reasons=report.reasons,
        silent_hosts=report.silent,
        pages=report.pages,
        pages_per_second=round(report.last_minute / min(60.0, up), 2),
        up_seconds=round(up, 1),
        seen_seconds_ago=round(ago, 1),
    )


def site_status(
    site: str,
    *,
    knowledge: Path | None = None,
    samples_db: Path,
    crawl_db: Path,
    now: float,
    lease_seconds: float | None,
    intervals: Intervals | None = None,
    shared: Callable[[], CrawlStatus | None] | None = None,
) -> SiteStatus:
    """Look at one site as a whole; a file that can't be read becomes its `problem`.

    *lease_seconds*: see `crawl_status`; *shared* looks at a crawl that is not in *crawl_db* alone (`shared_status`).
    """
    problems: list[str] = []

    def here(path: Path, intervals: Intervals | None = None) -> CrawlStatus | None:
        return crawl_status(path, site, now=now, lease_seconds=lease_seconds, intervals=intervals)

    def of_crawl() -> CrawlStatus | None:
        try:
            return shared() if shared else here(crawl_db, intervals)
        except OutageError as error:
            if (stored := here(crawl_db, intervals)) is None:
                raise
            return replace(stored, frontier="redis", running_as=None, only_here=ONLY_HERE, away=str(error))

    def tried(look: Callable[[], Found | None]) -> Found | None:
        try:
            return look()
        except (KnowledgeError, StoreError) as error:
            problems.append(str(error))
            return None

    learned = tried(lambda: knowledge_stats(knowledge)) if knowledge is not None and knowledge.exists() else None
    precrawl, crawl = tried(lambda: here(samples_db)), tried(of_crawl)
    if crawl is not None and crawl.away:
        problems.append(crawl.away)
    servers = tuple(read_states(crawl_db.parent))
    return SiteStatus(site, now, learned, precrawl, crawl, "; ".join(problems) or None, servers=servers)


def knowledge_stats(path: Path) -> dict[str, Any]:
    """Return the figures on the knowledge, with the file's time if it lacks that of learning. Raises KnowledgeError."""
    knowledge = Knowledge.load(path)
    return {
        "learned_at": knowledge.learned_at or when(path.stat().st_mtime),
        "mode": knowledge.mode,
        "targets": [one.regex for one in knowledge.targets],
        "directories": [one.regex for one in knowledge.directories],
        "max_weight": knowledge.max_weight,
        "keywords": knowledge.keywords,
    }


class Stage(StrEnum):
    """Where a site stands; stages at work first."""

    RUNNING = "running"
    PAUSED = "paused"
    LEARNING = "learning"
    STOPPED = "stopped"
    """Before its crawl was done."""
    BROKEN = "broken"
    """Its data can't be read."""
    FINISHED = "finished"
    LEARNED = "learned"
    """Not crawled yet."""
    NOT_LEARNED = "not learned"
    """Pre-crawled."""
    NEW = "new"


SAID = {
    Stage.RUNNING: "crawling",
    Stage.PAUSED: "crawling, paused",
    Stage.LEARNING: "crawling and learning",
    Stage.STOPPED: "at rest",
    Stage.BROKEN: "its queue is away",
    Stage.NOT_LEARNED: "at rest, not learned yet",
    Stage.NEW: "nothing yet",
}
"""Stages as `scrapy status` says them, where it has a word of its own."""


def stage_of(crawl: CrawlStatus | None, precrawl: CrawlStatus | None, *, learned: bool, broken: bool) -> Stage:
    """Tell the stage of a site from its crawl and pre-crawl."""
    if crawl is not None and crawl.running_as:
        return Stage.PAUSED if crawl.pause or crawl.paused else Stage.RUNNING
    if precrawl is not None and precrawl.running_as:
        return Stage.LEARNING
    if broken:
        return Stage.BROKEN
    if crawl is not None:
        return Stage.STOPPED if crawl.urls["U"] or crawl.urls["R"] else Stage.FINISHED
    if learned:
        return Stage.LEARNED
    return Stage.NOT_LEARNED if precrawl is not None else Stage.NEW


def stage_text(status: SiteStatus) -> str:
    """Say in a few words where a site stands."""
    for run in filter(None, (status.crawl, status.precrawl)):
        if run.running_as:
            paused = ", paused" if status.stage is Stage.LEARNING and run.paused else ""
            return f"{SAID[status.stage]}{paused} ({run.running_as})"
    return SAID.get(status.stage, status.stage)


def when(moment: float | None) -> str:
    """Write an epoch time as a local date and time; "–" for None.

    >>> when(None)
    '–'
    """
    return "–" if moment is None else datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M:%S")


def shared_status(
    look: RedisLook,
    path: Path,
    site: str,
    *,
    now: float,
    lease_seconds: float | None,
    intervals: Intervals | None = None,
) -> CrawlStatus | None:
    """Look at a shared crawl, of which *path* is this machine's part, if it has one; None if there is no such crawl.

    Raises OutageError: Redis can't be reached; StoreError: the file can't be read.
    """
    here = crawl_status(path, site, now=now, lease_seconds=lease_seconds, intervals=intervals)
    if not look.exists():
        return here
    stats, pause = look.stats(), look.channel.desired().pause
    reports = look.channel.reports()
    workers = tuple(reported(one, look.channel.now()) for one in reports)
    at_work = {one.owner for one in workers if one.activity is not Activity.SILENT}
    fresh = [one for one in reports if one.owner in at_work]
    return CrawlStatus(
        database=str(path),
        running_as=f"{len(at_work)} worker{'s' if len(at_work) > 1 else ''}" if at_work else None,
        tally=shared_tally(stats, here.tally if here else None, fresh),
        records=here.records if here else 0,
        exceptions=here.exceptions if here else {},
        workers=workers,
        paused_hosts=stats.resting,
        limits=look.limits() if lease_seconds is not None else LimitsState(),
        due=here.due if here else 0,
        frontier="redis",
        pause=pause,
        only_here=ONLY_HERE,
        left_out={what: count for what, count in stats.left_out.items() if count},
    )


def shared_tally(stats: SharedStats, here: Tally | None, reports: Sequence[Report] = ()) -> Tally:
    """Return the URLs of a shared crawl: as Redis counts them, and the complete ones in this machine's file."""
    kinds, weights, hosts = (here.kinds, here.weights, here.hosts) if here else ({}, {}, {})
    return Tally(
        states=stats.states,
        kinds=kinds,
        weights=_merged(stats.weights, weights),
        hosts=_merged(stats.hosts, hosts),
        reasons=stats.reasons,
        last_minute=sum(one.last_minute for one in reports),
        last_ten_minutes=sum(one.last_ten_minutes for one in reports),
    )


def fleet_stats(entry: SiteEntry) -> dict[str, Any]:
    """Return the figures of a site in a fleet's register, for `scrapy status`."""
    return {
        "state": entry.state.value,
        "reason": entry.reason,
        "workers": [{"owner": one.owner, "parts": list(one.parts)} for one in entry.holders],
        "learning": entry.learning,
        "template": entry.template,
        "adopted": entry.adopted,
        "changed_at": entry.changed_at,
    }


def _merged(waiting: Mapping[Key, int], here: Mapping[Key, Mapping[str, int]]) -> dict[Key, Mapping[str, int]]:
    """Combine ready URLs of the queues and complete ones in this machine's file."""
    keys = [*waiting, *(key for key in here if key not in waiting)]
    return {key: {"U": waiting.get(key, 0), "C": here.get(key, {}).get("C", 0)} for key in keys}
