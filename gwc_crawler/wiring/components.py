"""The components of our spiders, in the data's order; Scrapy and a user's own spiders know nothing of them.

The values rank just above Scrapy's defaults, below all settings of a user; the components are in the `…_BASE` dicts, to
which Scrapy adds a user's. `check` tests whether it still holds after all changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.python import global_object_name

from gwc_crawler.modes import FrontierKind

OURS = 5
"""The priority of these values: above "default" (0), below all others (from 10 on)."""

LAST_WORD = "gwc_crawler.wiring.check.LastWord"

VALUES: Mapping[str, Any] = {
    # frontier → leases → Requests
    "SCHEDULER": "gwc_crawler.scheduler.frontier_scheduler.FrontierScheduler",
    "SCHEDULER_PRIORITY_QUEUE": "gwc_crawler.scheduler.priority_queue.TunnelWeightQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.MarshalFifoDiskQueue",
    "SCHEDULER_START_MEMORY_QUEUE": None,
    "SCHEDULER_START_DISK_QUEUE": None,
    # download
    "DOWNLOADER": "gwc_crawler.downloader.politeness.HostDownloader",
    "DOWNLOAD_TIMEOUT": 30,
    "DOWNLOAD_MAXSIZE": 16 * 1024 * 1024,
    "DOWNLOAD_WARNSIZE": 0,
    "COOKIES_ENABLED": False,
    "RETRY_TIMES": 3,
    "DOWNLOADER_STATS": False,  # sizes every request and answer for figures that Scrapy only prints at the end
    # spider and store
    "CONCURRENT_ITEMS": 1,
    "WARN_ON_GENERATOR_RETURN_VALUE": False,
    "ITEM_PROCESSOR": "gwc_crawler.pipelines.direct.DirectPipelines",
    # operations
    "STATS_CLASS": "gwc_crawler.extensions.stats.PlainStats",
    "LOG_FORMATTER": "gwc_crawler.extensions.stats.QuietLog",
}

REDIS_SCHEDULER = "gwc_crawler.scheduler.shared_scheduler.RedisFrontierScheduler"
"""SCHEDULER where GWC_FRONTIER is redis."""

COMPONENTS: Mapping[str, Mapping[str, Any]] = {
    "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "gwc_crawler.downloader.handler.KeptConnectionsHandler"),
    "DOWNLOADER_MIDDLEWARES": {
        "gwc_crawler.middlewares.precrawl_reuse.SampleReuseMiddleware": 50,
        "gwc_crawler.middlewares.robots.PatientRobotsMiddleware": 100,
        "gwc_crawler.middlewares.queue.QueueMiddleware": 150,
        "gwc_crawler.wiring.on_demand.HttpAuthOnDemand": 300,
        "gwc_crawler.wiring.on_demand.HeadersOnDemand": 310,
        "gwc_crawler.middlewares.browser.BrowserMiddleware": 570,  # gets whole pages, after their redirects
        "gwc_crawler.wiring.on_demand.LoggedOutOnDemand": 580,
        "gwc_crawler.middlewares.redirects.LeaseRedirectMiddleware": 600,
        "gwc_crawler.middlewares.bodies.WholeBodies": 610,  # before it: a page may be a redirect
        "gwc_crawler.wiring.on_demand.LoginOnDemand": 650,  # sees a redirect before it is followed
        "gwc_crawler.wiring.on_demand.CookiesOnDemand": 700,
        "gwc_crawler.wiring.on_demand.ProxiesOnDemand": 740,  # before Scrapy's, which takes the credentials apart
        "gwc_crawler.middlewares.dns_cache.DnsCacheMiddleware": 950,
        "gwc_crawler.middlewares.politeness.PolitenessMiddleware": 1000,  # the last before the network
        "gwc_crawler.middlewares.archive.ArchiveMiddleware": 1010,  # sees what comes, as it comes
        "gwc_crawler.wiring.on_demand.ExchangesOnDemand": 1020,
    },
    "SPIDER_MIDDLEWARES": {"gwc_crawler.middlewares.start.StartMark": 25},
    "ITEM_PIPELINES": {  # before a user's own, which begin at 0: they get records, not visits
        "gwc_crawler.pipelines.strip.StripPipeline": -300,
        "gwc_crawler.pipelines.files.FilesPipeline": -250,  # a file lies there before its page can be complete
        "gwc_crawler.pipelines.store.StorePipeline": -200,
        "gwc_crawler.pipelines.record.RecordPipeline": -100,
    },
    "EXTENSIONS": {
        "gwc_crawler.extensions.stats.RunStats": 0,
        "gwc_crawler.extensions.feeds.exporter.ContinuedFeeds": 0,
        "gwc_crawler.extensions.progress.ProgressExtension": 10,
        "gwc_crawler.extensions.stats.CollectorExtension": 20,
        "gwc_crawler.wiring.on_demand.MonitorOnDemand": 20,
        "gwc_crawler.wiring.on_demand.LogStatsOnDemand": 30,
        "gwc_crawler.wiring.on_demand.MemoryUsageOnDemand": 30,
        "gwc_crawler.wiring.on_demand.TelnetOnDemand": 30,
        "gwc_crawler.wiring.on_demand.RemoteControlOnDemand": 30,
    },
}
"""Setting → what stands in its `…_BASE`."""

OF_SITE = {
    name: order
    for name, order in COMPONENTS["DOWNLOADER_MIDDLEWARES"].items()
    if name.rpartition(".")[2]
    in ("HeadersOnDemand", "LoggedOutOnDemand", "LoginOnDemand", "CookiesOnDemand", "ProxiesOnDemand")
}
"""Components for the access that a site file describes: also for a spider that only looks at a page."""

REPLACED: Mapping[str, str] = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": "PatientRobotsMiddleware",
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": "LeaseRedirectMiddleware",
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": "LeaseRedirectMiddleware",
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": "the frontier, where a failed URL waits",
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": "the frontier, which takes only links on the site",
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": "WholeBodies",
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": "HttpAuthOnDemand",
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": "CookiesOnDemand",
    # each spider middleware looks at every page and finds nothing to do
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": "StartMark",
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": "the frontier, whose Requests copy nothing",
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": "the frontier, where a failed URL waits",
    "scrapy.spidermiddlewares.referer.RefererMiddleware": "nothing: Requests come from the frontier, not a page",
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": "the reader, which cuts off links that are too long",
    "scrapy.spidermiddlewares.depth.DepthMiddleware": "the frontier, which keeps each URL's depth",
    "scrapy.extensions.corestats.CoreStats": "RunStats",
    "scrapy.extensions.feedexport.FeedExporter": "ContinuedFeeds",
    "scrapy.extensions.throttle.AutoThrottle": "the limiter, which adapts each host's delay",
    "scrapy.extensions.logstats.LogStats": "LogStatsOnDemand",
    "scrapy.extensions.memusage.MemoryUsage": "MemoryUsageOnDemand",
    "scrapy.extensions.telnet.TelnetConsole": "TelnetOnDemand",
    "scrapy.extensions.remote_control.RemoteControl": "RemoteControlOnDemand",
}
"""Scrapy's component → what has its place in our crawls. They are not even imported."""


