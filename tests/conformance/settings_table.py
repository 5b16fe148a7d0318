"""The cases of `settings`: what the user wrote, and what becomes of it."""

from __future__ import annotations

from typing import Any

from tests.conformance.settings_given import Given
from tests.conformance.table import Case

PARTS = "tests.conformance.settings_parts"
THEIRS = f"{PARTS}.Theirs"
OURS = "gwc_crawler"
SCRAPYS = "scrapy.downloadermiddlewares"
HTTP11 = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"
SOCKS = "socks5://127.0.0.1:1080"
POLITE = "gwc_crawler.middlewares.politeness.PolitenessMiddleware"
STORE = "gwc_crawler.pipelines.store.StorePipeline"


def file(**settings: Any) -> Given:
    """Written into the site file."""
    return Given(file=settings)


def line(**settings: str) -> Given:
    """Given with -s."""
    return Given(line=settings)


def profile(**settings: Any) -> Given:
    """Written into the project's settings."""
    return Given(profile=settings)


ADDED = [
    Case(
        "a downloader middleware in the site file",
        "kept, called for each request",
        file(DOWNLOADER_MIDDLEWARES={THEIRS: 543}),
    ),
    Case(
        "a downloader middleware by -s, as JSON",
        "kept, called for each request",
        line(DOWNLOADER_MIDDLEWARES=f'{{"{THEIRS}": 543}}'),
    ),
    Case(
        "a downloader middleware in a profile",
        "kept, called for each request",
        profile(DOWNLOADER_MIDDLEWARES={THEIRS: 543}),
    ),
    Case(
        "a downloader middleware and a pipeline by an add-on",
        "kept, called for each request, 12 records seen",
        profile(ADDONS={f"{PARTS}.Adding": 1}),
    ),
    Case(
        "the same add-on named in the site file",
        "kept, called for each request, 12 records seen",
        file(ADDONS={f"{PARTS}.Adding": 1}),
    ),
    Case(
        "a downloader middleware in the pre-crawl",
        "kept, called for each request",
        Given(file={"DOWNLOADER_MIDDLEWARES": {THEIRS: 543}}, precrawl=True),
    ),
    Case(
        "a spider middleware in the site file", "kept, saw each page's output", file(SPIDER_MIDDLEWARES={THEIRS: 543})
    ),
    Case(
        "an item pipeline at 300, as in Scrapy's template",
        "kept, 12 records seen",
        file(ITEM_PIPELINES={f"{PARTS}.Pipeline": 300}),
    ),
    Case("an item pipeline at 1", "kept, 12 records seen", file(ITEM_PIPELINES={f"{PARTS}.Pipeline": 1})),
    Case(
        "an item pipeline by -s, as JSON", "kept, 12 records seen", line(ITEM_PIPELINES=f'{{"{PARTS}.Pipeline": 400}}')
    ),
    Case(
        "an item pipeline that drops every record",
        "kept, 12 records seen, 12 items dropped",
        file(ITEM_PIPELINES={f"{PARTS}.Dropping": 300}),
        "The store has the records before; feeds and later pipelines don't get them.",
    ),
    Case("an extension in the site file", "kept, opened", file(EXTENSIONS={THEIRS: 500})),
    Case("an extension in a profile", "kept, opened", profile(EXTENSIONS={THEIRS: 500})),
    Case("Scrapy's own download handler for http", "kept", file(DOWNLOAD_HANDLERS={"http": HTTP11})),
    Case(
        "DOWNLOADER_MIDDLEWARES_BASE with a middleware of theirs alone",
        "kept, called for each request",
        file(DOWNLOADER_MIDDLEWARES_BASE={THEIRS: 543}),
    ),
    Case("ITEM_PIPELINES_BASE = {}", "kept", line(ITEM_PIPELINES_BASE="{}")),
]

