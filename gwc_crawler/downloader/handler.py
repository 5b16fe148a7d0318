"""The download handler for http and https: a Request goes over a kept connection, its Response comes back.

What this can't do (an HTTP proxy, a bind address of the Request's own, a listener to every piece received, credentials
in the URL, another event loop) goes to Scrapy's own handler, and https with GWC_HTTP2 to the one over httpx2. Settings,
meta keys, errors and flags mean the same in all.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from base64 import b64decode
from functools import lru_cache, partial
from typing import Any
from urllib.parse import ParseResult, unquote, urlsplit

from scrapy import Request, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    NotSupported,
    ResponseDataLossError,
)
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.reactor import is_asyncio_reactor_installed

from gwc_crawler.downloader.direct import may_be_heard
from gwc_crawler.downloader.http2 import Http2
from gwc_crawler.downloader.resolver import NO_WAY, names_of, scrapys_error
from gwc_crawler.errors import TooLargeError, WireError
from gwc_crawler.items import META_ENOUGH, META_UNREAD, META_WIRE
from gwc_crawler.network.connections import Connections
from gwc_crawler.network.wire import (
    DATALOSS,
    OVERLONG,
    SOCKS_PORT,
    SOCKS_SCHEMES,
    Answer,
    Ending,
    Origin,
    Proxy,
    request_message,
)
from gwc_crawler.wiring.components import VALUES
from gwc_crawler.wiring.options import keeps_exchanges

logger = logging.getLogger(__name__)


def is_socks(url: str) -> bool:
    """Say whether a proxy's URL is one of SOCKS.

    >>> is_socks("socks5://127.0.0.1:1080"), is_socks("http://127.0.0.1:3128"), is_socks("127.0.0.1:3128")
    (True, False, False)
    """
    return url[:5].lower() == "socks"


@lru_cache(maxsize=1024)
def socks_proxy(url: str, authorization: bytes | None = None, encoding: str = "latin-1") -> Proxy:
    """Read a proxy's URL; credentials of the header *authorization* rank above its own. NotSupported: no such proxy."""
    parts = urlsplit(url)
    username, password = unquote(parts.username or ""), unquote(parts.password or "")
    try:
        if authorization:
            kind, _, told = authorization.partition(b" ")
            if kind.lower() != b"basic":
                raise ValueError("its credentials are no name and password")
            username, _, password = b64decode(told).decode(encoding).partition(":")
        port = parts.port or SOCKS_PORT
    except ValueError as error:
        raise NotSupported(f"the proxy {_plain(parts.scheme, parts.netloc)} can't be asked: {error}") from error
    if parts.scheme not in SOCKS_SCHEMES or not parts.hostname:
        known = ", ".join(SOCKS_SCHEMES)
        raise NotSupported(f"the proxy {_plain(parts.scheme, parts.netloc)} can't be asked: write {known}://HOST:PORT")
    return Proxy(parts.scheme, parts.hostname, port, username, password)


def _plain(scheme: str, netloc: str) -> str:
    return f"{scheme}://{netloc.rpartition('@')[2]}"


SCRAPYS_HANDLER = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"

BODILESS = frozenset({"HEAD"})
REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "DELETE", "TRACE"})
"""Methods that are sent a second time if an idle connection has ended; requests that change data are not."""

METHODS = REPEATABLE | {"POST", "PUT", "PATCH"}
UNUSUAL_HEADERS = frozenset(
    {
        b"Connection",
        b"Content-Length",
        b"Expect",
        b"Host",
        b"Proxy-Authorization",
        b"Te",
        b"Transfer-Encoding",
        b"Upgrade",
    }
)
PORTS = {"http": 80, "https": 443}
FLAGS = {
    Ending.COMPLETE: None,
    Ending.OPEN: ["partial"],
    Ending.CUT: [DATALOSS],
    Ending.BROKEN: [DATALOSS],
    Ending.OVERLONG: [OVERLONG],
}
LOSSES = (Ending.CUT, Ending.BROKEN)
PIECES = (signals.headers_received, signals.bytes_received)


