"""Scrapy's signals and downloader middlewares with fewer detours: a result that is ready at once is not waited for."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from pydispatch import dispatcher
from scrapy import Request
from scrapy.core.downloader.middleware import DownloaderMiddlewareManager
from scrapy.http import Response
from scrapy.signalmanager import SignalManager
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.python import global_object_name

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
