"""`scrapy learn SITE`: pre-crawls, learns, and prints what was learned with how sure it is."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.command_line import print_json, site_class_of
from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.commands.runs import SiteRun, output_console, process_of, site_name_of
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.spiders.site import SiteSpider

HELP = """
    Fetches `[learn] pages` of the site (those it has already are kept), learns from them which URLs are targets and
    directories, and where each field stands, writes data/SITE/knowledge.json and prints a report. An older
    knowledge.json is kept as knowledge.previous.json. The same command continues an interrupted pre-crawl.

    --json prints the knowledge. Keys: site, mode, targets and directories (lists of {regex, size, examples, score,
    evidence}), max_weight, keywords, ignored_query_keys, ignored_segments, wrapper, page_check, paging, types,
    learned_at, evidence, version. Keys are added, never renamed.

    Exit codes: 0 learned; 2 no such site, a mistake in its file, or nothing is stored to learn from (--offline);
    3 the site gives nothing to crawl; 4 the pages don't show what the site file describes; 5 the disk or a database
    can't be used; 130 interrupted or stopped.

    Examples:
      scrapy learn books
      scrapy learn books --offline --json
"""


class Command(SiteCommand, ScrapyCommand):
    """Pre-crawl and learn, or learn again from the pages that are stored."""

    requires_crawler_process = True
    summary = "Learn a site's URL classes and wrapper from its samples, and report"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        parser.add_argument("--offline", action="store_true", help="learn from the stored pages, without a request")
        parser.add_argument("--mode", choices=("best", "paper"), help="learner to use instead of the site file's")
        add_json(parser, " instead of the report: the knowledge")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Learn, and report."""
        self._report(self._learn(site_class_of(self, site_name_of(args, {})), opts), opts)

    def _learn(self, spider_class: type[SiteSpider], opts: argparse.Namespace) -> Knowledge:
        assert self.settings is not None
        with SiteRun(process_of(self), spider_class.site, self.settings, mode=opts.mode) as run:
            if run.together is not None:
                run.together.take()
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
