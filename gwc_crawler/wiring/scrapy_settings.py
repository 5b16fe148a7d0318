"""What becomes of each setting of Scrapy's in a crawl of ours: it works, works differently, or is refused.

`check` refuses by these tables, `docs/settings.md` shows them, and a test compares them with Scrapy's own list,
so that a setting of a newer Scrapy is looked at before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """A setting that can't do here what it says.

    `holds` is the value that says what is so anyway, and is taken. From a profile it is only warned of, because the
    project's own spiders may be meant, unless `always`: then the value would break a promise.
    """

    why: str
    holds: Any = None
    always: bool = False


_WORKING = """
    ADDONS AWS_ACCESS_KEY_ID AWS_ENDPOINT_URL AWS_MAX_POOL_CONNECTIONS AWS_REGION_NAME AWS_SECRET_ACCESS_KEY
    AWS_SESSION_TOKEN AWS_USE_SSL AWS_VERIFY BOT_NAME CLOSESPIDER_ERRORCOUNT CLOSESPIDER_ITEMCOUNT
    CLOSESPIDER_PAGECOUNT CLOSESPIDER_PAGECOUNT_NO_ITEM CLOSESPIDER_TIMEOUT CLOSESPIDER_TIMEOUT_NO_ITEM
    COMPRESSION_ENABLED CONCURRENT_REQUESTS COOKIES_DEBUG DEFAULT_DROPITEM_LOG_LEVEL DEFAULT_REQUEST_HEADERS
    DOWNLOADER_CLIENTCONTEXTFACTORY DOWNLOADER_CLIENT_TLS_CIPHERS DOWNLOADER_CLIENT_TLS_METHOD
    DOWNLOADER_CLIENT_TLS_VERBOSE_LOGGING DOWNLOADER_STATS DOWNLOAD_BIND_ADDRESS DOWNLOAD_FAIL_ON_DATALOSS
    DOWNLOAD_HANDLERS DOWNLOAD_TIMEOUT DOWNLOAD_TLS_MAX_VERSION DOWNLOAD_TLS_MIN_VERSION DOWNLOAD_WARNSIZE
    FEED_EXPORTERS FEED_EXPORTERS_BASE FEED_EXPORT_BATCH_ITEM_COUNT FEED_EXPORT_ENCODING FEED_EXPORT_FIELDS
    FEED_EXPORT_INDENT FEED_FORMAT FEED_STORAGES FEED_STORAGES_BASE FEED_STORAGE_FTP_ACTIVE FEED_STORAGE_GCS_ACL
    FEED_STORAGE_S3_ACL FEED_STORE_EMPTY FEED_TEMPDIR FEED_URI FEED_URI_PARAMS FILES_STORE FILES_STORE_GCS_ACL
    FILES_STORE_S3_ACL FTP_PASSIVE_MODE FTP_PASSWORD FTP_USER GCS_PROJECT_ID HTTP2_MAX_FRAME_SIZE HTTPAUTH_PASS
    HTTPAUTH_USER HTTPCACHE_ALWAYS_STORE HTTPCACHE_DBM_MODULE HTTPCACHE_DIR HTTPCACHE_ENABLED
    HTTPCACHE_EXPIRATION_SECS HTTPCACHE_GZIP HTTPCACHE_IGNORE_HTTP_CODES HTTPCACHE_IGNORE_MISSING
    HTTPCACHE_IGNORE_RESPONSE_CACHE_CONTROLS HTTPCACHE_IGNORE_SCHEMES HTTPCACHE_POLICY HTTPCACHE_STORAGE
    HTTPPROXY_AUTH_ENCODING HTTPPROXY_ENABLED HTTPX_HTTP2_ENABLED IMAGES_STORE IMAGES_STORE_GCS_ACL
    IMAGES_STORE_S3_ACL LOG_COLOR LOG_DATEFORMAT LOG_ENABLED LOG_ENCODING LOG_FILE LOG_FILE_APPEND LOG_FORMAT
    LOG_FORMATTER LOG_LEVEL LOG_SHORT_NAMES MAIL_FROM MAIL_HOST MAIL_PASS MAIL_PORT MAIL_SSL MAIL_TLS MAIL_USER
    MEMDEBUG_ENABLED PERIODIC_LOG_DELTA PERIODIC_LOG_STATS PERIODIC_LOG_TIMING_ENABLED REDIRECT_MAX_TIMES
    REDIRECT_PRIORITY_ADJUST REMOTE_CONTROL_ENABLED REMOTE_CONTROL_JOBS_DIR REMOTE_CONTROL_OUTPUT_MAX_BYTES
    REMOTE_CONTROL_TIMEOUT_DEFAULT REMOTE_CONTROL_TIMEOUT_MAX REMOTE_CONTROL_TRACEBACK_MAX_BYTES
    REQUEST_FINGERPRINTER_CLASS RETRY_EXCEPTIONS RETRY_HTTP_CODES ROBOTSTXT_OBEY ROBOTSTXT_PARSER
    ROBOTSTXT_USER_AGENT SCHEDULER_DEBUG SCRAPER_SLOT_MAX_ACTIVE_SIZE STATSMAILER_RCPTS STATS_CLASS STATS_DUMP
    TELNETCONSOLE_ENABLED TELNETCONSOLE_HOST TELNETCONSOLE_PASSWORD TELNETCONSOLE_PORT TELNETCONSOLE_USERNAME
    URLLENGTH_LIMIT USER_AGENT WARN_ON_GENERATOR_RETURN_VALUE
