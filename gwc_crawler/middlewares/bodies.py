"""The downloader middleware that delivers bodies as their servers meant them: decoded and complete.

It replaces Scrapy's HttpCompressionMiddleware, which takes a compressed body that breaks off for a complete one.
"""

from __future__ import annotations

import logging
import re
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import DownloadFailedError, IgnoreRequest, ResponseDataLossError
from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes

from gwc_crawler.errors import TooLargeError, WireError
from gwc_crawler.network.wire import DATALOSS, Decoded, codings_of, decode

logger = logging.getLogger(__name__)

_ALL_OF_IT = re.compile(rb"bytes\s+0-(\d+)/(\d+)\s*", re.IGNORECASE)


class WholeBodies(HttpCompressionMiddleware):
    """Decodes, and refuses half bodies as the download handler does: DOWNLOAD_FAIL_ON_DATALOSS, the flag "dataloss"."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._fails_on_loss = crawler.settings.getbool("DOWNLOAD_FAIL_ON_DATALOSS")

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Response:
        """Return the response with its complete, decoded body.

        Raises:
            ResponseDataLossError: a page is incomplete; not raised for an answer that says there is no page.
            IgnoreRequest: the body is larger than DOWNLOAD_MAXSIZE.
            DownloadFailedError: it can't be decoded.
        """
        if response.status == 206 and b"Range" not in request.headers:
            said = response.headers.get(b"Content-Range") or b""
            whole = _ALL_OF_IT.fullmatch(said)
            if whole is None or int(whole[1]) + 1 != int(whole[2]):
                told = f"HTTP 206: the server sent a part alone, {said[:80].decode('latin-1')!r}"
                self._lost(request, response, told)
        named = dict.get(response.headers, b"Content-Encoding")
        if not named or not response.body:
            return response
        decoded = self._decoded(request, response, named)
        if decoded.cut:
            told = f"the compressed body breaks off or is damaged, {len(decoded.body)} bytes of it can be had"
            self._lost(request, response, told)
        if self.stats:
            self.stats.inc_value("httpcompression/response_bytes", len(decoded.body))
            self.stats.inc_value("httpcompression/response_count")
        if len(response.body) < self._warn_size <= len(decoded.body):
            logger.warning("large response url=%s bytes=%d once unpacked", response.url, len(decoded.body))
        del response.headers["Content-Encoding"]
        kind = responsetypes.from_args(headers=response.headers, url=response.url, body=decoded.body)
        if issubclass(kind, TextResponse):
            return response.replace(cls=kind, body=decoded.body, encoding=None)
        return response.replace(cls=kind, body=decoded.body)

    def _decoded(self, request: Request, response: Response, named: list[bytes]) -> Decoded:
        limit = request.meta.get("download_maxsize", self._max_size)
        try:
            return decode(response.body, codings_of(named), limit)
        except WireError as error:
            if response.status >= 300:
                return Decoded(b"")
            if not isinstance(error, TooLargeError):
                raise DownloadFailedError(str(error)) from error
            text = f"{response.url}: {len(response.body)} bytes are more than DOWNLOAD_MAXSIZE ({limit}) when unpacked"
            logger.warning(text)
            raise IgnoreRequest(text) from error

    def _lost(self, request: Request, response: Response, problem: str) -> None:
        if response.status < 300 and request.meta.get("download_fail_on_dataloss", self._fails_on_loss):
            raise ResponseDataLossError(f"{problem}; DOWNLOAD_FAIL_ON_DATALOSS = False takes it as it is")
        if DATALOSS not in response.flags:
            response.flags.append(DATALOSS)
