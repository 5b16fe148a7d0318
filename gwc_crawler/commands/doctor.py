"""`scrapy doctor [SITE]`: checks everything that a crawl depends on, and gives a remedy for each problem."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import SiteFileError

if TYPE_CHECKING:
    from gwc_crawler.runs.doctor import Finding

HELP = """
    Looks, side by side, at Python and its packages; room and permissions of the data directory; file descriptors and
    locale; every site file, what was learned, and its databases, read in search of damage; the names and robots.txt of
    all entries, and the clock beside theirs; and, where the settings ask for them, Redis (version, persistence, memory
    policy, clock, rights), SQL Server (driver, login) and the browser. With SITE only that one's file, databases, names
    and robots.txt. Each finding is ok, warn or fail, with what helps. Nothing is changed; a robots.txt is all that is
    fetched, with --offline nothing.

    --json prints an object: ok (nothing fails), findings [name, level (ok | warn | fail), told, helps]. Keys are
    added, never renamed.

    Exit codes: 0 nothing fails; 1 something does; 2 no such site, or a setting that can't be.

    Examples:
      scrapy doctor
      scrapy doctor books --json
"""

READING_SECONDS = 5.0
"""Seconds for which databases are read in search of damage; a large one would take minutes."""

MARKS = {"ok": "[green]ok  [/green]", "warn": "[yellow]warn[/yellow]", "fail": "[red]fail[/red]"}


class Command(SiteCommand, ScrapyCommand):
    """Look whether all that a crawl needs is well, and say what helps."""

    arguments = "[site name | path to a site file]"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--offline", action="store_true", help="ask no server: only this machine and the files")
        waits = "longest wait for a server (default 10)"
        parser.add_argument("--wait", type=float, default=10.0, metavar="SECONDS", help=waits)
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.doctor import Level

        if len(args) > 1:
            raise UsageError("name one site, or none for all of them")
        if not 0 < opts.wait <= 600:
            raise UsageError("--wait takes seconds, more than 0 and 600 at most")
        found = _findings_of(self, args[0] if args else None, offline=opts.offline, wait_seconds=opts.wait)
        is_well = all(one.level is not Level.FAIL for one in found)
        if opts.json:
            self.answer(opts, {"ok": is_well, "findings": [one.as_json() for one in found]}, "")
        else:
            _show(found)
        self.exitcode = 0 if is_well else 1
        sys.stdout.flush()


def _findings_of(command: SiteCommand, name: str | None, *, offline: bool, wait_seconds: float) -> list[Finding]:
    from gwc_crawler.runs.doctor import (
        AT_ONCE,
        browser_checks,
        database_checks,
        machine_checks,
        network_checks,
        read_sites,
        rights_checks,
        run_checks,
        server_checks,
    )
    from gwc_crawler.runs.lookup import loader_of

    settings = command.settings
    if name is not None:
        known_site(command, name)
    names = [name] if name is not None else loader_of(command).list()
    plans, of_sites = read_sites(command, names)
    checks = [
        *machine_checks(settings),
        *server_checks([settings, *(plan.settings for plan in plans)], offline=offline),
        *browser_checks(plans),
    ]
    before = len(checks)
    if not offline:
        checks += rights_checks(plans)
        checks += network_checks(plans, wait_seconds)
    checks += database_checks(plans, min(READING_SECONDS, wait_seconds))
    waits = wait_seconds + 2.0 + wait_seconds * (max(0, len(checks) - before) // AT_ONCE)
    found = run_checks(checks, waits)
    return [*found, *of_sites]


def known_site(command: SiteCommand, name: str) -> None:
    """Refuse a site that does not exist (UsageError); one whose file has mistakes is for the doctor."""
    from gwc_crawler.runs.lookup import spider_class_of

    try:
        spider_class_of(command, name)
    except UsageError as error:
        if not isinstance(error.__cause__, SiteFileError):
            raise


def _show(found: list[Finding]) -> None:
    from gwc_crawler.errors import escape  # every command loads this module
    from gwc_crawler.runs.doctor import Level
    from gwc_crawler.runs.output import console

    out = console()
    for one in (finding.as_json() for finding in found):
        out.print(f"{MARKS[one['level']]}  [bold]{escape(one['name'])}[/bold]: {escape(one['told'])}", soft_wrap=True)
        if one["helps"]:
            out.print(f"      → {escape(one['helps'])}", soft_wrap=True)
    counts = {level: sum(one.level == level for one in found) for level in Level}
    print(", ".join(f"{count} {level.value}" for level, count in counts.items()))
