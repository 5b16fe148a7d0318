"""Whether what a site file says of the way in can be done: before anything is fetched, with the line where it can't.

Called by `check`, and for spiders that only look at a page.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from scrapy.settings import BaseSettings

from gwc_crawler.config import where
from gwc_crawler.errors import InputError, SiteFileError
from gwc_crawler.sites import Site
from gwc_crawler.wiring.components import OF_SITE, OURS, REPLACED, was_given

SECRETS = (
    *("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "FTP_PASSWORD", "GWC_DASHBOARD_TOKEN", "GWC_MSSQL_PASSWORD"),
    *("HTTPAUTH_PASS", "MAIL_PASS", "REDIS_PASSWORD", "TELNETCONSOLE_PASSWORD"),
)
"""Settings that are secrets, but for what Scrapy itself gives them."""

URLS = ("FEED_URI", "FILES_STORE", "IMAGES_STORE", "REDIS_URL")
"""Settings that are addresses, with a password perhaps."""


def check_access(settings: BaseSettings, site: Site) -> None:
    """Look at variables, files and proxies, and turn cookies on where the site file needs them.

    Raises:
        InputError: the first thing that can't be, where it stands and what helps; of variables all that are missing.
    """
    access = site.access
    if missing := [(one.line, one.problem) for one in access.variables if one.problem]:
        raise SiteFileError(site.path, sorted(set(missing), key=lambda one: one[0] or 0))
    if access.headers or access.auth:
        _try(site, "headers" if access.headers else "auth", lambda: _library().headers_of(access))
    if (path := access.cookies) is not None:
        _try(site, "cookies", lambda: _library().read_cookies(path, site.reach.has_cookies_of))
    if (proxies := access.proxies) is not None:
        _try(site, "proxies", lambda: _library().pool_of(proxies))
        _need(settings, "HTTPPROXY_ENABLED", "[proxies]")
    if access.takes_cookies:
        _need(settings, "COOKIES_ENABLED", "[login]" if access.login else "[cookies]")


def hide_secrets(settings: BaseSettings) -> None:
    """Have what is secret in settings and in the environment's proxies masked wherever something is told.

    Scrapy itself logs the settings that were changed, passwords among them.
    """
    words = [settings[name] for name in SECRETS if settings.getpriority(name)]
    words.append(_given(settings, "REDIS_PARAMS").get("password"))
    urls = [settings[name] for name in URLS] + list(_given(settings, "FEEDS"))
    urls += [value for name, value in os.environ.items() if name.lower().endswith("_proxy")]
    words += [password_in(str(url)) for url in urls if url and "@" in str(url)]
    if given := [str(word) for word in words if word]:
        _library().hide(*given, *map(unquote, given))
    alerts = settings.getlist("GWC_ALERTS") or os.environ.get("GWC_ALERTS", "").split()
    if alerts:
        from gwc_crawler.monitor import hide_parts  # only where somebody is told

        for address in alerts:
            hide_parts(str(address))


def _given(settings: BaseSettings, name: str) -> dict[str, Any]:
    """A setting that is a table, by code or as JSON; one that is none is refused later, where it is used."""
    try:
        return dict(settings.getdict(name))
    except (ValueError, TypeError):
        return {}


def password_in(url: str) -> str:
    """Return the password of a URL as it is written there; "" where it has none.

    >>> password_in("redis://:p%40ss@127.0.0.1:1/0"), password_in("http://a.example/")
    ('p%40ss', '')
    """
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return url.partition("://")[2].rpartition("@")[0].partition(":")[2]


def let_in(settings: BaseSettings, site: Site) -> None:
    """Wire a spider that only looks at a page of the site so that it gets in.

    Raises:
        InputError: as `check_access`.
    """
    if not site.access.lines:
        return
    check_access(settings, site)
    replaced = dict.fromkeys(name for name in REPLACED["DOWNLOADER_MIDDLEWARES"] if name.endswith(".CookiesMiddleware"))
    both = {**settings["DOWNLOADER_MIDDLEWARES"], **replaced, **OF_SITE}
    settings.set("DOWNLOADER_MIDDLEWARES", both, settings.getpriority("DOWNLOADER_MIDDLEWARES") or OURS)


def _library() -> Any:
    from gwc_crawler import access  # only where a site file asks for it

    return access


def _try(site: Site, table: str, make: Callable[[], object]) -> None:
    try:
        make()
    except InputError as error:
        raise SiteFileError(site.path, [(site.access.lines.get(table), str(error))]) from error


def _need(settings: BaseSettings, name: str, table: str) -> None:
    """Set what a table can't do without; who has set it otherwise has to choose."""
    if settings.getbool(name):
        return
    if was_given(settings, name):
        raise InputError(f"setting {name} is False {where(settings, name)}, but {table} needs it; remove one of them")
    settings.set(name, True, OURS)