def wire(settings: BaseSettings) -> None:
    """Put our wiring beneath what the user has set; doing it twice changes nothing."""
    for name, value in VALUES.items():
        settings.set(name, value, OURS)
    if settings["GWC_FRONTIER"] == FrontierKind.REDIS:
        settings.set("SCHEDULER", REDIS_SCHEDULER, OURS)
    if settings.getbool("GWC_HTTP2"):
        settings.set("HTTPX_HTTP2_ENABLED", True, OURS)
    for name, ours in COMPONENTS.items():
        base = f"{name}_BASE"
        given = was_given(settings, base)
        theirs = settings[base] if given else getattr(default_settings, base)
        kept = {key: order for key, order in theirs.items() if path_of(key) not in REPLACED}
        both = {**ours, **kept} if given else {**kept, **ours}  # a handler's key is its scheme: one of them has it
        settings.set(base, both, (settings.getpriority(base) or OURS) if given else OURS)
    addons = {key: order for key, order in (settings["ADDONS"] or {}).items() if path_of(key) != LAST_WORD}
    addons[LAST_WORD] = float("inf")  # whatever order a user gives it: nobody has a word after it
    settings.set("ADDONS", addons, settings.getpriority("ADDONS") or OURS)


def was_given(settings: BaseSettings, name: str) -> bool:
    """Say whether somebody else than Scrapy's defaults and this module has set *name*."""
    return (settings.getpriority(name) or 0) > OURS


def path_of(component: Any) -> str:
    """Return the import path of a component that a user has named by it, or by the class itself."""
    return component if isinstance(component, str) else global_object_name(component)