SWITCHED_OFF = [
    Case(
        "Scrapy's RetryMiddleware set to None",
        "kept",
        file(DOWNLOADER_MIDDLEWARES={f"{SCRAPYS}.retry.RetryMiddleware": None}),
    ),
    Case(
        "Scrapy's RobotsTxtMiddleware set to None",
        "kept",
        file(DOWNLOADER_MIDDLEWARES={f"{SCRAPYS}.robotstxt.RobotsTxtMiddleware": None}),
    ),
    Case(
        "Scrapy's UserAgentMiddleware set to None",
        "kept, no User-Agent",
        file(DOWNLOADER_MIDDLEWARES={f"{SCRAPYS}.useragent.UserAgentMiddleware": None}),
    ),
    Case(
        "Scrapy's RetryMiddleware put in",
        "kept, a warning",
        file(DOWNLOADER_MIDDLEWARES={f"{SCRAPYS}.retry.RetryMiddleware": 90}),
    ),
    Case(
        "Scrapy's RedirectMiddleware put in",
        "kept, a warning",
        line(DOWNLOADER_MIDDLEWARES=f'{{"{SCRAPYS}.redirect.RedirectMiddleware": 600}}'),
    ),
    Case(
        "Scrapy's RobotsTxtMiddleware put in",
        "kept, a warning",
        profile(DOWNLOADER_MIDDLEWARES={f"{SCRAPYS}.robotstxt.RobotsTxtMiddleware": 100}),
    ),
    Case(
        "Scrapy's HttpErrorMiddleware put in",
        "kept, a warning",
        file(SPIDER_MIDDLEWARES={"scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": 50}),
    ),
    Case(
        "all of Scrapy's downloader middlewares put in by their base",
        "kept",
        profile(
            DOWNLOADER_MIDDLEWARES_BASE={
                f"{SCRAPYS}.{name}": order
                for name, order in (
                    ("robotstxt.RobotsTxtMiddleware", 100),
                    ("retry.RetryMiddleware", 550),
                    ("redirect.RedirectMiddleware", 600),
                    ("useragent.UserAgentMiddleware", 500),
                    ("httpcompression.HttpCompressionMiddleware", 590),
                )
            }
        ),
    ),
    Case(
        "the progress line's extension set to None",
        "kept",
        file(EXTENSIONS={f"{OURS}.extensions.progress.ProgressExtension": None}),
    ),
]

TAKEN_OUT = [
    Case(
        "our robots.txt middleware set to None",
        "refused",
        file(DOWNLOADER_MIDDLEWARES={f"{OURS}.middlewares.robots.PatientRobotsMiddleware": None}),
    ),
    Case(
        "our politeness middleware set to None, by -s", "refused", line(DOWNLOADER_MIDDLEWARES=f'{{"{POLITE}": null}}')
    ),
    Case(
        "our politeness middleware set to None in the base", "refused", file(DOWNLOADER_MIDDLEWARES_BASE={POLITE: None})
    ),
    Case("our store set to None in a profile", "refused", profile(ITEM_PIPELINES={STORE: None})),
    Case("our store set to None by an add-on", "refused", file(ADDONS={f"{PARTS}.TakingOut": 1})),
    Case(
        "our store set to None in the pre-crawl",
        "refused",
        Given(file={"ITEM_PIPELINES": {STORE: None}}, precrawl=True),
    ),
    Case("DOWNLOADER set back to Scrapy's", "refused", file(DOWNLOADER="scrapy.core.downloader.Downloader")),
    Case("DOWNLOADER derived from Scrapy's", "refused", file(DOWNLOADER=f"{PARTS}.OwnDownloader")),
    Case("DOWNLOADER derived from ours", "kept, called", file(DOWNLOADER=f"{PARTS}.OwnHostDownloader")),
    Case(
        "SCHEDULER set back to Scrapy's in a profile", "refused", profile(SCHEDULER="scrapy.core.scheduler.Scheduler")
    ),
    Case(
        "SCHEDULER_PRIORITY_QUEUE set back to Scrapy's",
        "refused",
        line(SCHEDULER_PRIORITY_QUEUE="scrapy.pqueues.ScrapyPriorityQueue"),
    ),
    Case(
        "ITEM_PROCESSOR set back to Scrapy's",
        "kept, 12 items counted",
        file(ITEM_PROCESSOR="scrapy.pipelines.ItemPipelineManager"),
    ),
    Case("DUPEFILTER_CLASS of their own", "kept", file(DUPEFILTER_CLASS=f"{PARTS}.OwnDupeFilter")),
    Case(
        "a redirect middleware derived from Scrapy's",
        "refused",
        file(DOWNLOADER_MIDDLEWARES={f"{PARTS}.OwnRedirects": 600}),
        "It would follow redirects without their lease.",
    ),
    Case(
        "a redirect middleware derived from ours, in the place of ours",
        "kept, called",
        file(
            DOWNLOADER_MIDDLEWARES={
                f"{PARTS}.OwnLeaseRedirects": 600,
                f"{OURS}.middlewares.redirects.LeaseRedirectMiddleware": None,
            }
        ),
    ),
    Case("a middleware that does not exist", "refused", file(DOWNLOADER_MIDDLEWARES={"nowhere.Middleware": 543})),
    Case("a middleware with a text as its order", "refused", file(DOWNLOADER_MIDDLEWARES={THEIRS: "first"})),
]

