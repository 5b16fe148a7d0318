"""Check a user's settings: a crawl keeps its promises with them, or an InputError names the fault and its remedy.

When a spider of ours is made, before anything is opened, and again after add-ons have changed settings.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import BaseRedirectMiddleware
from scrapy.dupefilters import BaseDupeFilter
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings, default_settings
from scrapy.utils.misc import load_object

from gwc_crawler.errors import InputError
from gwc_crawler.items import context_of
from gwc_crawler.modes import FrontierKind
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import key_place
from gwc_crawler.wiring.access import check_access, check_proxies
from gwc_crawler.wiring.components import COMPONENTS, OURS, REDIS_SCHEDULER, REPLACED, VALUES, path_of, was_given, wire
from gwc_crawler.wiring.options import (
    check_browser,
    chosen_files,
    chosen_sinks,
    crawl_names,
    intervals_of,
    partition_policy,
)
from gwc_crawler.wiring.own_settings import (
    check_contact,
    check_files_store,
    check_settings,
    check_values,
    likely_misspelt,
    loaded,
    shown,
    toml_example,
    where,
)

logger = logging.getLogger(__name__)


# --- Scrapy's settings that are refused in a crawl of ours; all others work, some differently (docs/settings.md) ------


@dataclass(frozen=True, slots=True)
class Refusal:
    """A setting that can't do here what it says.

    `holds` is the value that says what is so anyway, and is taken. From a profile it is only warned of, because the
    project's own spiders may be meant, unless `always`: then the value would break a promise.
    """

    why: str
    holds: Any = None
    always: bool = False


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


_ENDS = "a crawl ends when nothing waits or is leased at any worker; `scrapy work` waits for GWC_WORK_IDLE_SECONDS"
_NO_REQUESTS = "leases wait in Redis, not Requests, and nothing there is ever run as code"

REFUSED_WITH_REDIS: Mapping[str, Refusal] = {
    **dict.fromkeys(("MAX_IDLE_TIME_BEFORE_CLOSE", "SCHEDULER_IDLE_BEFORE_CLOSE"), Refusal(_ENDS, 0)),
    **dict.fromkeys(("SCHEDULER_QUEUE_CLASS", "SCHEDULER_SERIALIZER"), Refusal(_NO_REQUESTS)),
    "REDIS_DECODE_RESPONSES": Refusal("answers are bytes", False),
    "REDIS_START_URLS_BATCH_SIZE": Refusal("start URLs are entered as they come, a thousand at a time"),
    "SCHEDULER_DUPEFILTER_CLASS": Refusal("the frontier in Redis knows each URL once"),
    "SCHEDULER_PERSIST": Refusal(
        "the queue always persists, as others work at it; SCHEDULER_FLUSH_ON_START ends it", True
    ),
}
"""scrapy-redis's settings that are refused in a shared crawl; the others hold as there (docs/settings.md)."""


NEEDED = {
    "DOWNLOADER_MIDDLEWARES": {
        "gwc_crawler.middlewares.robots.PatientRobotsMiddleware": "robots.txt would not be obeyed; if you mean it, "
        "set ROBOTSTXT_OBEY = False",
        "gwc_crawler.middlewares.queue.QueueMiddleware": "GWC_QUEUE_POLICY would not hold",
        "gwc_crawler.middlewares.redirects.LeaseRedirectMiddleware": "redirects would lead off the site, and to pages "
        "that are fetched already",
        "gwc_crawler.middlewares.bodies.WholeBodies": "half a page would be taken for a whole one; if you don't want "
        "compressed ones, set COMPRESSION_ENABLED = False",
        "gwc_crawler.middlewares.archive.ArchiveMiddleware": "no WARC file would be written; if none is wanted, leave "
        "GWC_WARC empty",
        "gwc_crawler.middlewares.politeness.PolitenessMiddleware": "DOWNLOAD_DELAY, crawl-delay and Retry-After would "
        "not be kept",
    },
    "ITEM_PIPELINES": {
        "gwc_crawler.pipelines.strip.StripPipeline": "pages would keep their parse trees in memory; if their stripped "
        "HTML is not wanted, set GWC_STRIP = none",
        "gwc_crawler.pipelines.files.FilesPipeline": "no file would be kept; if none is wanted, "
        "set GWC_KEEP_FILES = none",
        "gwc_crawler.pipelines.store.StorePipeline": "nothing would be stored",
        "gwc_crawler.pipelines.record.RecordPipeline": "feeds and pipelines would get pages, not records",
    },
    "EXTENSIONS": {
        "gwc_crawler.extensions.stats.RunStats": "nobody would know how the crawl ended",
        "gwc_crawler.extensions.feeds.exporter.ContinuedFeeds": "no feed would be written",
    },
}
"""Setting → the component of ours that has to be there, or one derived from it → what would be without it."""

