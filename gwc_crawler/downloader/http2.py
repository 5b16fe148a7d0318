"""Pages over HTTP/2, for servers that speak nothing else (GWC_HTTP2): by Scrapy's handler over httpx2, within our time.

Hosts are looked up in the crawl's names, and an address is judged in the moment of connecting.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler

from gwc_crawler.downloader.resolver import NO_WAY, names_of, scrapys_error
from gwc_crawler.network.connections import first_connected
from gwc_crawler.network.dns_cache import CrawlNames

_ADDED_BY_HTTPX = ("accept", "accept-encoding", "user-agent")


class Http2:
    """Fetches by Scrapy's handler; HTTPX_HTTP2_ENABLED has to be set."""

    def __init__(self, crawler: Crawler) -> None:
        logging.getLogger("httpx2").setLevel(logging.WARNING)  # else it has a line for each page
        self._handler = build_from_crawler(_handler_of(lambda: names_of(crawler)), crawler)

    async def fetch(self, request: Request, seconds: float) -> Response:
        """Return the response within *seconds* in all: httpx's own time-out begins anew with each piece received."""
        try:
            async with asyncio.timeout(seconds):
                return await self._handler.download_request(request)  # type: ignore[no-any-return]
        except TimeoutError as error:
            raise DownloadTimeoutError(f"Getting {request.url} took longer than {seconds} seconds.") from error
        except NO_WAY as error:
            raise scrapys_error(error) from error

    async def close(self) -> None:
        """End all connections."""
        await self._handler.close()


class NamesBackend:
    """How httpcore2 connects (its AsyncNetworkBackend): to addresses that the crawl's names give and permit.

    *names* are asked for when the first connection is made: the engine may not be there before.
    """

    def __init__(self, names: Callable[[], CrawlNames], backend: Any) -> None:
        self._names = names
        self._backend = backend
        self._ending: set[asyncio.Task[None]] = set()

    async def connect_tcp(self, host: str, port: int, *args: Any, **options: Any) -> Any:
        """Connect to the first of a host's addresses that answers."""
        from httpcore2 import ConnectError

        names = self._names()
        addresses = await names.addresses_of(host)

        async def connect(address: str) -> Any:
            names.check(host, address)
            try:
                return await self._backend.connect_tcp(address, port, *args, **options)
            except Exception as error:
                names.failed(host, address)
                raise OSError(str(error)) from error

        try:
            return await first_connected(addresses, connect, self._give_up)
        except OSError as error:
            raise ConnectError(str(error)) from error

    async def sleep(self, seconds: float) -> None:
        """Wait, between attempts."""
        await asyncio.sleep(seconds)

    def _give_up(self, stream: Any) -> None:
        task = asyncio.ensure_future(stream.aclose())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _handler_of(names: Callable[[], CrawlNames]) -> Any:
    """Return Scrapy's handler with our connections; httpx2 is imported only if it is used."""
    import httpcore2
    import httpx2
    from scrapy.core.downloader.handlers._httpx import HttpxDownloadHandler

    class Transport(httpx2.AsyncHTTPTransport):
        def __init__(self, pool: Any) -> None:
            self._pool = pool  # the only part of the original

    class Handler(HttpxDownloadHandler):
        def _make_client(self, proxy_url: str | None = None) -> Any:
            if proxy_url:  # its address is a person's, and it looks the hosts up
                return super()._make_client(proxy_url)
            pool = httpcore2.AsyncConnectionPool(
                ssl_context=self._ssl_context,
                max_connections=self._limits.max_connections,
                max_keepalive_connections=self._limits.max_keepalive_connections,
                http2=self._enable_h2,
                local_address=self._bind_host,
                network_backend=NamesBackend(names, httpcore2.AnyIOBackend()),  # type: ignore[arg-type]
            )
            no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
            client = httpx2.AsyncClient(cookies=no_cookies, transport=Transport(pool))
            for name in _ADDED_BY_HTTPX:
                client.headers.pop(name, None)
            return client

    return Handler
