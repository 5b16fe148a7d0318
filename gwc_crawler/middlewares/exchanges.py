"""The downloader middleware that tells each exchange with a server to the extensions' `exchange_listeners`, if any."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from hashlib import sha1
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response

from gwc_crawler.items import META_BEGAN, META_LEASE
from gwc_crawler.operate.monitor import FinishedRequest

Listener = Callable[[FinishedRequest], None]

CODES = (("Resolve", -1), ("Refused", -2), ("Timeout", -4), ("DataLoss", -3), ("Failed", -3))
"""Part of an exception's name → Heritrix's code."""


class ExchangeMiddleware:
    """Reports every exchange to its listeners: next to the network, so redirects, errors and robots.txt, too."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ExchangeMiddleware:
        extensions: Any = crawler.extensions  # they are made before the downloader
        told = [listener for one in extensions.middlewares for listener in getattr(one, "exchange_listeners", ())]
        if not told:
            raise NotConfigured
        return cls(told)

    def __init__(self, told: Sequence[Listener]) -> None:
        self._told = told

    def process_request(self, request: Request) -> None:
        request.meta[META_BEGAN] = time.time()

    def process_response(self, request: Request, response: Response) -> Response:
        if (began := request.meta.pop(META_BEGAN, None)) is not None:
            mime = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip()
            self._tell(request, response.status, began, response.body, mime)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report that no response came."""
        if (began := request.meta.pop(META_BEGAN, None)) is not None and not isinstance(exception, IgnoreRequest):
            name = type(exception).__name__
            code = next((code for part, code in CODES if part in name), -5)
            self._tell(request, code, began, b"", "")

    def _tell(self, request: Request, status: int, began: float, body: bytes, mime: str) -> None:
        meta: dict[str, Any] = request.meta
        lease = meta.get(META_LEASE)
        one = FinishedRequest(
            url=request.url,
            status=status,
            size=len(body),
            mime=mime,
            began_at=began,
            seconds=time.time() - began,
            depth=lease.depth if lease is not None else 0,
            redirects=meta.get("redirect_times", 0),
            attempt=lease.attempt if lease is not None else 1,
            digest=sha1(body, usedforsecurity=False).digest() if body else b"",
        )
        for told in self._told:
            told(one)
