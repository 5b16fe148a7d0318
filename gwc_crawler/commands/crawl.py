"""`scrapy crawl SITE`: learns first if nothing is learned, then brings every record of the site home."""

from __future__ import annotations

import argparse

from scrapy.commands.crawl import Command as ScrapyCrawl

from gwc_crawler.commands.command_line import spider_class_of
from gwc_crawler.commands.frame import SiteCommand
from gwc_crawler.commands.runs import (
    SiteRun,
    output_console,
    process_of,
    require_records,
    site_name_of,
    summary_of,
)  # fmt: skip
from gwc_crawler.frontier import recrawl_choice
from gwc_crawler.ops import render_summary
from gwc_crawler.spiders.site import SiteSpider

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
        name = site_name_of(args, opts.spargs)
        spider_class = spider_class_of(self, name)
        if issubclass(spider_class, SiteSpider):
            self._run_site(spider_class, opts)
        else:
            ScrapyCrawl.run(self, args, opts)

    def _run_site(self, spider_class: type[SiteSpider], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        assert self.crawler_process is not None
        if "recrawl" in opts.spargs:
            recrawl_choice(opts.spargs["recrawl"])  # before a pre-crawl that may take long
        with SiteRun(process_of(self), spider_class.site, self.settings) as run:
            crawler = self._create_crawler(spider_class)

            def crawl() -> None:
                run.crawl(crawler, opts.spargs, run.finish)

            def learn_and_crawl() -> None:
                from gwc_crawler.learn import render_report

                render_report(run.learn(), output_console(run.settings))
                crawl()

            if run.take_learning():
                run.precrawl(learn_and_crawl)
            else:
                crawl()
            try:
                run.run()
            finally:
                if run.crawler is crawler and crawler.spider is not None:
                    summary = summary_of(run, crawler)
                    render_summary(summary, output_console(run.settings))
            if run.together is None:  # what the others have brought is on their machines
                require_records(summary, run.site)
