"""What a Request says of a SOCKS proxy, in the words that Scrapy has for any proxy: `meta["proxy"]`, and credentials in
its URL or, once HttpProxyMiddleware has taken them out of it, in the header Proxy-Authorization."""

from __future__ import annotations

from base64 import b64decode
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from scrapy.exceptions import NotSupported

from gwc_crawler.http import SOCKS_PORT, SOCKS_SCHEMES, Proxy


def is_socks(url: str) -> bool:
    """Say whether a proxy's URL is one of SOCKS.

    >>> is_socks("socks5://127.0.0.1:1080"), is_socks("http://127.0.0.1:3128"), is_socks("127.0.0.1:3128")
    (True, False, False)
    """
    return url[:5].lower() == "socks"


@lru_cache(maxsize=1024)
def socks_proxy(url: str, authorization: bytes | None = None, encoding: str = "latin-1") -> Proxy:
    """Read a proxy's URL.

    Args:
        authorization: the header's value; what it says ranks above the URL.
        encoding: the header's, HTTPPROXY_AUTH_ENCODING.

    Raises:
        NotSupported: it is none that can be asked.
    """
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
    """Return a proxy's URL without what nobody shall read."""
    return f"{scheme}://{netloc.rpartition('@')[2]}"