class KeptConnectionsHandler(BaseDownloadHandler):
    """Downloads over connections that are kept (see the module)."""

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._max_bytes = settings.getint("DOWNLOAD_MAXSIZE")
        self._warn_bytes = settings.getint("DOWNLOAD_WARNSIZE")
        self._fails_on_loss = settings.getbool("DOWNLOAD_FAIL_ON_DATALOSS")
        self._auth_encoding: str = settings["HTTPPROXY_AUTH_ENCODING"]
        self._is_ours = is_asyncio_reactor_installed() and not _has_own_tls(settings)
        self._speaks_http2 = settings.getbool("GWC_HTTP2")
        self._connections: Connections | None = None
        self._http2: Http2 | None = None
        self._scrapys_handler: Any = None

    async def download_request(self, request: Request) -> Response:
        url = urlparse_cached(request)
        meta = request.meta
        seconds = meta.get("download_timeout") or VALUES["DOWNLOAD_TIMEOUT"]
        if self._speaks_http2 and url.scheme == "https":
            self._http2 = self._http2 or Http2(self.crawler)
            return await self._http2.fetch(request, seconds)
        message = self._message(request, url)
        if message is None:
            return await self._by_scrapys(request)
        try:
            async with asyncio.timeout(seconds):
                answer = await self._kept().ask(
                    _origin(url.scheme, url.netloc, self._socks(request) if meta.get("proxy") else None),
                    message,
                    bodiless=request.method in BODILESS,
                    repeatable=request.method in REPEATABLE and not request.body,
                    max_body_bytes=meta.get("download_maxsize", self._max_bytes),
                    enough_bytes=meta.get(META_ENOUGH, 0),
                    unread_types=meta.get(META_UNREAD, ()),
                )
        except TimeoutError as error:
            raise DownloadTimeoutError(f"Getting {request.url} took longer than {seconds} seconds.") from error
        except TooLargeError as error:
            text = f"{request.url}: {error}, more than DOWNLOAD_MAXSIZE allows"
            logger.warning(text)
            raise DownloadCancelledError(text) from error
        except ssl.SSLCertVerificationError as error:
            text = f"{error.verify_message}; DOWNLOAD_VERIFY_CERTIFICATES = False fetches all the same"
            raise DownloadFailedError(f"the certificate of {url.netloc} is not good: {text}") from error
        except NO_WAY as error:
            raise scrapys_error(error) from error
        except ConnectionRefusedError as error:
            raise DownloadConnectionRefusedError(f"Connection was refused by {request.url}: {error}") from error
        except (WireError, OSError) as error:
            raise DownloadFailedError(str(error) or type(error).__name__) from error
        meta["download_latency"] = answer.latency_seconds
        if answer.received is not None:
            meta[META_WIRE] = (message, *answer.received, answer.body)
        return self._response(request, answer)

    async def close(self) -> None:
        if self._connections is not None:
            await self._connections.close()
        if self._http2 is not None:
            await self._http2.close()
        if self._scrapys_handler is not None:
            await self._scrapys_handler.close()

    def _message(self, request: Request, url: ParseResult) -> bytes | None:
        """Return the request's bytes; None when Scrapy's own handler shall send it."""
        meta, headers = request.meta, request.headers
        if proxy := meta.get("proxy"):
            if not is_socks(proxy):
                return None
            headers = headers.copy()
            headers.pop(b"Proxy-Authorization", None)  # it is the proxy's
        if (
            not self._is_ours
            or request.method not in METHODS
            or meta.get("bindaddress")
            or not UNUSUAL_HEADERS.isdisjoint(headers)  # the names are normalised
            or "@" in url.netloc
            or any(may_be_heard(self.crawler.signals.sender, piece) for piece in PIECES)
        ):
            return None
        target = f"{url.path or '/'}{';' if url.params else ''}{url.params}{'?' if url.query else ''}{url.query}"
        try:
            named = [(b"Host", _host(url.scheme, url.netloc))]
            named += [(name, value) for name, values in dict.items(headers) for value in values]
            return request_message(request.method, target, named, request.body)
        except ValueError:
            return None

    def _response(self, request: Request, answer: Answer) -> Response:
        if (
            answer.ending in LOSSES
            and answer.status < 300
            and request.meta.get("download_fail_on_dataloss", self._fails_on_loss)
        ):
            raise ResponseDataLossError(
                f"the body ended after {len(answer.body)} bytes, {answer.ending.value}; "
                "DOWNLOAD_FAIL_ON_DATALOSS = False takes it as it is"
            )
        size = len(answer.body)
        if (limit := request.meta.get("download_warnsize", self._warn_bytes)) and size > limit:
            logger.warning("large response url=%s bytes=%d DOWNLOAD_WARNSIZE=%d", request.url, size, limit)
        url = request.url.partition("#")[0]
        headers = Headers()
        for name, value in answer.headers:  # as `Headers` would do it with texts, lists and numbers
            dict.setdefault(headers, name.title(), []).append(value)
        named = {name: values[-1] for name, values in dict.items(headers)}
        kind = responsetypes.from_args(headers=named, url=url, body=answer.body)
        response = kind(
            url=url,
            status=answer.status,
            body=answer.body,
            flags=FLAGS[answer.ending],
            certificate=_certificate(answer.certificate),
            ip_address=answer.address,
            protocol=answer.protocol,
        )
        response.headers = headers
        return response

    def _kept(self) -> Connections:
        if self._connections is None:
            settings = self.crawler.settings
            bind = settings.get("DOWNLOAD_BIND_ADDRESS")
            self._connections = Connections(
                names_of(self.crawler),
                idle_per_origin=settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
                or settings.getint("CONCURRENT_REQUESTS"),
                tls=partial(_tls, settings),
                local_address=(bind, 0) if isinstance(bind, str) else bind,
                records=keeps_exchanges(settings),
            )
        return self._connections

    def _socks(self, request: Request) -> Proxy:
        return socks_proxy(request.meta["proxy"], request.headers.get(b"Proxy-Authorization"), self._auth_encoding)

    async def _by_scrapys(self, request: Request) -> Response:
        if is_socks(request.meta.get("proxy") or ""):
            raise NotSupported(f"{request.url} can't be fetched through a SOCKS proxy as the Request or settings ask")
        if self._scrapys_handler is None:
            self._scrapys_handler = build_from_crawler(load_object(SCRAPYS_HANDLER), self.crawler)
        return await self._scrapys_handler.download_request(request)  # type: ignore[no-any-return]