"""
WORKS = frozenset(_WORKING.split())
"""As Scrapy's documentation says, from a profile, a site file, an add-on or the command line."""

_ADDED = "what you write is added to ours; one of ours that a promise hangs on can't be taken out"
_BASE = "replaces Scrapy's own components; ours stay"
_EACH_HOST = "holds for each host, whatever its slots, and for all workers of a shared crawl together"
_BY_LIMITER = "the limiter adapts each host's delay, for all workers of a shared crawl together"
_MEMUSAGE = "the extension runs where one of the MEMUSAGE settings is set; what the limit ends can be continued"
_NO_DUPLICATES = "the frontier knows each URL once; this one sees only Requests of plug-ins"
_ERROR_PAGES = "such an answer is read as a page; one that is tried again is read when all attempts are used up"

DIFFERS: Mapping[str, str] = {
    "AUTOTHROTTLE_ENABLED": _BY_LIMITER,
    "AUTOTHROTTLE_MAX_DELAY": _BY_LIMITER,
    "AUTOTHROTTLE_START_DELAY": _BY_LIMITER,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": _BY_LIMITER,
    "CONCURRENT_ITEMS": "1 by default: a page's records go one after the other",
    "CONCURRENT_REQUESTS_PER_DOMAIN": _EACH_HOST,
    "COOKIES_ENABLED": "off by default: what a page shows shall not depend on what was fetched before; "
    "[cookies] and [login] of a site file turn it on",
    "DEPTH_LIMIT": "clicks from an entry or a sample page; [crawl] max_depth of a site file ranks above it",
    "DOWNLOADER": "only a class derived from HostDownloader, which keeps the limits of hosts",
    "DOWNLOADER_MIDDLEWARES": _ADDED,
    "DOWNLOADER_MIDDLEWARES_BASE": _BASE,
    "DOWNLOAD_DELAY": _EACH_HOST,
    "DOWNLOAD_DELAY_JITTER": _EACH_HOST,
    "DOWNLOAD_HANDLERS_BASE": "replaces Scrapy's own handlers; ours for http and https stay",
    "DOWNLOAD_MAXSIZE": "16 MiB by default",
    "DOWNLOAD_SLOTS": "the keys are hosts; " + _EACH_HOST,
    "DOWNLOAD_VERIFY_CERTIFICATES": "on by default, in the whole project",
    "DUPEFILTER_CLASS": _NO_DUPLICATES,
    "DUPEFILTER_DEBUG": _NO_DUPLICATES,
    "EXTENSIONS": _ADDED,
    "EXTENSIONS_BASE": _BASE,
    "FEEDS": "of a crawl that continues each record is in a feed once; a feed that can't go on so is refused",
    "HTTPAUTH_DOMAIN": "has to be set with HTTPAUTH_USER, as in Scrapy, and has to name a domain in a site file",
    "HTTPERROR_ALLOWED_CODES": _ERROR_PAGES,
    "HTTPERROR_ALLOW_ALL": _ERROR_PAGES,
    "ITEM_PIPELINES": _ADDED + "; yours get the records, after the store has them",
    "ITEM_PIPELINES_BASE": _BASE,
    "ITEM_PROCESSOR": "only a class derived from ItemPipelineManager, which runs the pipelines",
    "JOBDIR": "keeps `spider.state` and Requests of plug-ins; the crawl itself is kept in GWC_DATA_DIR anyway",
    "LOGSTATS_INTERVAL": "the extension runs where it is set; without it the progress line says the same",
    "MEMUSAGE_CHECK_INTERVAL_SECONDS": _MEMUSAGE,
    "MEMUSAGE_ENABLED": _MEMUSAGE,
    "MEMUSAGE_LIMIT_MB": _MEMUSAGE,
    "MEMUSAGE_NOTIFY_MAIL": _MEMUSAGE,
    "MEMUSAGE_WARNING_MB": _MEMUSAGE,
    "RANDOMIZE_DOWNLOAD_DELAY": "deprecated in Scrapy, as there: DOWNLOAD_DELAY_JITTER of 0.5 or 0",
    "RETRY_ENABLED": "False: a failed URL is an error at once",
    "RETRY_TIMES": "3 by default; a retry waits its time in the frontier and survives the process",
    "SCHEDULER": "only a class derived from FrontierScheduler (with Redis: RedisFrontierScheduler)",
    "SCHEDULER_DISK_QUEUE": "for Requests of plug-ins, with JOBDIR; first in, first out, without pickle by default",
    "SCHEDULER_MEMORY_QUEUE": "first in, first out by default",
    "SCHEDULER_PRIORITY_QUEUE": "only a class derived from TunnelWeightQueue",
    "SPIDER_MIDDLEWARES": _ADDED,
    "SPIDER_MIDDLEWARES_BASE": _BASE,
}
"""Setting → how it works."""

