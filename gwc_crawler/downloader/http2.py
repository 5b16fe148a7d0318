"""Pages over HTTP/2, for servers that speak nothing else (GWC_HTTP2): by Scrapy's handler over httpx2, within our time.

It offers HTTP/1.1 as well, goes through proxies of HTTP and SOCKS, and looks names up by itself. Called by `handler`.
"""

from __future__ import annotations

import asyncio
import logging

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler


class Http2:
    """Fetches by Scrapy's handler; HTTPX_HTTP2_ENABLED has to be set."""

    def __init__(self, crawler: Crawler) -> None:
        from scrapy.core.downloader.handlers._httpx import HttpxDownloadHandler  # httpx2 only where it is asked for

        logging.getLogger("httpx2").setLevel(logging.WARNING)  # else it has a line for each page
        self._handler = build_from_crawler(HttpxDownloadHandler, crawler)

    async def fetch(self, request: Request, seconds: float) -> Response:
        """Return the response, within *seconds*: those of httpx begin anew with every piece that is received.

        Raises:
            Exception: one of Scrapy's for download handlers.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._handler.download_request(request)
        except TimeoutError as error:
            raise DownloadTimeoutError(f"Getting {request.url} took longer than {seconds} seconds.") from error

    async def close(self) -> None:
        """End all connections."""
        await self._handler.close()
