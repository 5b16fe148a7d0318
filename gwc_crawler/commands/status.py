"""`scrapy status [SITE]`: shows the progress of crawls, at any time, also while they run."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import GwcError, OutageError, StoreError, advice

if TYPE_CHECKING:
    from gwc_crawler.frontier.sqlite.stats import Past
    from gwc_crawler.operate.fleet.control import Action
    from gwc_crawler.operate.status import SiteStatus, WorkerStatus
    from gwc_crawler.operate.status_text import StatusReport
    from gwc_crawler.runs.lookup import Servers, SiteLocation


class Command(SiteCommand, ScrapyCommand):
    """Tell how far the crawls are, also while they run."""

    arguments = "[site name | path to a site file]"
    help_text = """
    Without SITE: a row for each site that has data. With SITE (a name or a path to a site file): what was learned,
    URLs by state, kind, weight and host, workers, paused hosts, errors by reason, rates. Only reads, and may be asked
    at any time. While it is learned, the figures are those of the pages to learn from, with the first records.
    URL states: U waiting, R running (leased), C complete, E error.

    Of a crawl that is shared through Redis, states, queues, errors and workers are those of all machines; what is
    stored (pages by kind, complete pages by weight and host, records, exceptions) is that of this one. What waits by
    weight and host are lengths of queues, of 5,000 queues at most. A worker is silent when it gave no sign of life for
    10 seconds.

    --watch shows it anew every --every seconds: on a terminal as a full screen, on which q (or Ctrl-C) ends the view
    and, with SITE, p pauses the crawl, r resumes it and s, pressed twice, stops it; without a terminal a line for each
    site until Ctrl-C, with --json a line with one object each time.

    --json prints an object for SITE, else a list of such objects. Keys: site, checked_at, problem; fleet (null,
    or state, reason, workers [owner, parts], learning, template, adopted, changed_at); names (null, or known,
    lookups, hits, queries, failures, stale: of all crawls of this data directory); sizes (null, or with SITE and
    without --watch, of crawl.db and samples.db: file, log, free, tables {name: bytes}); past (null, or with SITE and
    without --watch, of the crawl's last hour: until, step_seconds, pages [in each step], waiting [after each step;
    empty where the queue is in Redis]); sql_server (null, or server, reachable, problem, written, refused, replaced,
    waiting_batches, waiting_bytes, at); knowledge
    (learned_at, mode, targets, directories, max_weight, keywords); precrawl and crawl, each null or an object:
    frontier (sqlite | redis), database, running, running_as, paused, pause (null or {by, since}), urls {U,R,C,E}
    (null while the Redis that has them is away), pages_by_kind, urls_by_weight, urls_by_host, hosts,
    errors_by_reason, pages_last_minute, pages_last_10_minutes, pages_per_second, records and exceptions (null where
    they are kept elsewhere), kept_at (where; "" for in `database`), exceptions_by_field, workers [owner, activity
    (running | paused | stopping | silent), reasons, silent_hosts, leased, pages, pages_per_second, up_seconds,
    seen_seconds_ago, oldest_lease_seconds, next_expiry_seconds],
    paused_hosts {host: until}, only_here [figures of this machine alone], left_out {what: count}, due, cuts
    [reason, pattern, count, examples], closed_classes {pattern: reason}, looks [pages, doubt, since] (whether
    the pages are enough to learn from; doubt "": they are; since: the pages at which that began), first_records (null,
    or what few pages show already: pages, count, refused [why none can be read], latest [the records]),
    same_pages [what stands at several addresses instead of records].
    With --watch and without SITE the object has: checked_at, sites [such objects], workers [those of the fleet,
    as above]. Times are seconds since 1970. Keys are added, never renamed.

    Exit codes: 0 told; 2 no such site; 5 a database or Redis can't be read (the other figures are told all the same).
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        add_json(parser)
        parser.add_argument("--watch", action="store_true", help="show it anew until Ctrl-C")
        every = "with --watch: how often (default 2)"
        parser.add_argument("--every", type=float, default=2.0, metavar="SECONDS", help=every)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.lookup import Servers

        if len(args) > 1:
            raise UsageError("name one site, or none for all of them")
        if not 0 < opts.every < 86_400:
            raise UsageError("--every takes seconds, more than 0 and less than a day")
        name = args[0] if args else None
        with ExitStack() as stack:
            servers = Servers(stack)
            if opts.watch:
                with suppress(KeyboardInterrupt):
                    _watch(self, name, servers, opts)
            else:
                _show(self, _look(self, name, servers, sized=name is not None), as_json=opts.json)


def _look(command: SiteCommand, name: str | None, servers: Servers, *, sized: bool = False) -> StatusReport:
    from gwc_crawler.runs.lookup import places

    register, workers = fleet_of(command.settings, servers, name)
    meant = places(command, name, register)
    found = (status_of(place, servers, register.get(place.name), sized=sized) for place in meant)
    from gwc_crawler.operate.status_text import StatusReport  # only to show it

    return StatusReport(name, [one for one in found if name is not None or one.has_data], workers)


def _show(command: SiteCommand, seen: StatusReport, *, as_json: bool) -> None:
    from gwc_crawler.runs.output import console, print_json

    if as_json:
        print_json(seen.as_json())
    elif not seen.sites:
        print(advice("no site has data yet; `scrapy list` shows the site files, `scrapy crawl NAME` begins"))
    else:
        console().print(seen.rendered(), soft_wrap=True)
    if any(status.problem for status in seen.sites):
        command.exitcode = StoreError.exit_code


