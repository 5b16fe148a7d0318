"""`gwc version`, `scrapy version -v`: ours beside Scrapy's."""

from __future__ import annotations

import argparse

import scrapy
from scrapy.commands.version import Command as ScrapyVersion
from scrapy.utils.versions import get_versions

import gwc_crawler
from gwc_crawler.commands.frame import SiteCommand, add_json


class Command(SiteCommand, ScrapyVersion):
    """Print the versions of GWC Crawler and Scrapy."""

    requires_project = False
    arguments = "[-v] [--json]"
    help_text = """
    With -v also the versions of what it stands on, for a bug report. --json prints an object: name → version.

    Exit codes: 0 told.
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.json:
            below = dict(get_versions()) if opts.verbose else {"Scrapy": scrapy.__version__}
            self.answer(opts, {"GWC Crawler": gwc_crawler.__version__, **below}, "")
            return
        between = "  : " if opts.verbose else " "
        print(f"GWC Crawler{between}{gwc_crawler.__version__}")
        ScrapyVersion.run(self, args, opts)
