"""Scrapy's downloader and its middlewares with fewer detours: what is ready at once is not waited for.

The promises are Scrapy's: every method is called in its order, with the same arguments, and may be `async`; signals
are sent, slots are kept. Left out are a coroutine around each result that is there already, and the queue of a download
slot and its task, because no slot makes a Request wait here: limits belong to hosts (`politeness`).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.downloader import Downloader
from scrapy.core.downloader.middleware import DownloaderMiddlewareManager
from scrapy.crawler import Crawler
from scrapy.exceptions import _InvalidOutput
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro, ensure_awaitable
from scrapy.utils.python import global_object_name
from twisted.internet.defer import Deferred

RESULTS = (Response, Request)


class DirectDownloader(Downloader):
    """Takes a Request through the middlewares to its handler in one task."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.middleware = DirectMiddlewares(*self.middleware.middlewares, crawler=crawler)

    def fetch(self, request: Request, spider: Spider | None = None) -> Deferred[Response | Request]:
        """See Scrapy's `Downloader.fetch`."""
        return deferred_from_coro(self.fetching(request))

    def fetching(self, request: Request) -> Coroutine[Any, Any, Response | Request]:
        """Count a Request as active, and return what has to be awaited for its response."""
        self.active.add(request)
        return self._fetch(request)

    async def _fetch(self, request: Request) -> Response | Request:
        try:
            return await self.middleware.download_async(self._enqueue_request, request)
        finally:
            self.active.remove(request)

    async def _enqueue_request(self, request: Request) -> Response:
        key, slot = self._get_slot(request)
        request.meta[self.DOWNLOAD_SLOT] = key
        slot.active.add(request)
        self.signals.send_catch_log(
            signal=signals.request_reached_downloader, request=request, spider=self.crawler.spider
        )
        try:
            return await self._download(slot, request)
        finally:
            slot.active.remove(request)


class DirectMiddlewares(DownloaderMiddlewareManager):
    """Calls the downloader middlewares, and awaits what has to be awaited."""

    async def _process_request(
        self, request: Request, download_func: Callable[[Request], Coroutine[Any, Any, Response]]
    ) -> Response | Request:
        call = self._handle_mw_method if self._mw_methods_requiring_spider else _call
        for method in self.methods["process_request"]:
            assert method is not None
            result = call(method, request=request)
            if result is not None and not isinstance(result, RESULTS):
                result = await ensure_awaitable(result, _warn=global_object_name(method))
            if result is not None:
                return _checked(result, method)
        return await download_func(request)

    async def _process_response(self, response: Response | Request, request: Request) -> Response | Request:
        call = self._handle_mw_method if self._mw_methods_requiring_spider else _call
        for method in self.methods["process_response"]:
            if isinstance(response, Request):
                break
            assert method is not None
            result = call(method, request=request, response=response)
            if not isinstance(result, RESULTS):
                result = await ensure_awaitable(result, _warn=global_object_name(method))
            response = _checked(result, method)
        return response


def _call(method: Callable[..., Any], **arguments: Any) -> Any:
    return method(**arguments)


def _checked(result: Any, method: Callable[..., Any]) -> Response | Request:
    """Return the result of a middleware.

    Raises:
        _InvalidOutput: it is neither a Response nor a Request.
    """
    if not isinstance(result, RESULTS):
        raise _InvalidOutput(f"Middleware {method.__qualname__} must return Response or Request, got {type(result)}")
    return result