VALUES = [
    Case("USER_AGENT in the site file", "kept, one User-Agent: shopper", file(USER_AGENT="shopper")),
    Case(
        "USER_AGENT in the site file and by -s",
        "kept, one User-Agent: other",
        Given(file={"USER_AGENT": "shopper"}, line={"USER_AGENT": "other"}),
    ),
    Case(
        "DEFAULT_REQUEST_HEADERS", "kept, Accept-Language: fr", file(DEFAULT_REQUEST_HEADERS={"Accept-Language": "fr"})
    ),
    Case("COOKIES_ENABLED in the site file", "kept, the cookie comes back", file(COOKIES_ENABLED=True)),
    Case("COOKIES_ENABLED in a profile", "kept, the cookie comes back", profile(COOKIES_ENABLED=True)),
    Case("COOKIES_ENABLED left alone", "kept, no cookie comes back", file()),
    Case(
        "HTTPAUTH_USER, _PASS and _DOMAIN",
        "kept, each page with credentials, password not logged",
        file(HTTPAUTH_USER="me", HTTPAUTH_PASS="hush", HTTPAUTH_DOMAIN="{netloc}"),
    ),
    Case(
        "HTTPAUTH_USER without HTTPAUTH_DOMAIN",
        "refused",
        file(HTTPAUTH_USER="me", HTTPAUTH_PASS="hush"),
        "As in Scrapy, but before anything is asked.",
    ),
    Case(
        "HTTPAUTH_DOMAIN of another site",
        "kept, no page with credentials, password not logged",
        file(HTTPAUTH_USER="me", HTTPAUTH_PASS="hush", HTTPAUTH_DOMAIN="example.com"),
    ),
    Case("ROBOTSTXT_OBEY = False", "robots.txt ignored, delay kept, 12 records", file(ROBOTSTXT_OBEY=False)),
    Case("RETRY_ENABLED = False", "robots.txt obeyed, delay kept, 11 records", file(RETRY_ENABLED=False)),
    Case("RETRY_TIMES = 0", "robots.txt obeyed, delay kept, 11 records", line(RETRY_TIMES="0")),
    Case("RETRY_HTTP_CODES without 503", "robots.txt obeyed, delay kept, 11 records", file(RETRY_HTTP_CODES=[500])),
    Case("HTTPERROR_ALLOWED_CODES = [404]", "kept, the 404 is a page", file(HTTPERROR_ALLOWED_CODES=[404])),
    Case("HTTPERROR_ALLOWED_CODES = [503]", "kept", file(HTTPERROR_ALLOWED_CODES=[503]), "It is tried again first."),
    Case(
        "REDIRECT_ENABLED = False",
        "refused",
        file(REDIRECT_ENABLED=False),
        "A URL's lease covers what it redirects to.",
    ),
    Case("REDIRECT_ENABLED = False in a profile", "refused", profile(REDIRECT_ENABLED=False)),
    Case(
        "REFERER_ENABLED = True in the site file",
        "refused",
        file(REFERER_ENABLED=True),
        "Requests come from the frontier, not from a page.",
    ),
    Case(
        "REFERER_ENABLED = True in a profile",
        "kept, a warning",
        profile(REFERER_ENABLED=True),
        "It may be meant for spiders of the project's own.",
    ),
    Case(
        "METAREFRESH_ENABLED = False",
        "refused",
        line(METAREFRESH_ENABLED="False"),
        "A meta refresh is a redirect, or a link of its page.",
    ),
    Case("DEPTH_PRIORITY = 1", "refused", file(DEPTH_PRIORITY=1), "The order is the tunnel weight's."),
    Case("DEPTH_PRIORITY = 0, which is so anyway", "kept", line(DEPTH_PRIORITY="0")),
    Case(
        "DEPTH_LIMIT = 1 in the pre-crawl",
        "kept, /more/1 but not /more/2",
        Given(file={"DEPTH_LIMIT": 1}, precrawl=True),
    ),
    Case(
        "TWISTED_REACTOR that is not asyncio's",
        "refused",
        profile(TWISTED_REACTOR="twisted.internet.selectreactor.SelectReactor"),
    ),
    Case("DNS_TIMEOUT in the site file", "refused", file(DNS_TIMEOUT=5), "It is read before a site file is."),
    Case(
        "DOWNLOAD_SLOTS with a longer delay for the host",
        "robots.txt obeyed, longer delay kept, 12 records",
        file(DOWNLOAD_SLOTS={"127.0.0.1": {"delay": 0.03, "jitter": 0}}),
    ),
    Case(
        "RANDOMIZE_DOWNLOAD_DELAY = False above a jitter",
        "kept",
        Given(profile={"DOWNLOAD_DELAY_JITTER": 0.9}, file={"RANDOMIZE_DOWNLOAD_DELAY": False}),
    ),
    Case(
        "AUTOTHROTTLE_ENABLED",
        "kept",
        file(AUTOTHROTTLE_ENABLED=True, AUTOTHROTTLE_START_DELAY=0.02, AUTOTHROTTLE_MAX_DELAY=0.05),
    ),
    Case("CONCURRENT_REQUESTS_PER_DOMAIN = 1", "kept, one at a time", file(CONCURRENT_REQUESTS_PER_DOMAIN=1)),
    Case(
        "CLOSESPIDER_PAGECOUNT = 3",
        "robots.txt obeyed, delay kept, closespider_pagecount",
        line(CLOSESPIDER_PAGECOUNT="3"),
    ),
    Case(
        "CLOSESPIDER_ITEMCOUNT = 3",
        "robots.txt obeyed, delay kept, closespider_itemcount",
        file(CLOSESPIDER_ITEMCOUNT=3),
    ),
    Case("MEMUSAGE_LIMIT_MB = 1", "robots.txt obeyed, delay kept, memusage_exceeded", file(MEMUSAGE_LIMIT_MB=1)),
    Case("MEMUSAGE_WARNING_MB = 1", "kept, memory warned of", line(MEMUSAGE_WARNING_MB="1")),
    Case("LOGSTATS_INTERVAL", "kept, LogStats runs", file(LOGSTATS_INTERVAL=5.0)),
    Case(
        "HTTPCACHE_ENABLED, a second crawl",
        "kept, nothing asked again",
        Given(
            file={"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": "../cache", "HTTPCACHE_IGNORE_HTTP_CODES": [503]},
            twice=True,
        ),
    ),
    Case("JOBDIR", "kept", line(JOBDIR="job")),
    Case(
        "FEEDS in the site file", "kept, books.jsonl of 12 lines", file(FEEDS={"books.jsonl": {"format": "jsonlines"}})
    ),
    Case(
        "STATS_CLASS and LOG_FORMATTER of their own",
        "kept, called",
        file(STATS_CLASS=f"{PARTS}.OwnStats", LOG_FORMATTER=f"{PARTS}.OwnLog"),
    ),
    Case("CONCURRENT_ITEMS = 100", "kept", file(CONCURRENT_ITEMS=100)),
    Case("DOWNLOADER_STATS = True", "kept, bytes counted", file(DOWNLOADER_STATS=True)),
    Case("TELNETCONSOLE_ENABLED", "kept, TelnetConsole runs", file(TELNETCONSOLE_ENABLED=True, TELNETCONSOLE_PORT=[0])),
    Case("LOG_FILE in the site file", "kept, crawl.log is written", file(LOG_FILE="crawl.log", LOG_LEVEL="DEBUG")),
    Case(
        "HTTP_PROXY", "kept, all by the proxy", Given(environment={"HTTP_PROXY": "{proxy}", "HTTPS_PROXY": "{proxy}"})
    ),
    Case(
        "HTTP_PROXY with HTTPPROXY_ENABLED = False",
        "kept, nothing by the proxy",
        Given(file={"HTTPPROXY_ENABLED": False}, environment={"HTTP_PROXY": "{proxy}"}),
    ),
    Case("ALL_PROXY=socks5://… alone", "refused", Given(environment={"ALL_PROXY": SOCKS}), "Requests would go direct."),
    Case(
        "ALL_PROXY=http://… alone",
        "refused",
        Given(environment={"ALL_PROXY": "{proxy}"}),
        "Scrapy reads HTTP_PROXY and HTTPS_PROXY alone: requests would go direct.",
    ),
    Case(
        "HTTP_PROXY=quic://…",
        "refused",
        Given(environment={"HTTP_PROXY": "quic://127.0.0.1:1080"}),
        "Nobody here can ask such a proxy.",
    ),
    Case(
        "ALL_PROXY=socks5://…, the site in NO_PROXY",
        "kept",
        Given(environment={"ALL_PROXY": SOCKS, "NO_PROXY": "127.0.0.1"}),
    ),
]


