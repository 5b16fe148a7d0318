"""Scrapy's downloader and its middlewares with fewer detours: a result that is ready at once is not waited for.

The promises are Scrapy's. It leaves out a coroutine around each result that is there already, and the queue of a
download slot, because no slot makes a Request wait here: limits belong to hosts (`politeness`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from functools import partial
from typing import Any

from pydispatch import dispatcher
from scrapy import Request, Spider, signals
from scrapy.core.downloader import Downloader
from scrapy.core.downloader.middleware import DownloaderMiddlewareManager
from scrapy.crawler import Crawler
from scrapy.extensions.corestats import CoreStats
from scrapy.http import Response
from scrapy.signalmanager import SignalManager
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.python import global_object_name
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from gwc_crawler.items import META_LEASE, weight_meta

ANY = id(dispatcher.Any)


def may_be_heard(sender: Any, signal: Any) -> bool:
    """Say whether *signal* from *sender* has a receiver, or had one that is gone and not yet forgotten."""
    for key in (id(sender), ANY):
        signals = dispatcher.connections.get(key)
        if signals and (signals.get(signal) or signals.get(dispatcher.Any)):
            return True
    return False


class HeardSignals(SignalManager):
    """Scrapy's signals, sent only to receivers: to find that there are none, Scrapy walks through four lists."""

    def send_catch_log(self, signal: Any, **what: Any) -> list[tuple[Any, Any]]:
        heard = may_be_heard(what.get("sender", self.sender), signal)
        return super().send_catch_log(signal, **what) if heard else []

    async def send_catch_log_async(self, signal: Any, **what: Any) -> list[tuple[Any, Any]]:
        heard = may_be_heard(what.get("sender", self.sender), signal)
        return await super().send_catch_log_async(signal, **what) if heard else []


RESULTS = (Response, Request)


class DirectDownloader(Downloader):
    """Takes a Request to its handler in one task, and counts the answers: by a signal that costs more than all else."""

    counts_responses = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.signals = HeardSignals(crawler)
        self.middleware = DirectMiddlewares(*self.middleware.middlewares, crawler=crawler)
        extensions = crawler.extensions.middlewares if crawler.extensions else ()
        self._counts = not any(type(one) is CoreStats for one in extensions)  # in a project without our wiring

    def fetch(self, request: Request, spider: Spider | None = None) -> Deferred[Response | Request]:
        self.active.add(request)  # at once: the engine looks whether there is room for another
        fetched: Deferred[Response | Request] = Deferred()
        start = asyncio.ensure_future if is_asyncio_available() else Deferred.fromCoroutine
        start(self._fetch(request, fetched, copy_context()))  # what a handler sets is nothing to whoever goes on
        return fetched

    async def _fetch(self, request: Request, fetched: Deferred[Response | Request], context: Context) -> None:
        """Hand the result on in the moment in which the Request is active no more: else the crawl would seem idle."""
        result: Any
        try:
            result = await self.fetching(request)
        except (Exception, asyncio.CancelledError):  # noqa: BLE001  # others, such as SystemExit, end the process
            result = Failure()  # type: ignore[no-untyped-call]
        self.active.remove(request)
        context.run(fetched.callback, result)

    async def fetching(self, request: Request) -> Response | Request:
        result = await self.middleware.download_async(self.reach, request)
        if isinstance(result, Response):
            if self._counts:
                self.crawler.stats.inc_value("response_received_count")
        elif META_LEASE in request.meta and META_LEASE not in result.meta:
            # a middleware made it anew, instead of `request.replace(...)`: it ends the lease all the same
            result.meta.update(weight_meta(request.meta[META_LEASE]))
            if result.callback is None:
                result.callback, result.errback = request.callback, request.errback
        return result

    async def reach(self, request: Request) -> Response:
        key, slot = self._get_slot(request)
        request.meta[self.DOWNLOAD_SLOT] = key
        slot.active.add(request)
        tell = partial(self.signals.send_catch_log, spider=self.crawler.spider, request=request)
        tell(signals.request_reached_downloader)
        slot.transferring.add(request)
        try:
            response: Response = await self.handlers.download_request_async(request)
            tell(signals.response_downloaded, response=response)
            return response
        finally:
            slot.transferring.remove(request)
            tell(signals.request_left_downloader)
            slot.active.remove(request)


class DirectMiddlewares(DownloaderMiddlewareManager):
    """Calls the downloader middlewares, and awaits only results that are awaitable."""

    async def _process_request(
        self, request: Request, download_func: Callable[[Request], Coroutine[Any, Any, Response]]
    ) -> Response | Request:
        of_old_style = self._mw_methods_requiring_spider
        for method in self.methods["process_request"]:
            assert method is not None
            call = partial(self._handle_mw_method, method) if method in of_old_style else method
            result = call(request=request)
            if result is not None and not isinstance(result, RESULTS):
                result = await ensure_awaitable(result, _warn=global_object_name(method))
            if result is not None:
                return _checked(result, method)
        return await download_func(request)

    async def _process_response(self, response: Response | Request, request: Request) -> Response | Request:
        of_old_style = self._mw_methods_requiring_spider
        for method in self.methods["process_response"]:
            if isinstance(response, Request):
                break
            assert method is not None
            call = partial(self._handle_mw_method, method) if method in of_old_style else method
            result = call(request=request, response=response)
            if not isinstance(result, RESULTS):
                result = await ensure_awaitable(result, _warn=global_object_name(method))
            response = _checked(result, method)
        return response


def _checked(result: Any, method: Callable[..., Any]) -> Response | Request:
    """Return the result of a middleware. Raises TypeError: it is neither a Response nor a Request."""
    if not isinstance(result, RESULTS):
        mw = getattr(method, "__self__", method)  # `wiring.blame` looks for a variable of this name
        name = f"{type(mw).__qualname__}.{method.__name__}"
        raise TypeError(f"{name} must return Response or Request, got {type(result).__name__}")
    return result
