"""What `scrapy pause`, `scrapy resume` and `scrapy stop` have in common: which crawls are meant, asking, telling."""

from __future__ import annotations

import argparse
import getpass
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from gwc_crawler.commands.command_line import print_json, site_files_of
from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.database import Database, crawl_holder
from gwc_crawler.frontier.board import SqliteBoard
from gwc_crawler.ops.steering import Helm, Wish, outcome_line, steer
from gwc_crawler.spiders.workbench import CRAWL_DB, SAMPLES_DB, site_directory

if TYPE_CHECKING:
    from gwc_crawler.frontier.redis_scripts import Server

RUNS = {"crawl": CRAWL_DB, "pre-crawl": SAMPLES_DB}

KEYS = """
    --json prints a list with an object for each crawl: site, run (crawl | pre-crawl), wish, asked [worker],
    left [worker, and what keeps it], silent [worker without a sign of life], pause (null or {by, since}), seconds,
    waited, idle (nothing runs), obeyed. Times are seconds since 1970. Keys are added, never renamed.
"""


class SteeringCommand(SiteCommand):
    """A command that asks the same of one crawl, or of all."""

    arguments = "<site name | path to a site file> | --all"
    wish: ClassVar[Wish]

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what these commands have."""
        parser.add_argument("--all", action="store_true", help="ask every crawl of this project")
        waits = "wait so long at most until it is done (default 30; 0: don't wait)"
        parser.add_argument("--wait", type=float, default=30.0, metavar="SECONDS", help=waits)
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Ask, wait, tell."""
        if len(args) != (0 if opts.all else 1):
            raise UsageError("name one site, or all of them with --all")
        by = f"{getpass.getuser()}@{socket.gethostname()}"
        with ExitStack() as stack:
            reach = Reach(stack)
            helms = [helm for where in self._sites(args) for helm in reach.helms(*where)]
            told = steer(helms, self.wish, by, wait_seconds=opts.wait, keep_pause=not opts.all)
        shown = [one for one in told if not one.idle] or told[: len(args)]
        if opts.json:
            print_json([one.as_json() for one in shown])
        else:
            print("\n".join(map(outcome_line, shown)) or "nothing runs")
        if not shown or not all(one.obeyed for one in shown):
            self.exitcode = 1

    def _sites(self, args: list[str]) -> Iterator[tuple[str, Path, Settings]]:
        """Name, directory and settings of each site that is meant; a running crawl is found without its site file."""
        assert self.settings is not None
        data = Path(self.settings["GWC_DATA_DIR"])
        names = args or sorted(
            {*get_spider_loader(self.settings).list(), *(path.name for path in data.glob("*") if path.is_dir())}
        )
        for name in names:
            try:
                files = site_files_of(self, name)
                yield files.site.name, files.directory, files.settings
            except UsageError:  # a file with mistakes, or none: its crawl may run all the same
                if (data / name).is_dir():
                    yield name, site_directory(self.settings, name), self.settings
                elif args:
                    raise


class Reach:
    """Opens what it takes to steer sites; *stack* closes it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._servers: dict[str, Server] = {}

    def helms(self, site: str, directory: Path, settings: Settings) -> Iterator[Helm]:
        """What there is to steer of one site."""
        shared = settings["GWC_FRONTIER"] == "redis"
        if shared:
            from gwc_crawler.spiders.redis_parts import open_board  # Redis only where it is asked for

            yield Helm(site, "crawl", open_board(site, settings, self._server(settings)))
        for run, file in RUNS.items():
            path = directory / file
            if not (shared and run == "crawl") and path.exists() and (crawl_holder(path) or run == "crawl"):
                database = self._stack.enter_context(Database(path))
                yield Helm(site, run, SqliteBoard(database), partial(crawl_holder, path))

    def _server(self, settings: Settings) -> Server:
        from gwc_crawler.spiders.redis_parts import connect

        names = ("REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_DB", "REDIS_PARAMS")
        key = repr([settings.get(name) for name in names])
        if key not in self._servers:
            self._servers[key] = connect(settings)
            self._stack.callback(self._servers[key].close)
        return self._servers[key]
