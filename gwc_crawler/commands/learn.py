"""`scrapy learn SITE`: pre-crawls, learns, and prints what was learned with how sure it is."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.command_line import print_json, reported_errors, site_class_of
from gwc_crawler.commands.runs import SiteRun, output_console, process_of, site_name_of
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.spiders.site import SiteSpider


class Command(ScrapyCommand):
    """Pre-crawl and learn, or learn again from the pages that are stored."""

    requires_project = True

    def syntax(self) -> str:
        """Return the command's arguments."""
        return "[options] <site name | path to a site file>"

    def short_desc(self) -> str:
        """Return the line in `scrapy`'s list of commands."""
        return "Learn a site's URL classes and wrapper from its samples, and report"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add this command's options to Scrapy's."""
        super().add_options(parser)
        parser.add_argument("--offline", action="store_true", help="learn from the stored pages, without a request")
        parser.add_argument("--json", action="store_true", help="print the knowledge as JSON instead of the report")
        parser.add_argument("--mode", choices=("best", "paper"), help="learner to use instead of the site file's")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Learn; the exit code says how it ended."""
        name = site_name_of(args, {})
        with reported_errors(self):
            self._report(self._learn(site_class_of(self, name), opts), opts)

    def _learn(self, spider_class: type[SiteSpider], opts: argparse.Namespace) -> Knowledge:
        assert self.settings is not None
        run = SiteRun(process_of(self), spider_class.site, self.settings, mode=opts.mode)
        if not opts.offline:
            run.precrawl(run.finish)
            run.run()
        return run.learn()

    def _report(self, knowledge: Knowledge, opts: argparse.Namespace) -> None:
        from gwc_crawler.learn import render_report

        assert self.settings is not None
        if opts.json:
            print_json(asdict(knowledge))
        else:
            render_report(knowledge, output_console(self.settings))