PLUG_INS = [
    Case(
        "scrapy-fake-useragent, as its manual says",
        "kept, User-Agents of theirs",
        file(
            DOWNLOADER_MIDDLEWARES={
                f"{SCRAPYS}.useragent.UserAgentMiddleware": None,
                f"{SCRAPYS}.retry.RetryMiddleware": None,
                "scrapy_fake_useragent.middleware.RandomUserAgentMiddleware": 400,
                "scrapy_fake_useragent.middleware.RetryUserAgentMiddleware": 401,
            },
            FAKEUSERAGENT_PROVIDERS=["scrapy_fake_useragent.providers.FakerProvider"],
        ),
    ),
    Case(
        "scrapy-user-agents, as its manual says",
        "kept, User-Agents of theirs",
        profile(
            DOWNLOADER_MIDDLEWARES={
                f"{SCRAPYS}.useragent.UserAgentMiddleware": None,
                "scrapy_user_agents.middlewares.RandomUserAgentMiddleware": 400,
            }
        ),
    ),
    Case(
        "scrapy-jsonschema's pipeline",
        "kept",
        file(ITEM_PIPELINES={"scrapy_jsonschema.JsonSchemaValidatePipeline": 100}),
    ),
    Case("scrapy-poet's add-on", "kept, scrapy-poet runs", file(ADDONS={"scrapy_poet.Addon": 300})),
]

TABLE = [*ADDED, *SWITCHED_OFF, *TAKEN_OUT, *VALUES, *PLUG_INS]
