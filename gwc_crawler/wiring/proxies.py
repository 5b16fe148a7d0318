"""What the environment says of proxies, looked at before the first request; what an error says of one."""

from __future__ import annotations

import re
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from scrapy import Request
from scrapy.settings import BaseSettings

from gwc_crawler.errors import InputError
from gwc_crawler.http import SOCKS_SCHEMES
from gwc_crawler.sites import Site
from gwc_crawler.urls import host_of
from gwc_crawler.wiring.components import was_given

PROXIES = ("http", "https", *SOCKS_SCHEMES)
"""Schemes of proxies that can be asked."""

_THROUGH = " (through the proxy "
_NAMED = re.compile(rf"{re.escape(_THROUGH)}(\S+)\)")

HELPS = "name a proxy in HTTP_PROXY and HTTPS_PROXY, or set HTTPPROXY_ENABLED = False to go without"


def check_proxies(settings: BaseSettings, site: Site) -> None:
    """Refuse what the environment says of proxies where requests would go another way than it says, or nowhere.

    Raises:
        InputError: the first such variable, and what helps.
    """
    proxies = getproxies()
    if not settings.getbool("HTTPPROXY_ENABLED") or all(proxy_bypass(host_of(url)) for url in site.entry):
        return
    if "all" in proxies and not {"http", "https"} <= proxies.keys():
        raise InputError(f"ALL_PROXY is {_plain(proxies['all'])!r}, which would not be asked: {HELPS}")
    if was_given(settings, "DOWNLOAD_HANDLERS"):  # a handler of the user's own may read more
        return
    for scheme in ("http", "https"):
        if (proxy := proxies.get(scheme, "")) and (problem := _problem(proxy)):
            raise InputError(f"{scheme.upper()}_PROXY is {_plain(proxy)!r}; {problem}: {HELPS}")


def through_proxy(request: Request) -> str:
    """Return what to put behind an error's text: it may be the proxy's fault; "" where there is none between."""
    proxy = request.meta.get("proxy")
    return f"{_THROUGH}{proxy})" if proxy else ""


def proxy_in(reason: str) -> str | None:
    """Return the proxy that a *reason* names.

    >>> proxy_in("Connection was refused (through the proxy http://127.0.0.1:3128)")
    'http://127.0.0.1:3128'
    """
    found = _NAMED.search(reason)
    return found[1] if found else None


def _problem(proxy: str) -> str:
    """Say why a proxy can't be asked; "": it can."""
    kind, mark, _ = proxy.lower().partition("://")
    if mark and kind not in PROXIES:
        return f"{kind!r} is none of {', '.join(PROXIES)}"
    try:
        parts = urlsplit(proxy if mark else f"http://{proxy}")
        return "" if parts.hostname and parts.port != 0 else "it names no host, or no port that can be asked"
    except ValueError as error:
        return str(error)


def _plain(proxy: str) -> str:
    """Return a proxy's address without its password."""
    scheme, mark, rest = proxy.rpartition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}"
