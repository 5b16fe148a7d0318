"""What `scrapy fetch`, `scrapy view` and `scrapy shell` have in common: Scrapy's own, with the settings of a site."""

from __future__ import annotations

import argparse
import sys

from scrapy import Request
from w3lib.url import is_url

from gwc_crawler.commands.frame import SiteCommand

HELP = """
    The settings of the site file are in force where the URL belongs to one, or --spider names one. Nothing else is
    fetched, and nothing is written: it may run beside a crawl of the site. `scrapy parse URL` shows what the crawl
    would make of the page.

    Exit codes: 0 done, whatever the server said; 2 no such site or spider, or a mistake in the site file.
"""


class LookingCommand(SiteCommand):
    """Stands before one of Scrapy's commands in the bases of a command that looks at one page."""

    requires_crawler_process = True
    help_text = HELP

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run Scrapy's own command with spiders that only look."""
        from gwc_crawler.runs.lookup import loader_of, spider_class_of
        from gwc_crawler.spiders.single_page import LookingLoader

        assert self.crawler_process is not None
        if getattr(opts, "spider", None):
            spider_class_of(self, opts.spider)  # says so where there is none
        elif args and is_url(args[0]):
            names = loader_of(self).find_by_request(Request(args[0]))
            if len(names) > 1:
                told = f"{args[0]} belongs to {', '.join(names)}: it is looked at as of none; name one with --spider"
                print(told, file=sys.stderr)
        self.crawler_process.spider_loader = LookingLoader(loader_of(self))
        super(SiteCommand, self).run(args, opts)  # type: ignore[safe-super]  # of the Scrapy command behind it
