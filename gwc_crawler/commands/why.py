"""`scrapy why SITE URL`: what the crawl knows of a URL, and which rule admits or refuses it."""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from pathlib import Path

from rich.markup import escape
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.command_line import SiteFiles, console, print_json, site_files_of
from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.commands.reach import Servers
from gwc_crawler.database import Database
from gwc_crawler.ops.why import CrawlLimits, Explanation, exit_code_of, explain_url
from gwc_crawler.ops.why_text import explanation_lines
from gwc_crawler.spiders.limits import depth_limit, url_limits

HELP = """
    Tells the URL's normal form; its state, kind and weight and the pages that led there; attempts, lease, next try;
    which filter takes it, or which nearly does and where they part; what was extracted, what is missing.
    Only reads: no request is made, so what robots.txt says is known only of URLs that were asked for already.
    Of a crawl that is shared through Redis, the state is the one that all workers know, page and record are this
    machine's.

    --json keys: asked, url, dropped_query_keys, known, admitted, rule {admitted, reason, verdict, regex, start, nearest
    {verdict, regex, agrees, differs, expected}}, frontier (null or: state, kind, weight, depth, attempts, lost,
    reason, host, owner, lease_until, due_at, added_at, done_at, through), precrawl_state, host_paused_until,
    linked_from, page, record, exceptions, cut (null or which limit keeps it out), revisit (null or: signature, kind,
    relevant, interval_seconds, checked_at, changed_at, due_at, etag, last_modified, checks, changes, gone_at), shared.
    Keys are added, never renamed.

    Exit codes: 0 the crawl has it (waiting, running, complete or error); 10 it has not, and would take it from a
    followed page; 11 it has not, and refuses it; 2 no such site, no http(s) address, or nothing is learned yet;
    5 a database or Redis can't be read.

    Example:
      scrapy why books https://books.example.com/product/9780785143727
"""


class Command(SiteCommand, ScrapyCommand):
    """Explain one URL."""

    arguments = "<site name | path to a site file> <URL>"
    summary = "Tell why a URL is in the crawl, or why not"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Explain; the exit code says whether the crawl has the URL."""
        if len(args) != 2:
            raise UsageError("name a site and a URL")
        files = site_files_of(self, args[0])
        told = explain(files, args[1])
        if opts.json:
            print_json(told.as_json())
        else:
            self._print(told, files)
        self.exitcode = exit_code_of(told)

    def _print(self, told: Explanation, files: SiteFiles) -> None:
        out = console()
        for label, text in explanation_lines(told, files.max_weight(files.knowledge())):
            out.print(f"[bold]{label:>11}[/bold]  {escape(text)}", soft_wrap=True)


def explain(files: SiteFiles, url: str) -> Explanation:
    """Look into what there is of a site's databases, and into Redis where the crawl is shared."""
    with ExitStack() as stack:

        def opened(path: Path) -> Database | None:
            return stack.enter_context(Database(path, read_only=True)) if path.exists() else None

        shared = None
        if files.settings["GWC_FRONTIER"] == "redis":
            from gwc_crawler.spiders.redis_parts import open_look  # Redis only where it is asked for

            shared = open_look(files.site.name, files.settings, Servers(stack).of(files.settings))
        return explain_url(
            url,
            files.site,
            files.knowledge(),
            opened(files.crawl_db),
            opened(files.samples_db),
            now=time.time(),
            limits=CrawlLimits(url_limits(files.settings, files.site), depth_limit(files.settings, files.site)),
            shared=shared,
        )
