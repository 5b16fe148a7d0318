"""Scrapy that only fetches: every address is known beforehand, and no page is looked at. `URL ADDRESSES`.

What it costs is what any Scrapy project pays before it has read a byte of a page.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

SETTINGS = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False}


class BareSpider(scrapy.Spider):
    """Asks for each address once."""

    name = "bare"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all of them, as fast as the engine takes them."""
        for path in Path(self.addresses).read_text(encoding="utf-8").split():  # type: ignore[attr-defined]
            yield scrapy.Request(self.home.rstrip("/") + path)  # type: ignore[attr-defined]

    def parse(self, response: Response, **_: Any) -> None:
        """Let the page go."""


if __name__ == "__main__":
    process = AsyncCrawlerProcess(SETTINGS)
    process.crawl(BareSpider, home=sys.argv[1], addresses=sys.argv[2])
    process.start()
