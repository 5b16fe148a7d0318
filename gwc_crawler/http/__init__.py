"""HTTP/1.1 as real servers speak it: bytes on the wire, and connections that are kept. No Scrapy."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.http.access import (
        AccessRules,
        Auth,
        Login,
        Proxies,
        Reach,
        SecretText,
        Success,
        Variable,
        headers_of,
        read_cookies,
    )
    from gwc_crawler.http.connections import Connections, first_connected
    from gwc_crawler.http.masking import hide, masked, masked_bytes
    from gwc_crawler.http.proxies import NoProxyLeft, ProxyPool, pool_of, proxy_problem
    from gwc_crawler.http.wire import (
        DATALOSS,
        OVERLONG,
        SOCKS_PORT,
        SOCKS_SCHEMES,
        Answer,
        Decoded,
        Ending,
        Origin,
        Proxy,
        codings_of,
        decode,
        request_message,
    )
else:
    __getattr__ = face(__name__)
