"""`scrapy work`: joins the fleet; takes sites, or parts of them, crawls them, and leaves when nothing is to do."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand

HELP = """
    Start it as often as you like, wherever the project and its Redis are, at any time:

      SCRAPY_PROJECT=cluster scrapy work

    A worker takes the site that wants one most: first those nobody works on, then the one with the most waiting URLs
    for each worker (GWC_WORK_SHARE), of which it gets its parts: queues by GWC_QUEUE_POLICY, dealt out evenly. It
    crawls them, takes the next, waits, asks again, and leaves when nothing is to do for --idle seconds. What nothing
    is learned of is learned first, by one worker; all machines get the same knowledge. What a killed worker held is
    taken over when its leases run out (GWC_LEASE_SECONDS). SIGTERM or Ctrl-C: everything is handed back within
    seconds; a second one ends at once. From another shell, `scrapy stop --all` lets all workers of the fleet leave,
    `scrapy pause --all` and `scrapy resume --all` let them rest and go on.

    Sites are U waiting, R running, C complete, or E with a reason; --retry takes those in error again. Links to other
    sites are counted; GWC_ADOPT_SITES says which become sites of the fleet.

    A line for each site taken, left, done or failed goes to stdout, the log to stderr.

    Exit codes: 0 nothing was left to do; 2 a mistake in the settings or site files; 5 the disk, a database or Redis
    can't be used; 130 interrupted: everything was handed back.

    Examples:
      scrapy work --idle 300
      scrapy work --sites books,films --once
      scrapy work --sites portal -s GWC_ADOPT_SITES=template
"""


class Command(SiteCommand, ScrapyCommand):
    """Join the fleet."""

    requires_crawler_process = True
    arguments = ""
    summary = "Join the fleet: crawl sites, or parts of them, as long as there are any"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        parser.add_argument("--sites", metavar="A,B", help="begin with these sites only (default: all site files)")
        parser.add_argument(
            "--idle", type=float, metavar="SECONDS", help="leave after this long without work (GWC_WORK_IDLE_SECONDS)"
        )
        parser.add_argument("--once", action="store_true", help="leave as soon as all sites are done, and not before")
        parser.add_argument("--retry", action="store_true", help="take sites in error again")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Work."""
        from gwc_crawler.actions import work

        work.act(self, args, opts)
