"""`scrapy shell`: Scrapy's own, for site files as for spiders written in Python."""

from __future__ import annotations

from scrapy.commands.shell import Command as ScrapyShell

from gwc_crawler.commands.starting.looking import LookingCommand


class Command(LookingCommand, ScrapyShell):
    """Scrapy's `shell`."""

    arguments = "[url | file]"
    summary = "Interactive console for a URL or file, with the settings of its site"
