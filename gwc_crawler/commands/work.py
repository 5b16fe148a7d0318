"""`scrapy work`: joins the fleet; takes sites, or parts of them, crawls them, and leaves when nothing is to do."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import time
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from gwc_crawler.commands.frame import SiteCommand, add_json, log_ending, names_in, tell
from gwc_crawler.errors import InputError, SiteFileError

if TYPE_CHECKING:
    from gwc_crawler.sites.schema import Site
    from gwc_crawler.spiders.fleet.worker import Worker, WorkOptions


class Command(SiteCommand, ScrapyCommand):
    """Join the fleet: crawl sites, or parts of them, as long as there are any."""

    requires_crawler_process = True
    arguments = ""
    help_text = """
    Start it as often as you like, wherever the project and its Redis are, at any time:

      SCRAPY_PROJECT=cluster scrapy work

    A worker takes the site that wants one most: first those nobody works on, then the one with the most waiting URLs
    for each worker (GWC_WORK_SHARE), of which it gets its parts: queues by GWC_QUEUE_POLICY, dealt out evenly. It
    crawls them, takes the next, waits, asks again, and leaves when nothing is to do for --idle seconds. What nothing
    is learned of is learned first, by one worker; all machines get the same knowledge. What a killed worker held is
    taken over when its leases run out (GWC_LEASE_SECONDS). SIGTERM or Ctrl-C: everything is handed back within
    seconds; a second one ends at once. From another shell, `scrapy stop --all` lets all workers of the fleet leave,
    `scrapy pause --all` and `scrapy resume --all` let them rest and go on.

    --part divides sites between workers, or between fleets that know nothing of each other: ip:10.0.0.0/9 takes the
    sites whose host has its address there (given more than once, any counts; 0.0.0.0 stands for hosts without one);
    column:1/2 takes of every site the first of two shares of its columns (first directories), for a fleet with a Redis
    and a GWC_DATA_DIR of its own. Entries are read by all shares; what leads into another share's columns is counted
    (table `cuts`), and found there if that share's own pages lead to it.

    Sites are U waiting, R running, C complete, or E with a reason; --retry takes those in error again. Links to other
    sites are counted; GWC_ADOPT_SITES says which become sites of the fleet.

    A line for each site taken, left, done or failed goes to stdout, the log to stderr. With --json such a line is an
    object: at (seconds since 1970), told.

    Exit codes: 0 nothing was left to do; 2 a mistake in the settings or site files; 5 the disk, a database or Redis
    can't be used; 130 interrupted: everything was handed back.

    Examples:
      scrapy work --idle 300
      scrapy work --sites books,films --once
      scrapy work --sites portal -s GWC_ADOPT_SITES=template
      scrapy work --part ip:10.0.0.0/9 --part ip:192.168.0.0/16
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--sites", metavar="A,B", help="begin with these sites only (default: all site files)")
        idle = "leave after this long without work (GWC_WORK_IDLE_SECONDS)"
        parser.add_argument("--idle", type=float, metavar="SECONDS", help=idle)
        told = "take this share of the sites: ip:10.0.0.0/9 (may be repeated), column:1/2"
        parser.add_argument("--part", action="append", default=[], metavar="PART", help=told)
        parser.add_argument("--once", action="store_true", help="leave as soon as all sites are done, and not before")
        parser.add_argument("--retry", action="store_true", help="take sites in error again")
        add_json(parser, ": a line with an object for each that is told")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.crawl.redis_parts import check_server, connect
        from gwc_crawler.items import UrlState
        from gwc_crawler.modes import Adoption
        from gwc_crawler.operate.fleet.plan import FleetSites, Share
        from gwc_crawler.operate.fleet.register import Fleet
        from gwc_crawler.runs.site_run import process_of
        from gwc_crawler.spiders.fleet.worker import Worker
        from gwc_crawler.wiring.options import is_in_redis, setting_choice

        if args:
            raise UsageError("this takes no arguments; sites are named with --sites a,b")
        settings = self.settings
        if not is_in_redis(settings):
            raise InputError(
                "a fleet shares its queue in Redis (GWC_FRONTIER = redis); run SCRAPY_PROJECT=cluster scrapy work"
            )
        policy = setting_choice(settings, "GWC_ADOPT_SITES", Adoption)
        chosen = names_in(opts.sites)
        sites = FleetSites(_site_files(self, chosen), policy, chosen, Share.read(opts.part))
        from gwc_crawler.store.redis_server import hurry

        server = connect(settings)
        for entry in sites.begin()[:1]:  # the keys of others are asked for when these are taken
            check_server(entry.name, settings, server)
        options = _options(settings, opts)
        fleet = Fleet(
            server,
            options.fleet,
            lease_seconds=options.lease_seconds,
            share=max(1, settings.getint("GWC_WORK_SHARE")),
            max_sites=settings.getint("GWC_ADOPT_UP_TO"),
        )
        if opts.retry:
            fleet.reopen({UrlState.ERROR}, sites.can_crawl)
        worker = Worker(process_of(self), settings, fleet, sites, options, _telling(settings, as_json=opts.json))
        hurry(server)
        try:
            _run(self, worker)
        finally:
            server.close()


def _options(settings: BaseSettings, opts: argparse.Namespace) -> WorkOptions:
    from gwc_crawler.spiders.fleet.worker import WorkOptions
    from gwc_crawler.wiring.options import fleet_name, lease_options

    return WorkOptions(
        fleet=fleet_name(settings),
        lease_seconds=lease_options(settings).seconds,
        silent_host_seconds=settings.getfloat("GWC_SILENT_HOST_SECONDS"),
        idle_seconds=settings.getfloat("GWC_WORK_IDLE_SECONDS") if opts.idle is None else opts.idle,
        once=opts.once,
    )


def _site_files(command: SiteCommand, chosen: Collection[str]) -> Iterator[Site]:
    """Load all site files; those with mistakes are named and left out, unless they were asked for."""
    from gwc_crawler.runs.lookup import loader_of
    from gwc_crawler.spiders.loader import SiteSpiderLoader

    loader = loader_of(command)
    assert isinstance(loader, SiteSpiderLoader)
    for name in chosen:
        if name not in loader.site_files:
            raise UsageError(f"no site named {name!r}; `scrapy list` shows what there is", print_help=False)
    for name in loader.site_files:
        try:
            yield loader.site(name)
        except SiteFileError as error:
            if name in chosen:
                raise
            tell(f"{error}\n{name} is left out", command.settings)


def _run(command: SiteCommand, worker: Worker) -> None:
    from twisted.internet import reactor  # it is installed with the process

    from gwc_crawler.runs.site_run import Interrupted, process_of

    stop: Callable[[], None] = getattr(reactor, "stop")  # noqa: B009  # typed as the module it seems to be
    process = process_of(command)
    loop = asyncio.get_event_loop()
    task = loop.create_task(worker.run())
    task.add_done_callback(lambda _: stop())
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, worker.leave)
    process.start(stop_after_crawl=False, install_signal_handlers=False)
    task.result()
    if worker.leaving:
        raise Interrupted("everything is handed back")


def _telling(settings: BaseSettings, *, as_json: bool) -> Callable[[str], None]:
    """Return what shows a line of the worker, with the time; errors stand in the log, too."""

    def tell_line(line: str) -> None:
        told = json.dumps({"at": round(time.time(), 3), "told": line}, ensure_ascii=False) if as_json else ""
        print(told or f"{time.strftime('%H:%M:%S')} {line}", flush=True)
        if line.startswith("error"):
            log_ending(line, settings)

    return tell_line
