"""`scrapy crawl SITE`: learns first if nothing is learned, then brings every record of the site home."""

from __future__ import annotations

import argparse

from scrapy.commands import BaseRunSpiderCommand

from gwc_crawler.commands.command_line import reported_errors, spider_class_of
from gwc_crawler.commands.runs import (
    SiteRun,
    output_console,
    process_of,
    require_records,
    site_name_of,
    summary_of,
)  # fmt: skip
from gwc_crawler.ops import render_summary
from gwc_crawler.spiders.site import SiteSpider


class Command(BaseRunSpiderCommand):
    """Scrapy's `crawl`, for site files as for spiders written in Python."""

    requires_project = True

    def syntax(self) -> str:
        """Return the command's arguments."""
        return "[options] <site name | path to a site file | spider>"

    def short_desc(self) -> str:
        """Return the line in `scrapy`'s list of commands."""
        return "Crawl a site (learns it first if nothing is learned), or run a spider"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the crawl; the exit code says how it ended."""
        name = site_name_of(args, opts.spargs)
        with reported_errors(self):
            spider_class = spider_class_of(self, name)
            if issubclass(spider_class, SiteSpider):
                self._run_site(spider_class, opts)
            else:
                super().run(args, opts)  # type: ignore[safe-super]

    def _run_site(self, spider_class: type[SiteSpider], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        assert self.crawler_process is not None
        run = SiteRun(process_of(self), spider_class.site, self.settings)
        crawler = self._create_crawler(spider_class)

        def crawl() -> None:
            run.crawl(crawler, opts.spargs, run.finish)

        def learn_and_crawl() -> None:
            from gwc_crawler.learn import render_report

            render_report(run.learn(), output_console(run.settings))
            crawl()

        if run.learned:
            crawl()
        else:
            run.precrawl(learn_and_crawl)
        try:
            run.run()
        finally:
            if run.crawler is crawler and crawler.spider is not None:
                summary = summary_of(run, crawler)
                render_summary(summary, output_console(run.settings))
        require_records(summary, run.site)