_READ_BEFORE = "it is read before a site file is; put it into your profile, or use -s"

_OF_THE_PROCESS = """
    ASYNCIO_EVENT_LOOP COMMANDS_MODULE DNSCACHE_ENABLED DNSCACHE_SIZE DNS_RESOLVER DNS_TIMEOUT EDITOR
    FORCE_CRAWLER_PROCESS LOG_INSTALL_ROOT_HANDLER LOG_STDOUT LOG_VERSIONS NEWSPIDER_MODULE
    REACTOR_THREADPOOL_MAXSIZE SPIDER_LOADER_CLASS SPIDER_LOADER_WARN_ONLY SPIDER_MODULES TEMPLATES_DIR
"""
TOO_EARLY: Mapping[str, str] = {
    **dict.fromkeys(_OF_THE_PROCESS.split(), _READ_BEFORE),
    "TWISTED_DNS_RESOLVER": f"by default it is one of ours, which asks GWC_DNS_SERVERS; {_READ_BEFORE}",
}
"""Settings of the process: they work from a profile or the command line, and are refused in a site file."""

_NO_REFERER = "Requests come from the frontier, where many pages may have brought a URL, so no Referer is sent"
_META_REFRESH = "a meta refresh is a redirect where nobody would read the page before, else a link of its page"
_REDIRECT = (
    "a redirect is part of a URL's life: its lease covers the page it leads to; `hosts` of the site file says which "
    "sites are entered"
)
_REACTOR = "pages come over asyncio, names are looked up by the reactor on top of it"
_START_QUEUE = "start URLs wait in the frontier like all others"

REFUSED: Mapping[str, Refusal] = {
    "AUTOTHROTTLE_DEBUG": Refusal("the limiter prints no line for each answer; `scrapy status` shows the hosts", False),
    "CRAWLSPIDER_FOLLOW_LINKS": Refusal("a site's spider is no CrawlSpider; its links pass the learned filters", True),
    "DEFAULT_ITEM_CLASS": Refusal("records are plain dicts with the fields of the site file", "scrapy.item.Item"),
    "DEPTH_PRIORITY": Refusal("the order is the tunnel weight's, and breadth first among equals", 0),
    "DEPTH_STATS_VERBOSE": Refusal("each URL's depth is in the table `urls` of the crawl's database", False),
    "METAREFRESH_ENABLED": Refusal(_META_REFRESH, True),
    "METAREFRESH_IGNORE_TAGS": Refusal(_META_REFRESH, ["noscript"]),
    "METAREFRESH_MAXDELAY": Refusal(_META_REFRESH, 100),
    "REDIRECT_ENABLED": Refusal(_REDIRECT, True, always=True),
    "REFERER_ENABLED": Refusal(_NO_REFERER, False),
    "REFERRER_POLICIES": Refusal(_NO_REFERER, {}),
    "REFERRER_POLICY": Refusal(_NO_REFERER, "scrapy.spidermiddlewares.referer.DefaultReferrerPolicy"),
    "RETRY_GIVE_UP_LOG_LEVEL": Refusal("URLs given up are listed by `scrapy queue SITE list --state E`", "ERROR"),
    "RETRY_PRIORITY_ADJUST": Refusal("a retry waits its time in the frontier, and then has its URL's weight", -1),
    "SCHEDULER_START_DISK_QUEUE": Refusal(_START_QUEUE),
    "SCHEDULER_START_MEMORY_QUEUE": Refusal(_START_QUEUE),
    "SPIDER_CONTRACTS": Refusal("a site's spider has no callbacks of yours to check", {}),
    "SPIDER_CONTRACTS_BASE": Refusal("a site's spider has no callbacks of yours to check", {}),
    "TWISTED_REACTOR": Refusal(_REACTOR, "twisted.internet.asyncioreactor.AsyncioSelectorReactor", always=True),
    "TWISTED_REACTOR_ENABLED": Refusal(_REACTOR, True, always=True),
}
"""Setting → why it is refused for the crawl of a site."""
