"""`scrapy list`: the sites and spiders of the project."""

from __future__ import annotations

import argparse

from scrapy.commands.list import Command as ScrapyList

from gwc_crawler.commands.frame import SiteCommand, add_json


class Command(SiteCommand, ScrapyList):
    """List the sites and spiders of the project."""

    arguments = ""
    help_text = """
    A line for each site file and each spider written in Python. No site file is read: `scrapy doctor` does that.

    --json prints a list with an object for each: name, file (its site file, or null for a spider). Keys are added,
    never renamed.

    Exit codes: 0 told.
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if not opts.json:
            ScrapyList.run(self, args, opts)
            return
        from gwc_crawler.runs.lookup import loader_of

        loader = loader_of(self)
        files = getattr(loader, "site_files", {})
        found = [{"name": name, "file": str(files[name]) if name in files else None} for name in sorted(loader.list())]
        self.answer(opts, found, "")
