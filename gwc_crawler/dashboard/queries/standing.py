"""The state of a site, from the counts that its crawl keeps anyway: a few look-ups, whatever the size.

Bounded reads only; figures that take a walk are in `counting`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from gwc_crawler.crawl.data_files import CRAWL_DB, KNOWLEDGE_FILE, SAMPLES_DB
from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.sqlite.stats import state_counts
from gwc_crawler.operate.fleet.channel import Activity, Pause, Report, SqliteChannel
from gwc_crawler.operate.status import WorkerStatus, reported
from gwc_crawler.runs.lookup import Servers, SiteLocation, shared_look
from gwc_crawler.store.sqlite.database import CrawlDatabase, crawl_holder, has_tables


@dataclass(frozen=True, slots=True)
class CrawlState:
    """A crawl or a pre-crawl: its holder, its URLs by state, the reports of its workers."""

    urls: Mapping[str, int]
    holder: str | None
    workers: tuple[WorkerStatus, ...]
    pause: Pause | None
    last_minute: int
    touched_at: float
    """When its file was written to last."""
    bytes: int

    @property
    def pages_per_second(self) -> float:
        """The pace of all active workers over the last minute."""
        return sum(one.pages_per_second or 0.0 for one in self.workers if one.activity is not Activity.SILENT)


class Stage(StrEnum):
    """How a site stands; those that are at work first."""

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


@dataclass(frozen=True, slots=True)
class Standing:
    """A site: its parts, and the warnings to look at first."""

    site: str
    state: Stage
    learned_at: float | None = None
    precrawl: CrawlState | None = None
    crawl: CrawlState | None = None
    problem: str = ""
    shared: bool = False
    fallen: tuple[str, ...] = ()
    """Fields that are found far more rarely now than when they were learned."""

    @property
    def run(self) -> CrawlState | None:
        """The active run; else the crawl, else the pre-crawl."""
        if self.precrawl is not None and self.precrawl.holder:
            return self.precrawl
        return self.crawl or self.precrawl

    @property
    def warnings(self) -> tuple[str, ...]:
        """The points that need attention, the worst first; in the dashboard's words."""
        found = ["can't be read"] if self.problem else []
        crawl = self.crawl
        if crawl is not None:
            ended = crawl.urls["C"] + crawl.urls["E"]
            if ended >= 20 and crawl.urls["E"] > 0.2 * ended:
                found.append("many errors")
            if self.state is Stage.STOPPED:
                found.append("stopped with URLs waiting")
            if any(one.activity is Activity.SILENT for one in crawl.workers):
                found.append("a worker is silent")
            if any(one.silent_hosts for one in crawl.workers):
                found.append("a host does not answer")
            if self.fallen:
                found.append("a field has fallen away")
        return tuple(found)


def standing_of(place: SiteLocation, servers: Servers) -> Standing:
    """Look at one site; a file that can't be read is its `problem`."""
    directory, problems = place.directory, []
    found: dict[str, CrawlState | None] = {}
    for name, file in (("precrawl", SAMPLES_DB), ("crawl", CRAWL_DB)):
        try:
            found[name] = _run_in(directory / file)
            if name == "crawl" and place.shared:
                found[name] = _shared(place, servers, found[name])
        except StoreError as error:
            problems.append(str(error))
    knowledge = directory / KNOWLEDGE_FILE
    learned_at = knowledge.stat().st_mtime if knowledge.exists() else None
    standing = Standing(
        place.name,
        Stage.NEW,
        learned_at,
        found.get("precrawl"),
        found.get("crawl"),
        "; ".join(problems),
        place.shared,
    )
    return replace(standing, state=_state(standing))


def _state(standing: Standing) -> Stage:
    crawl, precrawl = standing.crawl, standing.precrawl
    if precrawl is not None and precrawl.holder:
        return Stage.LEARNING
    if crawl is not None and crawl.holder:
        return Stage.PAUSED if crawl.pause else Stage.RUNNING
    if standing.problem:
        return Stage.BROKEN
    if crawl is not None:
        return Stage.STOPPED if crawl.urls["U"] or crawl.urls["R"] else Stage.FINISHED
    if standing.learned_at:
        return Stage.LEARNED
    return Stage.NOT_LEARNED if precrawl is not None else Stage.NEW


def _run_in(path: Path) -> CrawlState | None:
    if not has_tables(path):
        return None
    with CrawlDatabase(path, read_only=True) as database:
        holder, channel = crawl_holder(path), SqliteChannel(database)
        urls = state_counts(database)
        reports = channel.reports() if holder else []
        pause = channel.desired().pause if holder else None
    return CrawlState(urls, holder, _workers(reports, time.time()), pause, _minute(reports), *_file_facts(path))


def _shared(place: SiteLocation, servers: Servers, here: CrawlState | None) -> CrawlState | None:
    """Return the crawl as Redis knows it, with the figures that only its file here has."""
    look = shared_look(place, servers)
    if not look.exists():
        return here
    stats, reports, now = look.stats(), look.channel.reports(), look.channel.now()
    workers = _workers(reports, now)
    at_work = sum(one.activity is not Activity.SILENT for one in workers)
    return CrawlState(
        stats.states,
        f"{at_work} workers" if at_work else None,
        workers,
        look.channel.desired().pause,
        _minute(reports),
        here.touched_at if here else 0.0,
        here.bytes if here else 0,
    )


def _workers(reports: list[Report], now: float) -> tuple[WorkerStatus, ...]:
    return tuple(reported(one, now) for one in reports)


def _minute(reports: list[Report]) -> int:
    return sum(one.last_minute for one in reports)


def _file_facts(path: Path) -> tuple[float, int]:
    """Return when a database was written to last, and its bytes, with its file of recent writes."""
    times, total = [0.0], 0
    with ExitStack() as stack:
        stack.enter_context(suppress(OSError))
        for one in (path, path.with_name(f"{path.name}-wal")):
            facts = one.stat()
            times.append(facts.st_mtime)
            total += facts.st_size
    return max(times), total
