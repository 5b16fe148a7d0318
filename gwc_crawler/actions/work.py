"""`scrapy work`: joins the fleet; takes sites, or parts of them, crawls them, and leaves when nothing is to do."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import Callable, Iterator

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.actions.runs import Interrupted, process_of
from gwc_crawler.actions.sites import loader_of
from gwc_crawler.errors import InputError, SiteFileError
from gwc_crawler.frontier.fleet import Fleet
from gwc_crawler.items import UrlState
from gwc_crawler.sites import Site
from gwc_crawler.sites.loader import SiteSpiderLoader
from gwc_crawler.spiders.choices import setting_choice
from gwc_crawler.spiders.fleet_sites import Adoption, FleetSites
from gwc_crawler.spiders.fleet_worker import Worker, WorkOptions
from gwc_crawler.spiders.redis_parts import connect


def act(command: ScrapyCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Work."""
    if args:
        raise UsageError("this takes no arguments; sites are named with --sites a,b")
    settings = command.settings
    assert settings is not None
    if setting_choice(settings, "GWC_FRONTIER", ("sqlite", "redis")) != "redis":
        raise InputError(
            "a fleet shares its queue in Redis (GWC_FRONTIER = redis); run SCRAPY_PROJECT=cluster scrapy work"
        )
    policy = Adoption(setting_choice(settings, "GWC_ADOPT_SITES", tuple(one.value for one in Adoption)))
    chosen = [name.strip() for name in (opts.sites or "").split(",") if name.strip()]
    sites = FleetSites(_site_files(command, chosen), policy, chosen)
    server = connect(settings)
    fleet = Fleet(
        server,
        settings["GWC_FLEET"],
        lease_seconds=settings.getfloat("GWC_LEASE_SECONDS"),
        share=max(1, settings.getint("GWC_WORK_SHARE")),
        max_sites=settings.getint("GWC_ADOPT_UP_TO"),
    )
    if opts.retry:
        fleet.reopen({UrlState.ERROR}, sites.can_crawl)
    idle = settings.getfloat("GWC_WORK_IDLE_SECONDS") if opts.idle is None else opts.idle
    worker = Worker(process_of(command), settings, fleet, sites, WorkOptions(idle, opts.once), say)
    try:
        _run(command, worker)
    finally:
        server.close()


def _site_files(command: ScrapyCommand, chosen: list[str]) -> Iterator[Site]:
    """Load all site files; those with mistakes are named and left out, unless they were asked for."""
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
            print(f"{error}\n{name} is left out", file=sys.stderr)


def _run(command: ScrapyCommand, worker: Worker) -> None:
    from twisted.internet import reactor  # it is installed with the process

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


def say(line: str) -> None:
    """Show what the worker does, with the time of day."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)