KINDS = {
    "SCHEDULER": (VALUES["SCHEDULER"], "which leases URLs from the frontier"),
    "SCHEDULER_PRIORITY_QUEUE": (VALUES["SCHEDULER_PRIORITY_QUEUE"], "which lets hosts rest that have to wait"),
    "DOWNLOADER": (VALUES["DOWNLOADER"], "which keeps the limits of each host"),
    "ITEM_PROCESSOR": ("scrapy.pipelines.ItemPipelineManager", "which takes pages through the pipelines to the store"),
}
"""Setting → the class that its value has to be, or be derived from, and the purpose."""


JUDGED = [name for name in vars(default_settings) if name.isupper() and name not in REFUSED]
"""Settings whose values are checked; a profile may have any value for refused ones."""


class LastWord:
    """The add-on that looks over the settings after all others."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LastWord:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    def update_settings(self, settings: BaseSettings) -> None:
        """Refuse what can't be (`settle`); the spider's files are open by now."""
        try:
            _tell_slips()
            settle(settings, self.crawler.spider.site)  # type: ignore[union-attr]
            check_contact(settings)
        except InputError:
            if (context := context_of(self.crawler.spider)) is not None:
                context.close()
            raise


def settings_of(site: Site, settings: Settings, *, fetches: bool = True) -> Settings:
    """Return the settings a site is crawled with: a copy, the site file's [settings] on top, our wiring beneath.

    *fetches*: the site will be asked; else nobody needs the secrets that let one in. Raises InputError: with them a
    crawl could not keep its promises.
    """
    of_site = with_site(settings, site)
    wire(of_site)
    settle(of_site, site, fetches=fetches)
    return of_site


def with_site(settings: Settings, site: Site) -> Settings:
    """Return a copy of the settings with the site file's [settings] on top. Raises InputError: they are of no use."""
    of_site = settings.copy()
    for name, value in site.settings.items():
        try:
            of_site.set(name, value, priority="spider")
        except (AttributeError, TypeError, ValueError) as error:
            raise InputError(
                f"{key_place(site, 'settings', name)}: setting {name} is {value!r}; it can be a table: "
                f"{toml_example(name)}"
            ) from error
    return of_site


@cache
def _tell_slips() -> None:
    """Warn of names in the project's settings that are likely slips: once, for all crawls of this process have them."""
    for name, meant in likely_misspelt():
        logger.warning("setting %s in the project's settings is none of Scrapy's (%s)", name, meant)


def settle(settings: BaseSettings, site: Site, *, fetches: bool = True) -> None:
    """Remove components that ours replace; refuse impossible settings: InputError with place, reason and remedy."""
    for name in TOO_EARLY:
        if settings.getpriority(name) == SETTINGS_PRIORITIES["spider"]:
            raise InputError(f"setting {name} is {settings[name]!r} in a site file; {TOO_EARLY[name]}")
    of_redis = REFUSED_WITH_REDIS if settings["GWC_FRONTIER"] == FrontierKind.REDIS else {}
    for name, refusal in (*REFUSED.items(), *of_redis.items()):
        _check_refused(settings, name, refusal)
    check_values(settings, JUDGED)
    _check_ours(settings, site)
    for name, (wanted, use) in KINDS.items():
        _check_kind(settings, name, wanted, use)
    _check_dupefilter(settings)
    for name in COMPONENTS:
        _leave_out(settings, name)
        if name != "DOWNLOAD_HANDLERS" and (settings[name] or was_given(settings, f"{name}_BASE")):
            _check_components(settings, name)
    _check_credentials(settings)
    if site.access.proxies is None:
        check_proxies(settings, site)
    if fetches:
        check_access(settings, site)
    check_browser(settings, site)


def _check_ours(settings: BaseSettings, site: Site) -> None:
    """Check our own settings, also together: faults that would stop a crawl are reported before a pre-crawl."""
    check_settings(settings)
    if settings["GWC_QUEUE_POLICY"] is not None:
        crawl_names(settings, site)
        partition_policy(settings)
        intervals_of(settings)
        chosen_sinks(settings)
        chosen_files(settings)
        check_files_store(settings)


