"""The one list of non-public names of Scrapy's, Twisted's and scrapy-redis's that the package uses, and why.

Each is a debt: another version may rename it without a word. A name that can be had publicly has no place here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Debt:
    """One name: `seen` is the version of its library that we saw it in and understood it from."""

    name: str
    where: tuple[str, ...]
    why: str
    seen: str = "Scrapy 2.19.0"


_FEEDS = "scrapy.extensions.feedexport.FeedExporter"
_ROBOTS = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
_BODIES = "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware"
_CALLS = "scrapy.core.downloader.middleware.DownloaderMiddlewareManager"

DEBTS = (
    Debt(
        "scrapy.crawler.Crawler._stats",
        ("commands.crawl", "runs.site_run"),
        "whether a crawl got as far as having stats: the public name warns where it did not",
    ),
    Debt(
        "scrapy.commands.edit._edit_file",
        ("commands.edit",),
        "`scrapy edit` opens the editor as Scrapy's does",
    ),
    Debt(
        "scrapy.core.downloader.Downloader._get_slot",
        ("downloader.politeness",),
        "the slots of the downloader are kept for those who look at them",
    ),
    Debt(f"{_CALLS}._handle_mw_method", ("downloader.direct",), "a middleware of old style is given the spider"),
    Debt(
        f"{_CALLS}._process_request",
        ("downloader.direct",),
        "overridden: no coroutine around each result that is there already",
    ),
    Debt(
        f"{_CALLS}._process_response",
        ("downloader.direct",),
        "overridden: no coroutine around each result that is there already",
    ),
    Debt(
        "scrapy.middleware.MiddlewareManager._mw_methods_requiring_spider",
        ("downloader.direct", "pipelines.direct"),
        "a middleware or an item pipeline of old style is given the spider",
    ),
    Debt(
        "scrapy.middleware.MiddlewareManager._spider",
        ("pipelines.direct",),
        "an item pipeline of old style is given the spider",
    ),
    Debt(
        "scrapy.utils.ssl._make_ssl_context",
        ("downloader.handler",),
        "the TLS settings of Scrapy's have one reading",
    ),
    Debt(
        "scrapy.core.downloader.handlers._httpx.HttpxDownloadHandler",
        ("downloader.http2",),
        "HTTP/2; Scrapy's documentation names it so",
    ),
    Debt("scrapy.core.downloader.Downloader._delay", ("downloader.politeness",), "no slot waits: hosts do"),
    Debt("scrapy.core.downloader.Downloader._jitter", ("downloader.politeness",), "no slot waits: hosts do"),
    Debt(
        "scrapy.core.scraper.Scraper._check_if_closing",
        ("extensions.feeds.exporter", "pipelines.direct"),
        "a crawl that ends is told when an item out of the store, or a page, is through the pipelines",
    ),
    Debt(
        "scrapy.core.scraper.Scraper._scrape",
        ("pipelines.direct",),
        "overridden: no generators, and no round of the loop, around a page that was leased",
    ),
    Debt(
        "scrapy.core.scraper.Scraper._wait_for_processing",
        ("pipelines.direct",),
        "begun without a task: most pages are read and stored without waiting",
    ),
    Debt(f"{_FEEDS}._close_slot", ("extensions.feeds.exporter",), "overridden: how far a feed got is noted"),
    Debt(f"{_FEEDS}._get_file", ("extensions.feeds.exporter",), "the file of a feed, as it is stored"),
    Debt(f"{_FEEDS}._get_uri_params", ("extensions.feeds.exporter",), "the URI of a batch that is continued"),
    Debt(f"{_FEEDS}._start_new_batch", ("extensions.feeds.exporter",), "a feed that is continued begins with it"),
    Debt(
        "scrapy.extensions.feedexport.FeedSlot._exporting",
        ("extensions.feeds.feed_rows",),
        "a feed is set back to before an item",
    ),
    Debt(
        "scrapy.extensions.feedexport.FeedSlot._fileloaded",
        ("extensions.feeds.feed_rows",),
        "a feed is set back to before an item",
    ),
    Debt(
        "scrapy.pipelines.files.FilesPipeline._update_stores",
        ("pipelines.file_stores",),
        "the settings of Scrapy's files stores (AWS_*, FTP_*, GCS_*) have one reading",
    ),
    Debt(
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware._process_cookies",
        ("middlewares.cookies",),
        "overridden: Scrapy fetches the list of public suffixes by itself",
    ),
    Debt(f"{_BODIES}._max_size", ("middlewares.bodies",), "DOWNLOAD_MAXSIZE as Scrapy has read it"),
    Debt(f"{_BODIES}._warn_size", ("middlewares.bodies",), "DOWNLOAD_WARNSIZE as Scrapy has read it"),
    Debt(
        "scrapy.downloadermiddlewares.redirect.BaseRedirectMiddleware._engine_started",
        ("middlewares.redirects",),
        "overridden: Scrapy would warn that the Referer middleware is off",
    ),
    Debt(f"{_ROBOTS}._default_useragent", ("middlewares.robots",), "whose rules are read"),
    Debt(f"{_ROBOTS}._parserimpl", ("middlewares.robots",), "ROBOTSTXT_PARSER as Scrapy has loaded it"),
    Debt(f"{_ROBOTS}._robotstxt_useragent", ("middlewares.robots",), "whose rules are read"),
    Debt(f"{_ROBOTS}._stats", ("middlewares.robots",), "Scrapy's figures on robots.txt are ours too"),
    Debt(
        "scrapy.spiderloader.SpiderLoader._spiders",
        ("spiders.loader",),
        "spiders of the user's own, beside those of site files",
    ),
)
