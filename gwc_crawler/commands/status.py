"""`scrapy status [SITE]`: shows the progress of crawls, at any time, also while they run."""

from __future__ import annotations

import argparse
from contextlib import ExitStack, suppress

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import StoreError, advice


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
        from gwc_crawler.runs.output import console, print_json
        from gwc_crawler.runs.status import look, watch

        if len(args) > 1:
            raise UsageError("name one site, or none for all of them")
        if not 0 < opts.every < 86_400:
            raise UsageError("--every takes seconds, more than 0 and less than a day")
        name = args[0] if args else None
        with ExitStack() as stack:
            servers = Servers(stack)
            if opts.watch:
                with suppress(KeyboardInterrupt):
                    watch(self, name, servers, opts.every, as_json=opts.json)
                return
            seen = look(self, name, servers, sized=name is not None)
        if opts.json:
            print_json(seen.as_json())
        elif not seen.sites:
            print(advice("no site has data yet; `scrapy list` shows the site files, `scrapy crawl NAME` begins"))
        else:
            console().print(seen.rendered(), soft_wrap=True)
        if any(status.problem for status in seen.sites):
            self.exitcode = StoreError.exit_code
