"""`scrapy fetch`: Scrapy's own, for site files as for spiders written in Python."""

from __future__ import annotations

from scrapy.commands.fetch import Command as ScrapyFetch

from gwc_crawler.commands.frame import LookingCommand


class Command(LookingCommand, ScrapyFetch):
    """Fetch a URL with the settings of its site or spider."""

    arguments = "<url>"
