"""`scrapy why SITE URL`: what the crawl knows of a URL, and which rule admits or refuses it."""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from pathlib import Path

from rich.markup import escape
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.actions.reach import Servers
from gwc_crawler.actions.sites import SiteFiles, console, print_json, site_files_of
from gwc_crawler.database import Database
from gwc_crawler.ops.why import CrawlLimits, Explanation, exit_code_of, explain_url
from gwc_crawler.ops.why_text import explanation_lines
from gwc_crawler.spiders.limits import depth_limit, url_limits


def act(command: ScrapyCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Explain; the exit code says whether the crawl has the URL."""
    if len(args) != 2:
        raise UsageError("name a site and a URL")
    files = site_files_of(command, args[0])
    told = explain(files, args[1])
    if opts.json:
        print_json(told.as_json())
    else:
        _print(told, files)
    command.exitcode = exit_code_of(told)


def _print(told: Explanation, files: SiteFiles) -> None:
    out = console()
    for label, text in explanation_lines(told, files.max_weight(files.knowledge())):
        out.print(f"[bold]{label:>11}[/bold]  {escape(text)}", soft_wrap=True)


def explain(files: SiteFiles, url: str) -> Explanation:
    """Look into what there is of a site's databases, and into Redis where the crawl is shared."""
    with ExitStack() as stack:

        def opened(path: Path) -> Database | None:
            return stack.enter_context(Database(path, read_only=True)) if path.exists() else None

        shared = None
        if files.settings["GWC_FRONTIER"] == "redis":
            from gwc_crawler.spiders.redis_parts import open_look  # Redis only where it is asked for

            shared = open_look(files.site.name, files.settings, Servers(stack).of(files.settings))
        return explain_url(
            url,
            files.site,
            files.knowledge(),
            opened(files.crawl_db),
            opened(files.samples_db),
            now=time.time(),
            limits=CrawlLimits(url_limits(files.settings, files.site), depth_limit(files.settings, files.site)),
            shared=shared,
        )
