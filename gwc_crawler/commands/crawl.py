"""`scrapy crawl SITE`: learns first if nothing is learned, then brings every record of the site home."""

from __future__ import annotations

import argparse

from scrapy.commands.crawl import Command as ScrapyCrawl

from gwc_crawler.commands.frame import SiteCommand

HELP = """
    Learns first if nothing is learned, then crawls. It can be ended at any moment, and the same command continues it:
    one Ctrl-C (or `scrapy stop` from another shell) lets what is under way finish, a second one ends at once; after
    kill -9 nothing is lost either. `scrapy pause` lets it rest, `scrapy status` shows how far it is.

    -a recrawl=due looks again at the pages whose time has come, recrawl=all at every page, recrawl=errors at what
    failed; -O then gives the records that are new or have changed.

    Exit codes: 0 done; 2 no such site, or a mistake in its file; 3 the site gives nothing to crawl; 4 nothing could be
    learned, or no record came; 5 the disk, the database or Redis can't be used; 6 the pages have changed and
    GWC_ON_DRIFT is stop; 130 interrupted or stopped.

    Examples:
      scrapy crawl books -O books.csv
      scrapy crawl books -a recrawl=due -O changed.jsonl
      scrapy crawl ~/elsewhere/books.toml -s DOWNLOAD_DELAY=1
"""


class Command(SiteCommand, ScrapyCrawl):
    """Scrapy's `crawl`, for site files as for spiders written in Python."""

    requires_crawler_process = True
    arguments = "<site name | path to a site file | spider>"
    summary = "Crawl a site (learns it first if nothing is learned), or run a spider"
    help_text = HELP

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the crawl."""
        from gwc_crawler.actions import crawl

        crawl.act(self, args, opts)
