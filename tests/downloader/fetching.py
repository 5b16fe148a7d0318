"""Fetches what a test lists, through a crawl's downloader, in a process of its own; prints what came as JSON.

`python -m tests.downloader.fetching '{"settings": {…}, "requests": [{"url": …, "method": …}, …], "listen": false}'`
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess

SETTINGS = {
    "DOWNLOADER": "gwc_crawler.downloader.politeness.HostDownloader",
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_MAXSIZE": 100_000,
    "DOWNLOAD_TIMEOUT": 1,
    "LOG_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "TWISTED_DNS_RESOLVER": "gwc_crawler.downloader.resolver.CachedResolver",
    "REMOTE_CONTROL_ENABLED": False,
}


class Fetching(Spider):
    """Fetches one Request after the other."""

    name = "fetching"
    jobs: list[dict[str, Any]]
    listen = False
    received: int = 0

    async def start(self) -> AsyncIterator[Any]:
        """Fetch all, print all."""
        if self.listen:
            self.crawler.signals.connect(self.count_bytes, signals.bytes_received)
        print(json.dumps([await self.fetch(job) for job in self.jobs]))
        return
        yield

    def count_bytes(self, data: bytes) -> None:
        """Count what is received, as a listener to the signal."""
        self.received += len(data)

    async def fetch(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return what came."""
        pause = job.pop("pause", 0)
        request = Request(**job, dont_filter=True)
        await asyncio.sleep(pause)
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is told
            return {"error": type(error).__name__}
        return {
            "url": response.url,
            "status": response.status,
            "class": type(response).__name__,
            "headers": {
                name.decode(): [value.decode() for value in values] for name, values in response.headers.items()
            },
            "body": response.body.decode("latin-1"),
            "flags": response.flags,
            "protocol": response.protocol,
            "address": str(response.ip_address),
            "certificate": type(response.certificate).__name__,
            "timed": request.meta["download_latency"] >= 0,
            "received": self.received,
        }


def main(task: dict[str, Any]) -> None:
    """Run the crawl."""
    process = AsyncCrawlerProcess({**SETTINGS, **task["settings"]})
    process.crawl(Fetching, jobs=task["requests"], listen=task.get("listen", False))
    process.start()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
