"""`scrapy status [SITE]`: how far the crawls are, at any time, also while they run."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json

HELP = """
    Without SITE: a row for each site that has data. With SITE (a name or a path to a site file): what was learned,
    URLs by state, kind, weight and host, workers, paused hosts, errors by reason, rates. Only reads, and may be asked
    at any time. The figures are those of the crawl, or of the pre-crawl while there is no crawl yet. URL states:
    U waiting, R running (leased), C complete, E error.

    Of a crawl that is shared through Redis, states, queues, errors and workers are those of all machines; what is
    stored (pages by kind, complete pages by weight and host, records, exceptions) is that of this one. What waits by
    weight and host are lengths of queues, of 5,000 queues at most. A worker is silent when it gave no sign of life for
    10 seconds.

    --watch shows it anew every --every seconds until Ctrl-C: on a terminal in place, elsewhere a line for each site,
    with --json a line with one object each time.

    --json prints an object for SITE, else a list of such objects. Keys: site, checked_at, problem; fleet
    (null, or state, reason, workers [owner, parts], learning, template, adopted, changed_at); knowledge
    (learned_at, mode, targets, directories, max_weight, keywords); precrawl and crawl, each null or an object:
    frontier (sqlite | redis), database, running, running_as, paused, pause (null or {by, since}), urls {U,R,C,E},
    pages_by_kind, urls_by_weight, urls_by_host, hosts, errors_by_reason, pages_last_minute, pages_last_10_minutes,
    pages_per_second, records, exceptions, exceptions_by_field, workers [owner, activity (running | paused | stopping |
    silent), reasons, leased, pages, pages_per_second, up_seconds, seen_seconds_ago, oldest_lease_seconds,
    next_expiry_seconds], paused_hosts {host: until}, only_here [figures of this machine alone], left_out {what: count},
    due, cuts [reason, pattern, count, examples], closed_classes {pattern: reason}.
    With --watch and without SITE the object has: checked_at, sites [such objects], workers [those of the fleet, as
    above]. Times are seconds since 1970. Keys are added, never renamed.

    Exit codes: 0 told; 2 no such site; 5 a database or Redis can't be read (the other figures are told all the same).
"""


class Command(SiteCommand, ScrapyCommand):
    """Tell how far crawls are."""

    arguments = "[site name | path to a site file]"
    summary = "Tell how far the crawls are, also while they run"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        add_json(parser)
        parser.add_argument("--watch", action="store_true", help="show it anew until Ctrl-C")
        every = "with --watch: how often (default 2)"
        parser.add_argument("--every", type=float, default=2.0, metavar="SECONDS", help=every)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the status once, or until interrupted."""
        from gwc_crawler.actions import status

        status.act(self, args, opts)
