"""`scrapy edit SITE`: the site file, or a spider's module, in your editor."""

from __future__ import annotations

import argparse

from scrapy.commands.edit import Command as ScrapyEdit
from scrapy.commands.edit import _edit_file

from gwc_crawler.commands.frame import SiteCommand


class Command(SiteCommand, ScrapyEdit):
    """Edit a site file or spider (EDITOR)."""

    arguments = "<site name | path to a site file | spider>"
    help_text = """
    Opens the site file in the editor that the environment's EDITOR or the setting of that name says.

    Exit codes: 0 done; 2 no such site or spider, or a mistake in the site file; else the editor's own.
    """

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.lookup import spider_class_of
        from gwc_crawler.spiders.site import SiteSpider

        if len(args) == 1 and issubclass(found := spider_class_of(self, args[0]), SiteSpider):
            self.exitcode = _edit_file(self.settings["EDITOR"], found.site.path)
        else:
            ScrapyEdit.run(self, args, opts)