def _check_refused(settings: BaseSettings, name: str, refusal: Refusal) -> None:
    if not was_given(settings, name) or _same(settings[name], refusal.holds):
        return
    place = where(settings, name)
    text = f"setting {name} is {shown(settings[name])} {place}, and can't hold for a site: {refusal.why}"
    if refusal.always or (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["spider"]:
        raise InputError(f"{text}; remove it, or put it into the custom_settings of a spider of your own")
    logger.warning("%s; it holds for spiders of your own", text)


def _same(value: Any, holds: Any) -> bool:
    """Say whether a value, which may be a text from the command line, is the one that holds anyway."""
    value = value.copy_to_dict() if isinstance(value, BaseSettings) else value
    if isinstance(holds, bool):
        return str(value).lower() in (("true", "1") if holds else ("false", "0", "none"))
    return bool(value == holds or str(value) == str(holds)) or (holds is None and not value)


def _check_kind(settings: BaseSettings, name: str, wanted: str, use: str) -> None:
    ours = VALUES[name]
    if name == "SCHEDULER" and settings["GWC_FRONTIER"] == FrontierKind.REDIS:
        wanted = ours = REDIS_SCHEDULER
    value = settings[name]
    if value == ours:
        return
    kind = loaded(value, f"setting {name} is {shown(value)} {where(settings, name)}")
    if load_object(wanted) not in getattr(kind, "__mro__", ()):  # Scrapy's schedulers pass for subclasses of each other
        raise InputError(
            f"setting {name} is {shown(value)} {where(settings, name)}; the crawl of a site needs {wanted}, {use}, "
            f"or a class derived from it: remove the setting, or put it into the custom_settings of your own spiders"
        )


def _check_dupefilter(settings: BaseSettings) -> None:
    """Refuse a dupefilter that Scrapy's scheduler could not open: it fails at that, and at closing it, too."""
    name = "DUPEFILTER_CLASS"
    if was_given(settings, name):
        place = f"setting {name} is {shown(settings[name])} {where(settings, name)}"
        kind = loaded(settings[name], place)
        if lacking := [method for method in ("open", "request_seen", "close") if not hasattr(kind, method)]:
            raise InputError(
                f"{place}, which has no {', '.join(lacking)}; derive it from {BaseDupeFilter.__module__}."
                f"{BaseDupeFilter.__name__}"
            )


def _leave_out(settings: BaseSettings, name: str) -> None:
    """Take out Scrapy's components that ours stands for, which a user has put in; a manual may have said so."""
    added = settings[name] or {}
    left_out = [key for key, order in added.items() if order is not None and path_of(key) in REPLACED]
    for key in left_out:
        logger.warning("%s: %s is left out; its place has %s", name, path_of(key), REPLACED[path_of(key)])
    if left_out:
        kept = {**added, **dict.fromkeys(left_out)}
        settings.set(name, kept, settings.getpriority(name) or OURS)


def _check_components(settings: BaseSettings, name: str) -> None:
    """Look whether the needed ones of ours are among what a user has made of a dict of components."""
    classes = list(_classes(settings, name))
    for needed, loss in NEEDED.get(name, {}).items():
        if not any(issubclass(kind, load_object(needed)) for kind in classes):
            base = f"{name}_BASE"
            place = base if needed in (settings[base] or {}) and settings[base][needed] is None else name
            raise InputError(
                f"setting {place} takes out {needed} {where(settings, place)}: {loss}; remove the line, "
                f"or put in a class derived from it"
            )
        _check_order(settings, name, needed, loss)
    for kind in classes:
        if issubclass(kind, BaseRedirectMiddleware) and not issubclass(kind, load_object(_LEASE_REDIRECT)):
            raise InputError(
                f"setting {name} names {path_of(kind)} {where(settings, name)}, which follows redirects without their "
                f"lease: pages would be fetched twice, other sites entered; derive it from {_LEASE_REDIRECT} and set "
                f"that one to None"
            )


def _check_order(settings: BaseSettings, name: str, needed: str, loss: str) -> None:
    ours = COMPONENTS[name][needed]
    for key, order in settings.get_component_priority_dict_with_base(name).items():
        kind = load_object(key) if order is not None and order != ours else None
        if isinstance(kind, type) and issubclass(kind, load_object(needed)):  # not a function that makes one
            place = name if key in (settings[name] or {}) else f"{name}_BASE"
            raise InputError(
                f"setting {place} gives {path_of(key)} the order {order:g} {where(settings, place)}, where its work "
                f"could not be done ({loss}); its order is {ours}"
            )


_LEASE_REDIRECT = "gwc_crawler.middlewares.redirects.LeaseRedirectMiddleware"


def _classes(settings: BaseSettings, name: str) -> Iterator[type]:
    for key, order in (settings[name] or {}).items():
        what = f"setting {name} names {path_of(key)} {where(settings, name)}"
        loaded(key, what)
        if order is not None and (isinstance(order, bool) or not isinstance(order, int | float)):
            raise InputError(f"{what} with the order {order!r}; write a number, or None to take it out")
    for key in settings.get_component_priority_dict_with_base(name):
        kind = loaded(key, f"setting {name}_BASE names {path_of(key)}")
        if isinstance(kind, type):
            yield kind


def _check_credentials(settings: BaseSettings) -> None:
    if (settings["HTTPAUTH_USER"] or settings["HTTPAUTH_PASS"]) and not was_given(settings, "HTTPAUTH_DOMAIN"):
        raise InputError(
            f"setting HTTPAUTH_USER is {settings['HTTPAUTH_USER']!r} without HTTPAUTH_DOMAIN, so that any site could "
            'be sent the password; add HTTPAUTH_DOMAIN = "example.com"'
        )
