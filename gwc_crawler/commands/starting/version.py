"""`gwc version`, `scrapy version -v`: ours beside Scrapy's."""

from __future__ import annotations

import argparse

from scrapy.commands.version import Command as ScrapyVersion

import gwc_crawler
from gwc_crawler.commands.frame import SiteCommand

HELP = """
    With -v also the versions of what it stands on, for a bug report.

    Exit codes: 0 told.
"""


class Command(SiteCommand, ScrapyVersion):
    """Scrapy's `version`, with ours in the first line."""

    requires_project = False
    arguments = "[-v]"
    summary = "Print the versions of GWC Crawler and Scrapy"
    help_text = HELP

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print them."""
        between = "  : " if opts.verbose else " "
        print(f"GWC Crawler{between}{gwc_crawler.__version__}")
        ScrapyVersion.run(self, args, opts)
