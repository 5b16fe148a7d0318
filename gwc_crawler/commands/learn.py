"""`scrapy learn SITE`: pre-crawls, learns, and prints what was learned with how sure it is."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json

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
        from gwc_crawler.actions import learn

        learn.act(self, args, opts)
