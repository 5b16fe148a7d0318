"""Components of Scrapy's that most crawls have no use for: imported, and so paid for, where a setting asks for them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.misc import build_from_crawler, load_object

from gwc_crawler.wiring.components import was_given

if TYPE_CHECKING:
    from gwc_crawler.http import AccessRules


class OnDemand:
    """Stands for the component at `path`, and is it where `enabled_by`, a setting, says so."""

    path: ClassVar[str]
    enabled_by: ClassVar[str]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        if not cls.is_wanted(crawler.settings):
            raise NotConfigured
        return build_from_crawler(load_object(cls.path), crawler)

    @classmethod
    def is_wanted(cls, settings: BaseSettings) -> bool:
        """Say whether these settings ask for it."""
        return settings.getbool(cls.enabled_by)


class CookiesOnDemand(OnDemand):
    """COOKIES_ENABLED, which [cookies] and [login] set; brings an HTTP client along."""

    path = "gwc_crawler.middlewares.access.cookies.SiteCookies"
    enabled_by = "COOKIES_ENABLED"


class OfSite(OnDemand):
    """Where the spider's site file asks for it: `is_asked`."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        site: Any = getattr(crawler.spider, "site", None)
        if site is None or not cls.is_asked(site.access):
            raise NotConfigured
        return build_from_crawler(load_object(cls.path), crawler)

    @classmethod
    def is_asked(cls, access: AccessRules) -> bool:
        """Say whether a site file asks for it."""
        raise TypeError(f"{cls.__name__} has to say who asks for it")


class HeadersOnDemand(OfSite):
    """[headers], [auth]."""

    path = "gwc_crawler.middlewares.access.headers.SiteHeaders"

    @classmethod
    def is_asked(cls, access: AccessRules) -> bool:
        """Say whether there are headers to send."""
        return bool(access.headers or access.auth)


class LoginOnDemand(OfSite):
    """[login]: redirects to the login page, refusals."""

    path = "gwc_crawler.middlewares.access.login.LoginMiddleware"

    @classmethod
    def is_asked(cls, access: AccessRules) -> bool:
        """Say whether there is a login."""
        return access.login is not None


class LoggedOutOnDemand(LoginOnDemand):
    """[login]: pages that show the form."""

    path = "gwc_crawler.middlewares.access.login.LoggedOutPages"


class ProxiesOnDemand(OfSite):
    """[proxies]."""

    path = "gwc_crawler.middlewares.access.proxies.SiteProxies"

    @classmethod
    def is_asked(cls, access: AccessRules) -> bool:
        """Say whether there are proxies."""
        return access.proxies is not None


class HttpAuthOnDemand(OnDemand):
    """HTTPAUTH_USER, HTTPAUTH_PASS, for HTTPAUTH_DOMAIN."""

    path = "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware"

    @classmethod
    def is_wanted(cls, settings: BaseSettings) -> bool:
        """Say whether there are credentials."""
        return bool(settings["HTTPAUTH_USER"] or settings["HTTPAUTH_PASS"])


class LogStatsOnDemand(OnDemand):
    """Where LOGSTATS_INTERVAL is set; else the progress line says the same."""

    path = "scrapy.extensions.logstats.LogStats"

    @classmethod
    def is_wanted(cls, settings: BaseSettings) -> bool:
        """Say whether somebody has set the interval."""
        return was_given(settings, "LOGSTATS_INTERVAL")


class MemoryUsageOnDemand(OnDemand):
    """Where a MEMUSAGE_… is set."""

    path = "scrapy.extensions.memusage.MemoryUsage"

    @classmethod
    def is_wanted(cls, settings: BaseSettings) -> bool:
        """Say whether somebody has set what it is to do."""
        names = (name for name in settings if name.startswith("MEMUSAGE_"))
        return any(was_given(settings, name) for name in names) and settings.getbool("MEMUSAGE_ENABLED")


class MonitorOnDemand(OnDemand):
    """GWC_HERITRIX_LOGS, GWC_METRICS_PORT, GWC_ALERTS (which may be in the environment)."""

    path = "gwc_crawler.extensions.monitor.MonitorExtension"

    @classmethod
    def is_wanted(cls, settings: BaseSettings) -> bool:
        """Say whether anybody is to see the crawl."""
        alerts = settings["GWC_ALERTS"] or os.environ.get("GWC_ALERTS")
        return bool(alerts or settings.getint("GWC_METRICS_PORT") or settings.getbool("GWC_HERITRIX_LOGS"))


class ExchangesOnDemand(OnDemand):
    """Where logs or metrics tell of each exchange."""

    path = "gwc_crawler.middlewares.exchanges.ExchangeMiddleware"

    @classmethod
    def is_wanted(cls, settings: BaseSettings) -> bool:
        """Say whether exchanges are counted."""
        return bool(settings.getint("GWC_METRICS_PORT") or settings.getbool("GWC_HERITRIX_LOGS"))


class TelnetOnDemand(OnDemand):
    """An SSH server comes along with it."""

    path = "scrapy.extensions.telnet.TelnetConsole"
    enabled_by = "TELNETCONSOLE_ENABLED"


class RemoteControlOnDemand(OnDemand):
    """A web server comes along with it."""

    path = "scrapy.extensions.remote_control.RemoteControl"
    enabled_by = "REMOTE_CONTROL_ENABLED"
