"""`scrapy status [SITE]`: how far the crawls are, at any time, also while they run."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.command_line import console, print_json, site_files_of
from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import StoreError
from gwc_crawler.ops import SiteStatus, render_status, site_status
from gwc_crawler.spiders.looks import intervals_of
from gwc_crawler.spiders.workbench import CRAWL_DB, KNOWLEDGE_FILE, SAMPLES_DB

FILES = (CRAWL_DB, SAMPLES_DB, KNOWLEDGE_FILE)

WATCH_SECONDS = 2.0

HELP = """
    Without SITE: a row for each site that has data. With SITE (a name or a path to a site file): what was learned,
    URLs by state, kind, weight and host, leases by worker, paused hosts, errors by reason, rates.
    Only reads, and may be asked at any time. The figures are those of the crawl, or of the pre-crawl while there is
    no crawl yet. URL states: U waiting, R running (leased), C complete, E error.

    --json prints an object for SITE, else a list of such objects. Keys: site, checked_at, problem; knowledge
    (learned_at, mode, targets, directories, max_weight, keywords); precrawl and crawl, each null or an object:
    database, running, running_as, urls {U,R,C,E}, pages_by_kind, urls_by_weight, urls_by_host, hosts,
    errors_by_reason, pages_last_minute, pages_last_10_minutes, records, exceptions, exceptions_by_field,
    workers [owner, leased, oldest_lease_seconds, next_expiry_seconds], paused_hosts {host: until}, due,
    cuts [reason, pattern, count, examples], closed_classes {pattern: reason}.
    Times are seconds since 1970. Keys are added, never renamed.

    Exit codes: 0 told; 2 no such site; 5 a database can't be read.
"""


class Command(SiteCommand, ScrapyCommand):
    """Tell how far crawls are."""

    arguments = "[site name | path to a site file]"
    summary = "Tell how far the crawls are, also while they run"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        add_json(parser)
        parser.add_argument("--watch", action="store_true", help="show it anew every 2 seconds, until Ctrl-C")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the status once, or until interrupted."""
        if len(args) > 1:
            raise UsageError("name one site, or none for all of them")
        if opts.json and opts.watch:
            raise UsageError("--watch is for people, --json for machines: choose one")
        name = args[0] if args else None
        if opts.watch:
            self._watch(name)
        else:
            self._show(self._look(name), one=name is not None, as_json=opts.json)

    def _look(self, name: str | None) -> list[SiteStatus]:
        """Look at the named site, or at all that have data."""
        assert self.settings is not None
        data = Path(self.settings["GWC_DATA_DIR"])
        if name is None:
            directories = sorted(path for path in data.glob("*") if any((path / one).exists() for one in FILES))
        elif "/" not in name and (data / name).is_dir():  # told even when its site file is gone or broken
            directories = [data / name]
        else:
            directories = [site_files_of(self, name).directory]
        lease_seconds = self.settings.getfloat("GWC_LEASE_SECONDS")
        return [
            site_status(
                directory.name,
                knowledge=directory / KNOWLEDGE_FILE,
                samples_db=directory / SAMPLES_DB,
                crawl_db=directory / CRAWL_DB,
                now=time.time(),
                lease_seconds=lease_seconds,
                intervals=intervals_of(self.settings),
            )
            for directory in directories
        ]

    def _show(self, statuses: list[SiteStatus], *, one: bool, as_json: bool) -> None:
        if as_json:
            rows = [status.as_json() for status in statuses]
            print_json(rows[0] if one else rows)
        elif not statuses:
            print("no site has data yet; `scrapy list` shows the site files, `scrapy crawl NAME` begins")
        else:
            console().print(render_status(statuses, whole=one), soft_wrap=True)
        if any(status.problem for status in statuses):
            self.exitcode = StoreError.exit_code

    def _watch(self, name: str | None) -> None:
        """Renew the tables in place until Ctrl-C."""
        from rich.live import Live  # every `scrapy` command loads this module

        with Live(console=console(), auto_refresh=False, vertical_overflow="visible") as live:
            try:
                while True:
                    live.update(render_status(self._look(name), whole=name is not None), refresh=True)
                    time.sleep(WATCH_SECONDS)
            except KeyboardInterrupt:
                return