@lru_cache(maxsize=1024)
def _origin(scheme: str, netloc: str, proxy: Proxy | None) -> Origin:
    url = urlsplit(f"{scheme}://{netloc}")
    return Origin(url.hostname or "", url.port or PORTS[scheme], scheme == "https", proxy)


@lru_cache(maxsize=1024)
def _host(scheme: str, netloc: str) -> bytes:
    """Return the value of the Host header. Raises ValueError: it is not ASCII."""
    return netloc.lower().removesuffix(f":{PORTS[scheme]}").encode("ascii")


def _has_own_tls(settings: BaseSettings) -> bool:
    """Say whether TLS shall be done, or talked about, in a way that is Scrapy's own."""
    return (
        settings["DOWNLOADER_CLIENTCONTEXTFACTORY"] != default_settings.DOWNLOADER_CLIENTCONTEXTFACTORY
        or settings["DOWNLOADER_CLIENT_TLS_METHOD"] != default_settings.DOWNLOADER_CLIENT_TLS_METHOD
        or settings.getbool("DOWNLOADER_CLIENT_TLS_VERBOSE_LOGGING")
    )


def _tls(settings: BaseSettings) -> ssl.SSLContext:
    """Return a TLS context by Scrapy's settings for versions, ciphers and certificates, read by Scrapy's code."""
    from scrapy.utils.ssl import _make_ssl_context  # loads pyOpenSSL: only where there is TLS

    return _make_ssl_context(settings)


@lru_cache(maxsize=64)
def _certificate(der: bytes | None) -> Any:
    """Return a server's certificate in the form in which Scrapy's own handler has it."""
    if der is None:
        return None
    from twisted.internet.ssl import Certificate  # loads pyOpenSSL

    return Certificate.loadPEM(ssl.DER_cert_to_PEM_cert(der).encode())
