"""`scrapy status [SITE]`: how far the crawls are, at any time, also while they run."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from gwc_crawler.actions.reach import Place, Servers, places
from gwc_crawler.actions.sites import console, print_json
from gwc_crawler.errors import OutageError, StoreError
from gwc_crawler.ops.status import CrawlStatus, SiteStatus, WorkerStatus, reported, site_status
from gwc_crawler.ops.status_text import fleet_table, render_status, watch_line
from gwc_crawler.spiders.looks import intervals_of
from gwc_crawler.spiders.site_files import CRAWL_DB, KNOWLEDGE_FILE, SAMPLES_DB

DAY_SECONDS = 86_400.0


def act(command: ScrapyCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Show the status once, or until interrupted."""
    if len(args) > 1:
        raise UsageError("name one site, or none for all of them")
    if not 0 < opts.every < DAY_SECONDS:
        raise UsageError("--every takes seconds, more than 0 and less than a day")
    name = args[0] if args else None
    with ExitStack() as stack:
        servers = Servers(stack)
        if opts.watch:
            with suppress(KeyboardInterrupt):
                _watch(command, name, servers, opts)
        else:
            _show(command, _look(command, name, servers), as_json=opts.json)


def _look(command: ScrapyCommand, name: str | None, servers: Servers) -> Seen:
    """Look at the named site, or at all that have data and at the fleet."""
    assert command.settings is not None
    register, workers = fleet_of(command.settings, servers, name)
    found = (status_of(place, servers, register.get(place.name)) for place in places(command, name, register))
    return Seen(name, [one for one in found if name is not None or one.has_data], workers)


def _show(command: ScrapyCommand, seen: Seen, *, as_json: bool) -> None:
    if as_json:
        print_json(seen.as_json())
    elif not seen.sites:
        print("no site has data yet; `scrapy list` shows the site files, `scrapy crawl NAME` begins")
    else:
        console().print(seen.rendered(), soft_wrap=True)
    if any(status.problem for status in seen.sites):
        command.exitcode = StoreError.exit_code


def _watch(command: ScrapyCommand, name: str | None, servers: Servers, opts: argparse.Namespace) -> None:
    """Show it again and again: in place, or as lines."""
    if opts.json or not sys.stdout.isatty():
        while True:
            seen = _look(command, name, servers)
            print(json.dumps(seen.as_json(whole=True), ensure_ascii=False) if opts.json else seen.lines(), flush=True)
            time.sleep(opts.every)
    from rich.live import Live  # only here

    with Live(console=console(), auto_refresh=False) as live:
        while True:
            live.update(_look(command, name, servers).rendered(), refresh=True)
            time.sleep(opts.every)


@dataclass(frozen=True)
class Seen:
    """What was seen at one time: the site called *name*, or all and the workers of the fleet."""

    name: str | None
    sites: list[SiteStatus]
    workers: list[WorkerStatus]

    def as_json(self, *, whole: bool = False) -> Any:
        """Return the object of one site, or the list of all; with *whole* an object for all, too."""
        rows = [status.as_json() for status in self.sites]
        if self.name is not None:
            return rows[0]
        workers = [asdict(one) for one in self.workers]
        return {"checked_at": time.time(), "sites": rows, "workers": workers} if whole else rows

    def lines(self) -> str:
        """Return a line for each site."""
        return "\n".join(map(watch_line, self.sites)) or "no site has data yet"

    def rendered(self) -> RenderableType:
        """Return tables for a terminal."""
        told = render_status(self.sites, whole=self.name is not None)
        return Group(told, fleet_table(self.workers)) if self.workers else told


def fleet_of(
    settings: Settings, servers: Servers, name: str | None
) -> tuple[dict[str, dict[str, Any]], list[WorkerStatus]]:
    """What the fleet's register says of sites, and its workers; nothing while Redis is away: a site's status tells."""
    try:
        fleet = servers.fleet(settings)
        if fleet is None:
            return {}, []
        from gwc_crawler.ops.status_shared import fleet_figures  # Redis only where it is asked for
        from gwc_crawler.spiders.fleet_steering import fleet_board

        entries = fleet.sites() if name is None else filter(None, [fleet.site(Path(name).name.removesuffix(".toml"))])
        board = fleet_board(fleet.server, settings["GWC_FLEET"])
        workers = [reported(one, board.now()) for one in board.reports()] if name is None else []
        return {entry.name: fleet_figures(entry) for entry in entries}, workers
    except OutageError:
        return {}, []


def status_of(place: Place, servers: Servers, fleet: Mapping[str, Any] | None = None) -> SiteStatus:
    """Look at one site, in its files and, where its crawl is shared, in Redis."""
    now, directory = time.time(), place.directory
    lease_seconds, intervals = place.settings.getfloat("GWC_LEASE_SECONDS"), intervals_of(place.settings)

    def shared() -> CrawlStatus | None:
        from gwc_crawler.ops.status_shared import shared_status  # Redis only where it is asked for
        from gwc_crawler.spiders.redis_parts import open_look

        look = open_look(place.name, place.settings, servers.of(place.settings))
        return shared_status(
            look, directory / CRAWL_DB, place.name, now=now, lease_seconds=lease_seconds, intervals=intervals
        )

    status = site_status(
        place.name,
        knowledge=directory / KNOWLEDGE_FILE,
        samples_db=directory / SAMPLES_DB,
        crawl_db=directory / CRAWL_DB,
        now=now,
        lease_seconds=lease_seconds,
        intervals=intervals,
        shared=shared if place.shared else None,
    )
    return replace(status, fleet=fleet)
