"""`scrapy extract SITE`: re-extracts the records of all stored pages with the present knowledge, without a request."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json

HELP = """
    Reads every stored page of the crawl again, by knowledge.json and the site file as they are now, and rewrites its
    record, its exceptions and its kind (target, lookalike, directory …). Use it after `scrapy learn`, or after editing
    knowledge.json. It can be interrupted and done again; it refuses to run beside a crawl of the site.

    Only pages whose HTML was kept can be looked at: with GWC_KEEP_HTML = targets those whose URL passed a target filter
    at the time, with all every page. The others stay as they are. It says how many of them are targets by their URL
    now; `scrapy queue SITE retry --state C PATTERN` and `scrapy crawl SITE` fetch those again.

    --json keys: site, database, pages (looked at), changed (kinds), unreadable [URLs], without_html,
    targets_without_html, seconds, pages_by_kind, records, exceptions, urls {waiting, running, complete, error}.
    Keys are added, never renamed.

    Exit codes: 0 done; 2 no such site, not crawled or learned yet, or no HTML kept; 4 no page gave a record;
    5 the site is being crawled, or the database can't be used; 130 interrupted.
"""


class Command(SiteCommand, ScrapyCommand):
    """Re-extract stored pages."""

    summary = "Extract the records of all stored pages again, without a request"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        add_json(parser, " instead of the summary")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Re-extract; the exit code says how it ended."""
        from gwc_crawler.actions import extract

        extract.act(self, args, opts)
