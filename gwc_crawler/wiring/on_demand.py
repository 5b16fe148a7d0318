"""Components that most crawls do not need: imported only if settings or the site file ask for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.misc import build_from_crawler, load_object

from gwc_crawler.sites.schema import site_of_spider
from gwc_crawler.wiring.components import was_given

if TYPE_CHECKING:
    from gwc_crawler.network.access import AccessRules


@dataclass(frozen=True, eq=False)
class OnDemand:
    """Stands for the component at `path`, and is it in those crawls in which it `is_wanted`."""

    path: str
    is_wanted: Callable[[Crawler], Any]

    def from_crawler(self, crawler: Crawler) -> Any:
        if not self.is_wanted(crawler):
            raise NotConfigured
        return build_from_crawler(load_object(self.path), crawler)


def _where(asks: Callable[[BaseSettings], Any]) -> Callable[[Crawler], Any]:
    return lambda crawler: asks(crawler.settings)


def _of_site(asks: Callable[[AccessRules], Any]) -> Callable[[Crawler], Any]:
    return lambda crawler: (site := site_of_spider(crawler.spider)) is not None and asks(site.access)


def _has_login(access: AccessRules) -> bool:
    return access.login is not None


def _tells_exchanges(settings: BaseSettings) -> bool:
    return bool(settings.getint("GWC_METRICS_PORT")) or settings.getbool("GWC_HERITRIX_LOGS")


def _limits_memory(settings: BaseSettings) -> bool:
    names = (name for name in settings if name.startswith("MEMUSAGE_"))
    return any(was_given(settings, name) for name in names) and settings.getbool("MEMUSAGE_ENABLED")


def _is_watched(settings: BaseSettings) -> Any:
    return settings["GWC_ALERTS"] or os.environ.get("GWC_ALERTS") or _tells_exchanges(settings)


_ACCESS = "gwc_crawler.middlewares"

HeadersOnDemand = OnDemand(f"{_ACCESS}.headers.SiteHeaders", _of_site(lambda access: access.headers or access.auth))
LoginOnDemand = OnDemand(f"{_ACCESS}.login.LoginMiddleware", _of_site(_has_login))
LoggedOutOnDemand = OnDemand(f"{_ACCESS}.login.LoggedOutPages", _of_site(_has_login))
ProxiesOnDemand = OnDemand(f"{_ACCESS}.proxies.SiteProxies", _of_site(lambda access: access.proxies is not None))
CookiesOnDemand = OnDemand(f"{_ACCESS}.cookies.SiteCookies", _where(lambda one: one.getbool("COOKIES_ENABLED")))
"""COOKIES_ENABLED, which [cookies] and [login] set; brings an HTTP client along."""
HttpAuthOnDemand = OnDemand(
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
    _where(lambda one: one["HTTPAUTH_USER"] or one["HTTPAUTH_PASS"]),
)
ExchangesOnDemand = OnDemand("gwc_crawler.middlewares.exchanges.ExchangeMiddleware", _where(_tells_exchanges))

MonitorOnDemand = OnDemand("gwc_crawler.extensions.monitor.MonitorExtension", _where(_is_watched))
LogStatsOnDemand = OnDemand(
    "scrapy.extensions.logstats.LogStats", _where(lambda one: was_given(one, "LOGSTATS_INTERVAL"))
)
"""Loaded if the interval is set; else the progress line says the same."""
MemoryUsageOnDemand = OnDemand("scrapy.extensions.memusage.MemoryUsage", _where(_limits_memory))
TelnetOnDemand = OnDemand(
    "scrapy.extensions.telnet.TelnetConsole", _where(lambda one: one.getbool("TELNETCONSOLE_ENABLED"))
)
"""An SSH server comes along with it."""
RemoteControlOnDemand = OnDemand(
    "scrapy.extensions.remote_control.RemoteControl", _where(lambda one: one.getbool("REMOTE_CONTROL_ENABLED"))
)
"""A web server comes along with it."""

for _name, _one in list(globals().items()):
    if isinstance(_one, OnDemand):
        vars(_one)["__qualname__"] = _name  # by which Scrapy knows a component
