"""Scrapy's mark on the Requests of `start()`, without a look at everything that comes later."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request


class StartMark:
    """Sets `is_start_request` as Scrapy's `StartSpiderMiddleware` does, which also looks at each page's output."""

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Mark each Request, and hand all on."""
        async for output in start:
            if isinstance(output, Request):
                output.meta.setdefault("is_start_request", True)
            yield output
