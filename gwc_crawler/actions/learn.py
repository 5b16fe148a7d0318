"""`scrapy learn SITE`: pre-crawls, learns, and prints what was learned with how sure it is."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from scrapy.commands import ScrapyCommand

from gwc_crawler.actions.runs import SiteRun, output_console, process_of, site_name_of
from gwc_crawler.actions.sites import print_json, site_class_of
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.learn import render_report
from gwc_crawler.spiders.site import SiteSpider


def act(command: ScrapyCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Learn, and report."""
    knowledge = _learn(command, site_class_of(command, site_name_of(args, {})), opts)
    if opts.json:
        print_json(asdict(knowledge))
    else:
        assert command.settings is not None
        render_report(knowledge, output_console(command.settings))


def _learn(command: ScrapyCommand, spider_class: type[SiteSpider], opts: argparse.Namespace) -> Knowledge:
    assert command.settings is not None
    with SiteRun(process_of(command), spider_class.site, command.settings, mode=opts.mode) as run:
        if run.together is not None:
            run.together.take()
        if not opts.offline:
            run.precrawl(run.finish)
            run.run()
        return run.learn()
