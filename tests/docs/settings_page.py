"""`python -m tests.docs.settings_page --write` makes docs/settings.md, of our settings and the tables of Scrapy's."""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scrapy.settings import iter_default_settings

from gwc_crawler import settings
from gwc_crawler.wiring.check import NEEDED, REFUSED, REFUSED_WITH_REDIS, TOO_EARLY
from gwc_crawler.wiring.components import REPLACED

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "settings.md"

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

_ADDED = "yours are added to ours; those of ours that are needed can't be taken out"
_BASE = "replaces Scrapy's own components; ours stay"
_EACH_HOST = "holds for each host, whatever its slots, and for all workers of a shared crawl together"
_BY_LIMITER = "the limiter adapts each host's delay, for all workers of a shared crawl together"
_MEMUSAGE = "the extension runs if one of them is set; a crawl that the limit ended can be continued"
_NO_DUPLICATES = "the frontier knows each URL once; this one sees only Requests of plug-ins"
_ERROR_PAGES = "such an answer is read as a page; one that is tried again is read when all attempts are used up"

DIFFERS: Mapping[str, str] = {
    "AUTOTHROTTLE_ENABLED": _BY_LIMITER,
    "AUTOTHROTTLE_MAX_DELAY": _BY_LIMITER,
    "AUTOTHROTTLE_START_DELAY": _BY_LIMITER,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": _BY_LIMITER,
    "CONCURRENT_ITEMS": "1 by default: a page's records go one after the other",
    "CONCURRENT_REQUESTS_PER_DOMAIN": _EACH_HOST,
    "COOKIES_ENABLED": "off by default: a page shall not depend on pages fetched before; "
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
    "FEEDS": "each record is in a feed once, also of a continued crawl; a feed that can't be continued is refused",
    "HTTPAUTH_DOMAIN": "has to be set with HTTPAUTH_USER, as in Scrapy, and has to name a domain in a site file",
    "HTTPERROR_ALLOWED_CODES": _ERROR_PAGES,
    "HTTPERROR_ALLOW_ALL": _ERROR_PAGES,
    "ITEM_PIPELINES": _ADDED + "; yours get the records, after the store has them",
    "ITEM_PIPELINES_BASE": _BASE,
    "ITEM_PROCESSOR": "only a class derived from ItemPipelineManager, which runs the pipelines",
    "JOBDIR": "keeps `spider.state` and Requests of plug-ins; the crawl itself is in GWC_DATA_DIR",
    "LOGSTATS_INTERVAL": "the extension runs if it is set; else the progress line says the same",
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

_AS_THERE = "as in scrapy-redis"

OF_REDIS = {
    **dict.fromkeys(("REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_DB", "REDIS_ENCODING", "REDIS_PARAMS"), _AS_THERE),
    **dict.fromkeys(("REDIS_START_URLS_KEY", "SCHEDULER_QUEUE_KEY", "SCHEDULER_DUPEFILTER_KEY"), _AS_THERE),
    **dict.fromkeys(("REDIS_ITEMS_KEY", "REDIS_ITEMS_SERIALIZER"), "of the sink `redis`, as in scrapy-redis"),
    **dict.fromkeys(
        ("REDIS_START_URLS_AS_SET", "REDIS_START_URLS_AS_ZSET"), "list, set or sorted set: the key's type tells"
    ),
    "SCHEDULER_FLUSH_ON_START": "as in scrapy-redis, unless others are at work",
}
"""scrapy-redis's settings that hold in a shared crawl → how."""

INTRO = """# Settings

Made by `python -m tests.docs.settings_page --write` from the code.

Set a setting, from the highest rank to the lowest:

1. on the command line: `scrapy crawl books -s DOWNLOAD_DELAY=2` (dicts as JSON);
2. in `[settings]` of a site file, for that site (dicts as tables);
3. in the profile (`settings_profiles/`), for the whole project;
4. by an add-on (`ADDONS`).

Then come the defaults of a site's crawl (`gwc_crawler/wiring/components.py`), then Scrapy's. Your own spiders in the
same project (`SPIDER_MODULES`) get Scrapy's defaults and the profile's settings; besides, robots.txt is obeyed,
certificates are verified, telnet console and remote control are off.
"""

COMPONENTS = """## Middlewares, pipelines, extensions

Your components in `DOWNLOADER_MIDDLEWARES`, `SPIDER_MIDDLEWARES`, `ITEM_PIPELINES`, `EXTENSIONS` and
`DOWNLOAD_HANDLERS` are added to ours. Item pipelines of order 0 and more get the records, as dicts, after they are
stored.

These of ours are needed: you may replace one by a class derived from it, but not by `None` (exit code 2). Paths begin
with `gwc_crawler.`:

| component | without it |
|---|---|
"""

LEFT_OUT = """
These of Scrapy's are left out, because something else does their work; adding one gives a warning: {names}.
"""

SCRAPYS = """## Scrapy's settings in a site's crawl

{works} of them, and those of plug-ins, work as documented.

{early} work in a profile or on the command line, but not in a site file, which is read later: {early_names}.

{differs} work a little differently:

| settings | how |
|---|---|
{different}

{refused} are refused, unless they only say how it is anyway: `scrapy crawl`, `learn` and `extract` end with exit code 2
and name the setting. In a profile or an add-on, those that break no promise only give a warning: they may be meant for
your own spiders.

| settings | why |
|---|---|
{refusals}
"""

OF_REDIS_TOLD = """## scrapy-redis's settings in a shared crawl

With `GWC_FRONTIER = "redis"`, refused as above; a `RedisSpider` of your own has scrapy-redis's own scheduler.

| settings | how |
|---|---|
{told}
"""


def page() -> str:
    """Return the whole page."""
    needed = [f"| `{bare(path)}` | {loss} |" for parts in NEEDED.values() for path, loss in parts.items()]
    left = listed(path.rpartition(".")[2] for path in REPLACED)
    parts = [INTRO, "## Settings of this project\n", *own_tables(), COMPONENTS.rstrip("\n"), *needed]
    return "\n".join([*parts, LEFT_OUT.format(names=left), scrapys(), of_redis()])


def bare(path: str) -> str:
    """Return the path of a component of ours without the package's name."""
    return path.removeprefix("gwc_crawler.")


def scrapys() -> str:
    """Return what becomes of Scrapy's settings."""
    return SCRAPYS.format(
        works=len(WORKS), early=len(TOO_EARLY), early_names=listed(TOO_EARLY),
        differs=len(DIFFERS), different="\n".join(grouped(DIFFERS)),
        refused=len(REFUSED), refusals="\n".join(grouped({name: one.why for name, one in REFUSED.items()})),
    )  # fmt: skip


def of_redis() -> str:
    """Return what becomes of scrapy-redis's settings."""
    told = {**OF_REDIS, **{name: f"refused: {one.why}" for name, one in REFUSED_WITH_REDIS.items()}}
    return OF_REDIS_TOLD.format(told="\n".join(grouped(told)))


def names() -> list[str]:
    """Return the names of all settings that Scrapy has a default for."""
    return sorted(name for name, _ in iter_default_settings())


def listed(some: Iterable[str]) -> str:
    """Return names in their order, with commas between."""
    return ", ".join(f"`{name}`" for name in sorted(some))


def grouped(told: Mapping[str, str]) -> list[str]:
    """Return a row for each text, with all the names of which it is told."""
    by_text: dict[str, list[str]] = {}
    for name in sorted(told):
        by_text.setdefault(_cell(told[name]), []).append(name)
    return [f"| {listed(some)} | {text} |" for text, some in by_text.items()]


def own_tables() -> Iterator[str]:
    """Give a table for each part of `settings.py`, in its order."""
    source = Path(settings.__file__).read_text(encoding="utf-8")
    told = {name: (default, text) for name, default, text in own_settings()}
    for part in re.split(r"^# --- ", source, flags=re.MULTILINE)[1:]:
        if names_here := [name for name in re.findall(r"^(GWC_\w+)\b", part, flags=re.MULTILINE) if name in told]:
            title = part.partition(" ---")[0]
            yield f"### {title[0].upper()}{title[1:]}\n\n| setting | default | meaning |\n|---|---|---|"
            for name in names_here:
                default, text = told[name]
                yield f"| `{name}` | `{default!r}` | {_cell(text)} |"
            yield ""


def own_settings() -> Iterator[tuple[str, object, str]]:
    """Give name, default and docstring of each setting of ours, in their order."""
    body = ast.parse(Path(settings.__file__).read_text(encoding="utf-8")).body
    for node, after in itertools.pairwise(body):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(after, ast.Expr):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name) and target.id.startswith("GWC_") and isinstance(after.value, ast.Constant):
            yield target.id, getattr(settings, target.id), str(after.value.value)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())