def _watch(command: SiteCommand, name: str | None, servers: Servers, opts: argparse.Namespace) -> None:
    from gwc_crawler.runs.fullscreen import MOST_SHARE, FullScreen

    if opts.json or not (sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")):
        while True:
            began = time.monotonic()
            seen = _look(command, name, servers)
            rest = max(opts.every, MOST_SHARE * (time.monotonic() - began))
            print(json.dumps(seen.as_json(whole=True), ensure_ascii=False) if opts.json else seen.lines(), flush=True)
            time.sleep(rest)
    look, ask = partial(_look, command, name, servers), partial(_asked, command, name, servers)
    FullScreen(name, look, ask, opts.every).run()


def _asked(command: SiteCommand, name: str | None, servers: Servers, action: Action) -> str:
    from gwc_crawler.operate.fleet.control import outcome_line
    from gwc_crawler.runs.lookup import ask_crawl, places

    told = [one for place in places(command, name) for one in ask_crawl(place, servers, action, 0)]
    shown = [one for one in told if not one.idle] or told[:1]
    return "; ".join(map(outcome_line, shown)) or "nothing runs"


def fleet_of(
    settings: Settings, servers: Servers, name: str | None
) -> tuple[dict[str, dict[str, Any]], list[WorkerStatus]]:
    """Return the fleet register's entries for sites, and its workers; none while Redis is away: the status says so."""
    from gwc_crawler.operate.status import fleet_stats, reported
    from gwc_crawler.wiring.options import fleet_name

    try:
        fleet = servers.fleet(settings)
        if fleet is None:
            return {}, []
        from gwc_crawler.spiders.fleet.worker import fleet_channel

        entries = fleet.sites() if name is None else filter(None, [fleet.site(Path(name).name.removesuffix(".toml"))])
        channel = fleet_channel(fleet.server, fleet_name(settings))
        workers = [reported(one, channel.now()) for one in channel.reports()] if name is None else []
        return {entry.name: fleet_stats(entry) for entry in entries}, workers
    except OutageError:
        return {}, []


def _sizes_of(place: SiteLocation) -> dict[str, Any]:
    from gwc_crawler.store.sqlite.upkeep import file_sizes

    sizes = {}
    for path in (place.crawl_db, place.samples_db):
        with suppress(StoreError):
            sizes[path.name] = file_sizes(path)
    return {name: found for name, found in sizes.items() if found is not None}


def past_of(place: SiteLocation) -> Past | None:
    """Return the pace and the queue of a site's last hour; a queue in Redis keeps no past, pages of this machine do."""
    from gwc_crawler.frontier.sqlite.stats import read_past
    from gwc_crawler.runs.lookup import opened

    with suppress(StoreError):
        for path in (place.crawl_db, place.samples_db):
            with opened(path) as database:
                if database is not None:
                    past, is_shared = read_past(database), place.shared and path == place.crawl_db
                    return replace(past, waiting=()) if past and is_shared else past
    return None


def status_of(
    place: SiteLocation, servers: Servers, fleet: Mapping[str, Any] | None = None, *, sized: bool = False
) -> SiteStatus:
    """Look at one site, in its files and, where its crawl is shared, in Redis; *sized*: also what they take on disk."""
    from gwc_crawler.operate.view import name_stats
    from gwc_crawler.runs.lookup import look_at
    from gwc_crawler.runs.records import kept_elsewhere
    from gwc_crawler.store.sqlite.side_file import NAMES_DB, NameFile
    from gwc_crawler.wiring.options import data_directory

    status = look_at(place, servers)
    known, counts = NameFile(data_directory(place.settings) / NAMES_DB).totals()
    if status.crawl is not None and (kept_at := kept_elsewhere(place.settings, place.directory)):
        status = elsewhere(status, kept_at, place)
    sizes, past = (_sizes_of(place), past_of(place)) if sized else (None, None)
    return replace(status, fleet=fleet, names=name_stats(known, counts), sizes=sizes, past=past)


def elsewhere(status: SiteStatus, kept_at: str, place: SiteLocation) -> SiteStatus:
    """Return the status of a crawl with pages and records elsewhere: with a server's counts, if it keeps them."""
    assert status.crawl is not None
    crawl = replace(status.crawl, kept_at=kept_at, records=None, exceptions={})
    try:
        counts = _on_server(place)
    except GwcError as error:
        return replace(status, crawl=crawl, problem="; ".join(filter(None, (status.problem, str(error)))))
    tally = replace(crawl.tally, kinds=counts.get("kinds", crawl.tally.kinds))
    figures = {name: value for name, value in counts.items() if name != "kinds"}
    return replace(status, crawl=replace(crawl, tally=tally, **figures))


def _on_server(place: SiteLocation) -> dict[str, Any]:
    from gwc_crawler.runs.records import server_reader

    reader = server_reader(place.settings, place.name)
    if reader is None:
        return {}
    with closing(reader):
        rows = reader.records()
        return {
            "records": rows.count() if rows else 0,
            "exceptions": reader.exception_counts(),
            "kinds": reader.pages_by_kind(),
        }
