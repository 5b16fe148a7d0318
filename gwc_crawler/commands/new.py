"""`scrapy new URL`: a starter site file for the site of an address, which leads through its own filling in."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand

HELP = """
    Writes sites/NAME.toml, NAME being the host of the address (without "www."), and never overwrites a file.
    The address may be the site's front page, or a page whose record you want: that becomes the first sample.

    Exit codes: 0 written; 2 no http(s) address, the file exists, or the name can't be used; 5 it can't be written.

    Example:
      scrapy new https://books.example.com/product/9780785143727 --name books
"""


class Command(SiteCommand, ScrapyCommand):
    """Write a site file to fill in."""

    arguments = "<address>"
    summary = "Write a starter site file for the site of an address"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        parser.add_argument("--name", help="name of the site and its file (default: from the host)")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the file and say what comes next."""
        from gwc_crawler.actions import new

        new.act(self, args, opts)
