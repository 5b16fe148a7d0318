"""`scrapy doctor [SITE]`: checks everything that a crawl depends on, and gives a remedy for each problem."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json

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
        from gwc_crawler.runs.doctor import Level, findings_of

        if len(args) > 1:
            raise UsageError("name one site, or none for all of them")
        if not 0 < opts.wait <= 600:
            raise UsageError("--wait takes seconds, more than 0 and 600 at most")
        found = findings_of(self, args[0] if args else None, offline=opts.offline, wait_seconds=opts.wait)
        is_well = all(one.level is not Level.FAIL for one in found)
        if opts.json:
            self.answer(opts, {"ok": is_well, "findings": [one.as_json() for one in found]}, "")
        else:
            _show(found)
        self.exitcode = 0 if is_well else 1
        sys.stdout.flush()


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
