"""`scrapy crawl SITE`: learns first if nothing is learned, then brings every record of the site home."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawl

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError

if TYPE_CHECKING:
    from gwc_crawler.operate.summary import Summary
    from gwc_crawler.runs.site_run import SiteRun
    from gwc_crawler.spiders.site import SiteSpider


class Command(SiteCommand, ScrapyCrawl):
    """Crawl a site (learns it first if nothing is learned), or run a spider."""

    requires_crawler_process = True
    arguments = "<site name | path to a site file | address of a site | spider>"
    help_text = """
    Learns first if nothing is learned, then crawls. It can be ended at any moment, and the same command continues it:
    one Ctrl-C (or `scrapy stop` from another shell) lets what is under way finish, a second one ends at once; after
    kill -9 nothing is lost either. `scrapy pause` lets it rest, `scrapy status` shows how far it is.

    -a recrawl=due looks again at the pages whose time has come, recrawl=all at every page, recrawl=errors at what
    failed; -O then gives the records that are new or have changed.

    -a workers=2 has another process read pages for this one, workers=auto one for each core (docs/workers.md).

    --json prints the summary as an object to standard output (where a feed has that, to stderr), and no report of what
    was learned. Keys: site, database, pages and seconds (of this run), reused (pages fetched to learn from), ended (why
    before everything was done, or ""), urls {U,R,C,E}, pages_by_kind, records, exceptions, first_records, looks (null,
    or what looking again has found), cuts [reason, pattern, count], sinks, columns (of a whole
    site, as `scrapy graph --json` has them). Keys are added, never renamed.

    Of an address, `scrapy crawl https://example.com/`, the whole site is brought home, into data/example.com/, where a
    site file is made for it; other commands know the site by that name. What a whole site's front page leads to, column
    by column, is told at the end (`scrapy graph` shows it again).

    Exit codes: 0 done; 2 no such site, or a mistake in its file; 3 the site gives nothing to crawl; 4 nothing could be
    learned, or no record came; 5 the disk, the database or Redis can't be used; 6 the pages have changed and
    GWC_ON_DRIFT is stop; 130 interrupted or stopped.

    Examples:
      scrapy crawl books -O books.csv
      scrapy crawl books -a recrawl=due -O changed.jsonl
      scrapy crawl ~/elsewhere/books.toml -s DOWNLOAD_DELAY=1
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        add_json(parser, " instead of the summary: of site files")

    def look_ahead(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.lookup import site_at, site_name_of, spider_class_of
        from gwc_crawler.spiders.site import SiteSpider

        found = spider_class_of(self, site_at(self, site_name_of(args, dict(opts.spargs))))
        if opts.json and not issubclass(found, SiteSpider):
            raise InputError(
                f"--json tells of site files; {found.name!r} is a spider written in Python (-o - has its items)"
            )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.lookup import site_at, site_name_of, spider_class_of
        from gwc_crawler.spiders.site import SiteSpider

        name = site_at(self, site_name_of(args, opts.spargs))
        spider_class = spider_class_of(self, name)
        if issubclass(spider_class, SiteSpider):
            _run_site(self, spider_class, opts)
        else:
            ScrapyCrawl.run(self, args, opts)


def _run_site(command: Command, spider_class: type[SiteSpider], opts: argparse.Namespace) -> None:
    from gwc_crawler.extensions.feeds.feed_files import check_feeds
    from gwc_crawler.extract.reading.readers import worker_count
    from gwc_crawler.frontier.recrawl import recrawl_choice
    from gwc_crawler.runs.output import output_console
    from gwc_crawler.runs.site_run import SiteRun, process_of, require_records, summary_of
    from gwc_crawler.spiders.crawler import SiteCrawler
    from gwc_crawler.spiders.site import check_arguments

    assert command.crawler_process is not None
    check_arguments(opts.spargs)
    if "workers" in opts.spargs:
        worker_count(opts.spargs["workers"], f"-a workers={opts.spargs['workers']}")
    if "recrawl" in opts.spargs:
        recrawl_choice(opts.spargs["recrawl"])  # before a pre-crawl that may take long
    with SiteRun(process_of(command), spider_class.site, command.settings) as run:
        check_feeds(run.settings)
        run.check_database()
        crawler = SiteCrawler(spider_class, command.settings)

        def crawl() -> None:
            run.crawl(crawler, opts.spargs, run.finish)

        def learn_and_crawl() -> None:
            from gwc_crawler.learn.report import render_report  # a crawl imports the learner only when it has to learn

            knowledge = run.learn()
            if not opts.json:
                render_report(knowledge, output_console(run.settings))
            crawl()

        if run.take_learning():
            run.precrawl(learn_and_crawl)
        else:
            crawl()
        try:
            run.run()
        finally:
            if run.crawler is crawler and crawler._stats is not None:  # it got as far as that
                summary = summary_of(run, crawler)
                _tell(run, summary, as_json=opts.json)
        if run.together is None:  # what the others have brought is on their machines
            require_records(summary, run.site)


def _tell(run: SiteRun, summary: Summary, *, as_json: bool) -> None:
    from gwc_crawler.runs.lookup import SiteFiles
    from gwc_crawler.runs.output import has_stdout, output_console, print_json, print_labelled
    from gwc_crawler.runs.records import read_columns

    has_columns = run.site.is_whole and summary.keeps_records
    columns = read_columns(SiteFiles(run.site.name, run.settings, run.site)) if has_columns else []
    if as_json:
        told = {**summary.as_json(), "columns": [asdict(column) for column in columns]}
        print_json(told, stderr=has_stdout(run.settings))
        return
    from gwc_crawler.export.graph.model import column_lines
    from gwc_crawler.operate.summary import render_summary

    render_summary(summary, output_console(run.settings))
    if columns:
        print_labelled(column_lines(columns), width=10, stderr=has_stdout(run.settings))
