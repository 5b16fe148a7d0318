"""Act on clicks: start, pause, continue and stop crawls; add, drop and retry URLs.

A crawl that is started is a process of its own, in a session of its own: it goes on when the dashboard ends.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scrapy.settings import SETTINGS_PRIORITIES, Settings

from gwc_crawler.dashboard.queries.standing import standing_of
from gwc_crawler.dashboard.web.project import Project
from gwc_crawler.dashboard.web.visit import DashboardRequest
from gwc_crawler.errors import GWC
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.frontier.sqlite.stats import numbers_matching
from gwc_crawler.items import UrlState
from gwc_crawler.modes import QueueAction
from gwc_crawler.operate.queue import whole_pattern
from gwc_crawler.runs.comparison import MOST_URLS
from gwc_crawler.runs.lookup import Servers, SiteFiles, SiteLocation, frontier_of, shared_look
from gwc_crawler.store.reading import RECORDS_AT_ONCE
from gwc_crawler.store.sqlite.database import CrawlDatabase

END_SECONDS = 10.0
"""Seconds to wait for a process started here that has stopped its crawl, so that another can be started."""
LOG = "dashboard.log"
LOG_BYTES = 6000
STATES = {"drop": UrlState.WAITING, "retry": UrlState.ERROR}
"""Actions on previewed URLs → the state in which the URLs have to be."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Exactly the URLs that a drop or a retry would hit; `more`: others match, too, and are not hit."""

    action: str
    pattern: str
    urls: tuple[str, ...]
    more: bool


@dataclass(slots=True)
class Started:
    """A crawl that was started here. `code`: its exit code once it has ended."""

    process: subprocess.Popen[bytes]
    log: Path
    began_at: float

    @property
    def code(self) -> int | None:
        """None while it runs."""
        return self.process.poll()

    def wait(self, seconds: float = END_SECONDS) -> None:
        """Wait for its end, at most this many seconds."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    @property
    def said(self) -> str:
        """The end of its output."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, self.log.stat().st_size - LOG_BYTES))
                return file.read().decode(errors="replace").replace("\r", "\n").strip()
        except OSError:
            return ""


def start_command(
    place: SiteLocation, settings: Settings, command: str, *options: str, behind: Sequence[str] = ()
) -> Started:
    """Start a command for a site, a process whose output goes to a file; *behind*: arguments behind the site's name."""
    module = "gwc_crawler" if Path(sys.argv[0]).stem == GWC else "scrapy"
    level = SETTINGS_PRIORITIES["cmdline"]  # settings given to `scrapy dashboard -s` hold for what it starts, too
    names = [name for name in settings if settings.getpriority(name) == level and name != "GWC_DASHBOARD_TOKEN"]
    given = [f"-s{name}={settings[name]}" for name in names if isinstance(settings[name], str | int | float)]
    place.directory.mkdir(parents=True, exist_ok=True)
    log = place.directory / (LOG if command == "crawl" else f"dashboard.{command}.log")
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", module, command, "-L", "WARNING", *given, *options, place.name, *behind],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Started(process, log, time.time())


def begin_crawl(project: Project, site: str, recrawl: str = "", *, beside: bool = True) -> bool:
    """Start a site's crawl, *beside* other workers or not, and keep how it does; False: it runs already."""
    begun, place = project.memory.get(f"started {site}"), project.place(site)
    standing = standing_of(place, project.servers)
    runs = any(run and run.running_as for run in (standing.crawl, standing.precrawl))
    if (runs or (begun and begun.code is None)) and not (standing.shared and beside):
        return False
    options = ["-a", f"recrawl={recrawl}"] if recrawl else []
    project.memory[f"started {site}"] = start_command(place, project.settings, "crawl", *options)
    return True


def begin_command(visit: DashboardRequest, doing: str, command: str, *options: str, behind: Sequence[str] = ()) -> None:
    """Start a command for a visit's site, which is kept as what the site is *doing*: learning, or reading."""
    settings = visit.project.settings
    visit.memory[f"{doing} {visit.site}"] = start_command(visit.place, settings, command, *options, behind=behind)


def is_busy(visit: DashboardRequest, doing: str) -> bool:
    """Say whether what `begin_command` has started still runs."""
    begun: Started | None = visit.memory.get(f"{doing} {visit.site}")
    return begun is not None and begun.code is None


def preview(files: SiteFiles, servers: Servers, action: QueueAction, pattern: str) -> Preview:
    """Find the URLs that a drop or a retry by *pattern* would hit; short reads, nothing is changed."""
    state = STATES[action]
    if files.shared:
        look = shared_look(files, servers)
        whole = whole_pattern(look, pattern)
        urls = [one.url for one in look.some(whole, [state], MOST_URLS + 1)]
    else:
        with CrawlDatabase(files.require_crawl(), read_only=True) as database:
            whole = whole_pattern(SqliteFrontier(database, exclusive=False), pattern)
            urls = [url for _, url in numbers_matching(database, whole, [state], MOST_URLS + 1)]
    return Preview(action, pattern, tuple(urls[:MOST_URLS]), len(urls) > MOST_URLS)


def change_previewed(files: SiteFiles, previewed: Preview) -> int:
    """Drop or retry the URLs of a preview, and no others: those that are still as they were. Returns how many."""
    drops = previewed.action is QueueAction.DROP
    with frontier_of(files) as frontier:
        parts = [previewed.urls[at : at + RECORDS_AT_ONCE] for at in range(0, len(previewed.urls), RECORDS_AT_ONCE)]
        return sum(frontier.drop(urls) if drops else frontier.retry(urls, (UrlState.ERROR,)) for urls in parts)
