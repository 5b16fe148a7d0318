"""`scrapy view`: Scrapy's own, for site files as for spiders written in Python."""

from __future__ import annotations

from scrapy.commands.view import Command as ScrapyView

from gwc_crawler.commands.starting.looking import LookingCommand


class Command(LookingCommand, ScrapyView):
    """Scrapy's `view`."""

    arguments = "<url>"
    summary = "Open a URL in the browser, as the crawl gets it"
