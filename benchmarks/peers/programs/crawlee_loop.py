"""Crawlee's ParselCrawler with its own `enqueue_links`; its storage in memory, so that it writes nothing."""

from __future__ import annotations

import asyncio
import sys

from crawlee import ConcurrencySettings, service_locator
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def follow(context: ParselCrawlingContext) -> None:
    """Follow what the page links to."""
    await context.enqueue_links()


async def main(url: str) -> None:
    """Crawl the site at *url* to its end."""
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = ParselCrawler(
        request_handler=follow,
        respect_robots_txt_file=True,
        concurrency_settings=ConcurrencySettings(desired_concurrency=8, max_concurrency=16),
    )

    await crawler.run([url])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
