"""The state of a site, from the counts that its crawl keeps anyway: a few look-ups, whatever the size."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.crawl.data_files import KNOWLEDGE_FILE
from gwc_crawler.operate.fleet.channel import Activity
from gwc_crawler.operate.status import CrawlStatus, Stage, stage_of
from gwc_crawler.runs.lookup import Servers, SiteLocation, look_at


@dataclass(frozen=True, slots=True)
class Standing:
    """A site: its parts, and the warnings to look at first."""

    site: str
    state: Stage
    learned_at: float | None = None
    precrawl: CrawlStatus | None = None
    crawl: CrawlStatus | None = None
    problem: str = ""
    shared: bool = False
    fallen: tuple[str, ...] = ()
    """Fields that are found far more rarely now than when they were learned."""

    @property
    def run(self) -> CrawlStatus | None:
        """The active run; else the crawl, else the pre-crawl."""
        return self.precrawl if self.state is Stage.LEARNING else self.crawl or self.precrawl

    @property
    def first(self) -> Mapping[str, Any] | None:
        """What a site that is not learned yet shows already (`FirstRecords.told`)."""
        return self.precrawl.first if self.precrawl and self.learned_at is None else None

    @property
    def facts(self) -> tuple[float, int]:
        """`file_facts` of that."""
        return file_facts(self.run)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The points that need attention, the worst first; in the dashboard's words."""
        found = ["can't be read"] if self.problem else []
        crawl = self.crawl
        if crawl is not None:
            urls = crawl.urls
            ended = urls["C"] + urls["E"]
            if ended >= 20 and urls["E"] > 0.2 * ended:
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
    status, knowledge = look_at(place, servers, briefly=True), place.directory / KNOWLEDGE_FILE
    learned_at = knowledge.stat().st_mtime if knowledge.exists() else None
    crawl, precrawl, problem = status.crawl, status.precrawl, status.problem or ""
    stage = stage_of(crawl, precrawl, learned=bool(learned_at), broken=bool(problem))
    return Standing(place.name, stage, learned_at, precrawl, crawl, problem, place.shared)


def file_facts(crawl: CrawlStatus | None) -> tuple[float, int]:
    """Return when a crawl's database was written to last, and its bytes, with its file of recent writes."""
    times, total = [0.0], 0
    with suppress(OSError):
        for one in (crawl.database, f"{crawl.database}-wal") if crawl is not None else ():
            facts = Path(one).stat()
            times.append(facts.st_mtime)
            total += facts.st_size
    return max(times), total
