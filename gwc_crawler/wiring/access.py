"""Check that the access tables of a site file can be used, before anything is fetched; name the line if not.

Called by `check`, and for spiders that only look at a page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from scrapy import Request
from scrapy.settings import BaseSettings

from gwc_crawler.errors import InputError, SiteFileError
from gwc_crawler.network.access import headers_of, read_cookies
from gwc_crawler.network.masking import hide
from gwc_crawler.network.wire import SOCKS_SCHEMES
from gwc_crawler.sites.schema import Site
from gwc_crawler.urls import host_of
from gwc_crawler.wiring.components import OF_SITE, OURS, REPLACED, was_given
from gwc_crawler.wiring.own_settings import where

SECRETS = (
    *("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "FTP_PASSWORD", "GWC_DASHBOARD_TOKEN", "GWC_MSSQL_PASSWORD"),
    *("HTTPAUTH_PASS", "MAIL_PASS", "REDIS_PASSWORD", "TELNETCONSOLE_PASSWORD"),
)
"""Settings that are secrets, except Scrapy's own defaults."""

URLS = ("FEED_URI", "FILES_STORE", "GWC_POSTGRES_URL", "IMAGES_STORE", "REDIS_URL")
"""Settings that are addresses, with a password perhaps."""


def check_access(settings: BaseSettings, site: Site) -> None:
    """Check variables, files, proxies; turn cookies on if needed. InputError: the first fault, its place and remedy."""
    from gwc_crawler.network.proxies import pool_of

    access = site.access
    if missing := [(one.line, one.problem) for one in access.variables if one.problem]:
        raise SiteFileError(site.path, sorted(set(missing), key=lambda one: one[0] or 0))
    if access.headers or access.auth:
        _try(site, "headers" if access.headers else "auth", lambda: headers_of(access))
    if (path := access.cookies) is not None:
        _try(site, "cookies", lambda: read_cookies(path, site.reach.has_cookies_of))
    if (proxies := access.proxies) is not None:
        _try(site, "proxies", lambda: pool_of(proxies))
        _need(settings, "HTTPPROXY_ENABLED", "[proxies]")
    if access.takes_cookies:
        _need(settings, "COOKIES_ENABLED", "[login]" if access.login else "[cookies]")


def hide_secrets(settings: BaseSettings) -> None:
    """Mask secrets of settings and the environment's proxies in logs: Scrapy logs settings that were changed."""
    words = [settings[name] for name in SECRETS if settings.getpriority(name)]
    words.append(_given(settings, "REDIS_PARAMS").get("password"))
    urls = [settings[name] for name in URLS] + list(_given(settings, "FEEDS"))
    urls += [value for name, value in os.environ.items() if name.lower().endswith("_proxy")]
    words += [password_in(str(url)) for url in urls if url and "@" in str(url)]
    if given := [str(word) for word in words if word]:
        hide(*given, *map(unquote, given))
    alerts = settings.getlist("GWC_ALERTS") or os.environ.get("GWC_ALERTS", "").split()
    if alerts:
        from gwc_crawler.operate.monitor import hide_parts  # only where somebody is told

        for address in alerts:
            hide_parts(str(address))


def _given(settings: BaseSettings, name: str) -> dict[str, Any]:
    """Return a setting that is a table, by code or as JSON; another value is refused later, where it is used."""
    try:
        return dict(settings.getdict(name))
    except (ValueError, TypeError):
        return {}


def password_in(url: str) -> str:
    """Return the password of a URL as it is written there; "" if it has none.

    >>> password_in("redis://:p%40ss@127.0.0.1:1/0"), password_in("http://a.example/")
    ('p%40ss', '')
    """
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return url.partition("://")[2].rpartition("@")[0].partition(":")[2]


def let_in(settings: BaseSettings, site: Site) -> None:
    """Wire a spider that only looks at a page of the site so that it gets in. Raises InputError as `check_access`."""
    if not site.access.lines:
        return
    check_access(settings, site)
    replaced = dict.fromkeys(name for name in REPLACED if name.endswith(".CookiesMiddleware"))
    both = {**settings["DOWNLOADER_MIDDLEWARES"], **replaced, **OF_SITE}
    settings.set("DOWNLOADER_MIDDLEWARES", both, settings.getpriority("DOWNLOADER_MIDDLEWARES") or OURS)


def _try(site: Site, table: str, make: Callable[[], object]) -> None:
    try:
        make()
    except InputError as error:
        raise SiteFileError(site.path, [(site.access.lines.get(table), str(error))]) from error


def _need(settings: BaseSettings, name: str, table: str) -> None:
    """Turn on a setting that a table needs; a user who has turned it off has to choose."""
    if settings.getbool(name):
        return
    if was_given(settings, name):
        raise InputError(f"setting {name} is False {where(settings, name)}, but {table} needs it; remove one of them")
    settings.set(name, True, OURS)


# --- The environment's proxies, checked before the first request; the note on a proxy behind an error -----------------


PROXIES = ("http", "https", *SOCKS_SCHEMES)
"""Schemes of proxies that can be asked."""

_THROUGH = " (through the proxy "
_NAMED = re.compile(rf"{re.escape(_THROUGH)}(\S+)\)")

HELPS = "name a proxy in HTTP_PROXY and HTTPS_PROXY, or set HTTPPROXY_ENABLED = False to go without"


def check_proxies(settings: BaseSettings, site: Site) -> None:
    """Refuse proxies of the environment by which requests would go another way than they say, or none (InputError)."""
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
    """Return a note to put behind an error's text: it may be the proxy's fault; "" if there is no proxy."""
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
    kind, mark, _ = proxy.lower().partition("://")
    if mark and kind not in PROXIES:
        return f"{kind!r} is none of {', '.join(PROXIES)}"
    try:
        parts = urlsplit(proxy if mark else f"http://{proxy}")
        return "" if parts.hostname and parts.port != 0 else "it names no host, or no port that can be asked"
    except ValueError as error:
        return str(error)


def _plain(proxy: str) -> str:
    scheme, mark, rest = proxy.rpartition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}"
