"""`scrapy crawl SITE`: learns first if nothing is learned, then brings every record of the site home."""

from __future__ import annotations

import argparse

from scrapy.commands.crawl import Command as ScrapyCrawl

from gwc_crawler.actions.runs import (
    SiteRun,
    output_console,
    process_of,
    require_records,
    site_name_of,
    summary_of,
)  # fmt: skip
from gwc_crawler.actions.sites import spider_class_of
from gwc_crawler.frontier import recrawl_choice
from gwc_crawler.ops import render_summary
from gwc_crawler.spiders.site import SiteSpider


def act(command: ScrapyCrawl, args: list[str], opts: argparse.Namespace) -> None:
    """Run the crawl."""
    name = site_name_of(args, opts.spargs)
    spider_class = spider_class_of(command, name)
    if issubclass(spider_class, SiteSpider):
        _run_site(command, spider_class, opts)
    else:
        ScrapyCrawl.run(command, args, opts)


def _run_site(command: ScrapyCrawl, spider_class: type[SiteSpider], opts: argparse.Namespace) -> None:
    assert command.settings is not None
    assert command.crawler_process is not None
    if "recrawl" in opts.spargs:
        recrawl_choice(opts.spargs["recrawl"])  # before a pre-crawl that may take long
    with SiteRun(process_of(command), spider_class.site, command.settings) as run:
        crawler = command._create_crawler(spider_class)

        def crawl() -> None:
            run.crawl(crawler, opts.spargs, run.finish)

        def learn_and_crawl() -> None:
            from gwc_crawler.learn import render_report  # a crawl imports the learner only when it has to learn

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
