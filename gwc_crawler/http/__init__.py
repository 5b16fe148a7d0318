"""HTTP/1.1 as real servers speak it: bytes on the wire, and connections that are kept. No Scrapy."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.http.answer import Answer, Origin
    from gwc_crawler.http.connections import Connections
    from gwc_crawler.http.decoding import DATALOSS, OVERLONG, Decoded, codings_of, decode
    from gwc_crawler.http.racing import first_connected
    from gwc_crawler.http.socks import SOCKS_PORT, SOCKS_SCHEMES, Proxy
    from gwc_crawler.http.wire import Ending, request_message
else:
    __getattr__ = face(__name__)

__all__ = [
    "DATALOSS",
    "OVERLONG",
    "SOCKS_PORT",
    "SOCKS_SCHEMES",
    "Answer",
    "Connections",
    "Decoded",
    "Ending",
    "Origin",
    "Proxy",
    "codings_of",
    "decode",
    "first_connected",
    "request_message",
]
