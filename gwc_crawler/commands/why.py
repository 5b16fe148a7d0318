"""`scrapy why SITE URL`: what the crawl knows of a URL, and which rule admits or refuses it."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json

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
        from gwc_crawler.actions import why

        why.act(self, args, opts)
