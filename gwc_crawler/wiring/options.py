"""Options of several parts, read from the settings only here: directories, leases, back-off, progress, the fleet."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from gwc_crawler import settings as ours
from gwc_crawler.errors import InputError, NameServerError
from gwc_crawler.frontier.queues import QueuePolicy, queue_policy
from gwc_crawler.frontier.recrawl import Intervals
from gwc_crawler.modes import BrowserFor, FrontierKind, KeepHtml, MainText, ShowProgress, Strip
from gwc_crawler.network.dns_cache import CrawlNames, DnsCache, DnsOptions, read_overrides
from gwc_crawler.network.dns_servers import Ask, DnsAnswer, NameServers, ServerAddress, read_server
from gwc_crawler.network.guard import Guard, read_permissions
from gwc_crawler.network.politeness.address_book import AddressBook
from gwc_crawler.network.politeness.retry import RetryPolicy
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.kept_files import FileChoice, file_choice
from gwc_crawler.store.sink import SinkFactory
from gwc_crawler.store.sqlite.side_file import NAMES_DB, NameFile
from gwc_crawler.wiring.own_settings import loaded, of_any_project, where

if TYPE_CHECKING:
    from gwc_crawler.extract.condenser import Condenser

# --- Settings and a site file → how names are looked up, and which addresses are refused ------------------------------


RESOLVER = ours.TWISTED_DNS_RESOLVER
"""TWISTED_DNS_RESOLVER where names are looked up by the cache; another one is a user's own, and is asked instead."""


@dataclass(frozen=True, slots=True)
class LookupPlan:
    """The settings for looking names up. `memory`: the file beyond the process, None if there is none."""

    servers: tuple[ServerAddress, ...]
    timeout_seconds: float
    options: DnsOptions
    memory: Path | None
    is_own: bool


def lookup_plan(settings: BaseSettings) -> LookupPlan:
    """Read GWC_DNS_* and Scrapy's DNS_TIMEOUT, DNSCACHE_*. Raises InputError: a name server is invalid."""
    # DNS_RESOLVER is deprecated in Scrapy, and asked by it in this order
    theirs, mine = (settings.getpriority(name) or 0 for name in ("DNS_RESOLVER", "TWISTED_DNS_RESOLVER"))
    is_own = theirs <= mine and settings["TWISTED_DNS_RESOLVER"] == RESOLVER
    options = DnsOptions(
        size=settings.getint("DNSCACHE_SIZE", 10_000),
        min_seconds=_number(settings, "GWC_DNS_MIN_SECONDS"),
        max_seconds=_number(settings, "GWC_DNS_MAX_SECONDS"),
        negative_seconds=_number(settings, "GWC_DNS_NEGATIVE_SECONDS"),
        stale_seconds=_number(settings, "GWC_DNS_STALE_SECONDS"),
        at_once=int(_number(settings, "GWC_DNS_AT_ONCE")),
    )
    caches = is_own and settings.getbool("DNSCACHE_ENABLED", True) and options.size > 0
    if not caches:
        options = replace(options, min_seconds=0.0, max_seconds=0.0, negative_seconds=0.0, stale_seconds=0.0)
    data = settings["GWC_DATA_DIR"]
    return LookupPlan(
        tuple(read_server(one) for one in settings.getlist("GWC_DNS_SERVERS") if one.strip()),
        settings.getfloat("DNS_TIMEOUT", 60.0),
        options,
        Path(data).absolute() / NAMES_DB if data and caches else None,
        is_own,
    )


def _number(settings: BaseSettings, name: str) -> float:
    """Return a setting that a foreign project may lack; the resolver is made before anybody hears of a mistake."""
    return settings.getfloat(name, getattr(ours, name))


def dns_cache(settings: BaseSettings) -> DnsCache:
    """Return the cache that the settings describe: the same one for equal settings."""
    return _cache(lookup_plan(settings))


@lru_cache(maxsize=16)
def _cache(plan: LookupPlan) -> DnsCache:
    ask: Ask = NameServers(plan.servers, plan.timeout_seconds) if plan.is_own else _ask_reactor
    memory = NameFile(plan.memory, plan.options.stale_seconds) if plan.memory is not None else None
    return DnsCache(ask, plan.options, memory)


def crawl_names(settings: BaseSettings, site: Site | None = None) -> CrawlNames:
    """Return the `CrawlNames` of a crawl; without *site* no address is refused. Raises InputError: a wrong setting."""
    return CrawlNames(dns_cache(settings), None if site is None else guard_of(settings, site), overrides_of(settings))


def overrides_of(settings: BaseSettings) -> Mapping[str, tuple[str, ...]]:
    """Return the hosts that GWC_DNS_HOSTS, or the site file's [dns], gives addresses. InputError: no such table."""
    try:
        return read_overrides(settings.getdict("GWC_DNS_HOSTS"))
    except (ValueError, TypeError) as error:
        raise InputError(f"setting GWC_DNS_HOSTS: {error}") from error


def guard_of(settings: BaseSettings, site: Site) -> Guard:
    """Return what lets a crawl connect to the Internet, its file's hosts, GWC_ALLOW_PRIVATE. InputError: wrong."""
    permitted = permissions_of(settings)
    sitemaps = site.sitemap if isinstance(site.sitemap, tuple) else ()
    login = site.access.login
    asked = (*site.entry, *sitemaps, *([login.url] if login else ()))
    urls = (*asked, *(sample.url for sample in site.samples))
    written = {_host(url) for url in urls} | {_host(f"//{host}") for host in site.hosts}
    domains = tuple(_host(f"//{host}") for host in site.hosts)
    return replace(permitted, hosts=permitted.hosts | written, domains=domains)


def permissions_of(settings: BaseSettings) -> Guard:
    """Return the `Guard` of GWC_ALLOW_PRIVATE alone. Raises InputError: it can't be read."""
    allowed = settings["GWC_ALLOW_PRIVATE"]
    texts = ["all"] if allowed is True else [] if not allowed else settings.getlist("GWC_ALLOW_PRIVATE")
    return read_permissions(map(str, texts))


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


async def _ask_reactor(name: str) -> DnsAnswer:
    from twisted.internet import reactor

    answer = _Resolution()
    reactor.nameResolver.resolveHostName(answer, name)
    if not (addresses := await answer.complete):
        raise NameServerError(f"no address is known of {name}")
    return DnsAnswer(tuple(addresses), 0.0)


class _Resolution:
    """Collects what a resolver of Twisted's finds (`IResolutionReceiver`)."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.complete: asyncio.Future[Sequence[str]] = asyncio.get_running_loop().create_future()

    def resolutionBegan(self, resolution: Any) -> None:
        """Prepare nothing."""

    def addressResolved(self, address: Any) -> None:
        self.addresses.append(address.host)

    def resolutionComplete(self) -> None:
        if not self.complete.done():
            self.complete.set_result(self.addresses)


# --- Settings → what the parts of a crawl are made with: words of a few, a queue policy, intervals, sinks -------------


Choice = TypeVar("Choice", bound=StrEnum)


def setting_choice(settings: BaseSettings, name: str, choices: type[Choice]) -> Choice:
    """Return a setting that is one of a few words. Raises InputError: it is another word."""
    try:
        return choices(settings[name])
    except ValueError:
        raise InputError(f"setting {name} is {settings[name]!r}; it can be {', '.join(choices)}") from None


def is_in_redis(settings: BaseSettings) -> bool:
    """Say whether crawls are shared, through Redis. Raises InputError: GWC_FRONTIER has another value."""
    return setting_choice(settings, "GWC_FRONTIER", FrontierKind) is FrontierKind.REDIS


def partition_policy(settings: BaseSettings) -> QueuePolicy | None:
    """Return how GWC_QUEUE_POLICY parts the frontier; None: by host, its own way. Raises InputError: no such policy."""
    name = settings["GWC_QUEUE_POLICY"]
    if name == "host":
        return None
    return queue_policy(
        name,
        queues=settings.getint("GWC_QUEUES"),
        multiplier=settings.getint("GWC_QUEUE_SEED"),
        address_of=AddressBook(crawl_names(settings)).address_of,
    )


def intervals_of(settings: BaseSettings) -> Intervals:
    """Return how long is waited between two looks at a page. Raises InputError: the settings contradict each other."""
    return Intervals(
        settings.getfloat("GWC_RECRAWL_START_SECONDS"),
        settings.getfloat("GWC_RECRAWL_MIN_SECONDS"),
        settings.getfloat("GWC_RECRAWL_MAX_SECONDS"),
    )


def chosen_files(settings: BaseSettings, *, of_fields: bool = False) -> FileChoice:
    """Return which bodies that are no pages are kept; *of_fields*: fields want files. InputError: no such choice."""
    value = settings["GWC_KEEP_FILES"]
    try:
        return file_choice(value if isinstance(value, str) else " ".join(value), of_fields=of_fields)
    except (TypeError, ValueError):
        raise InputError(
            f"setting GWC_KEEP_FILES is {value!r}; it can be none, targets, all, "
            "or types such as application/pdf image/*"
        ) from None


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser_for(settings: BaseSettings, site: Site) -> BrowserFor:
    """Return which pages of a site go through a browser. Raises InputError: GWC_BROWSER is no such word."""
    return setting_choice(settings, "GWC_BROWSER", BrowserFor) if site.browser is None else site.browser


def browser_path(settings: BaseSettings) -> str:
    """Return where Chromium is; "" for the one that Playwright has."""
    return settings["GWC_BROWSER_PATH"] or next(filter(None, map(shutil.which, BROWSERS)), "")


def check_browser(settings: BaseSettings, site: Site) -> None:
    """Refuse a browser that is missing, or would refuse to start: InputError with the missing part and the remedy."""
    if settings["GWC_BROWSER"] is None or browser_for(settings, site) is BrowserFor.NONE:
        return
    wanted = f"{site.path.name}: its pages are to go through a browser"
    if find_spec("playwright") is None:
        raise InputError(f"{wanted}, which needs Playwright: pip install 'gwc-crawler[browser]'")
    given = settings["GWC_BROWSER_PATH"]
    if given and shutil.which(given) is None:
        raise InputError(f"setting GWC_BROWSER_PATH is {given!r}, and that is no program; name Chromium's, or none")
    if settings.getbool("GWC_BROWSER_SANDBOX") and hasattr(os, "geteuid") and os.geteuid() == 0:
        raise InputError(
            f"{wanted}, and Chromium's sandbox refuses root; crawl as another user, or set GWC_BROWSER_SANDBOX = False "
            "where all pages are trusted"
        )


OF_KEPT = {KeepHtml.NONE: Strip.NONE, KeepHtml.STRIPPED: Strip.ALL}
"""GWC_KEEP_HTML → the pages whose HTML is stripped, if that setting decides it."""


def condenser_of(settings: BaseSettings) -> Condenser:
    """Return the `Condenser`, which strips pages and finds their main text. Raises InputError: no such word."""
    from gwc_crawler.extract.condenser import Condenser
    from gwc_crawler.page.strip import StripOptions  # an HTML parser comes with it

    main = setting_choice(settings, "GWC_MAIN_TEXT", MainText)
    groups = StripOptions.of(settings.getlist("GWC_STRIP_GROUPS"))
    which = OF_KEPT.get(setting_choice(settings, "GWC_KEEP_HTML", KeepHtml))
    return Condenser(which or setting_choice(settings, "GWC_STRIP", Strip), main, groups)


OWN_SINK = "sqlite"
"""The crawl's own database as a sink."""

SINKS_BY_NAME = {
    "mssql": "gwc_crawler.store.server.sink.SqlServerSink",
    "postgres": "gwc_crawler.store.server.sink.PostgresSink",
    "redis": "gwc_crawler.crawl.redis_parts.RedisSink",
}
"""Further sinks that are brought along, loaded where they are asked for."""


@dataclass(frozen=True, slots=True)
class ChosenSinks:
    """The sinks of GWC_SINK: whether the crawl's own database keeps pages and records, and the others by name."""

    own: bool = True
    others: Sequence[tuple[str, SinkFactory]] = ()


def sink_names(settings: BaseSettings) -> list[str]:
    """Return the words of GWC_SINK, each once."""
    return list(dict.fromkeys(name.strip() for name in settings.getlist("GWC_SINK") if name.strip()))


def chosen_sinks(settings: BaseSettings) -> ChosenSinks:
    """Return the sinks of pages and records. Raises InputError: GWC_SINK names none, or one that can't be loaded."""
    known = ", ".join((OWN_SINK, *SINKS_BY_NAME))
    names = sink_names(settings)
    if not names:
        raise InputError(f"setting GWC_SINK is {settings['GWC_SINK']!r}; name a sink: {known}, or a class of yours")
    others = []
    for name in names:
        if name == OWN_SINK:
            continue
        what = f"setting GWC_SINK names {name!r} {where(settings, 'GWC_SINK')}"
        path = SINKS_BY_NAME.get(name, name)
        if "." not in path:
            raise InputError(f"{what}; it can be {known}, or the import path of a class of yours: my_sinks.MySink")
        others.append((name, loaded(path, what)))
    return ChosenSinks(OWN_SINK in names, others)


@dataclass(frozen=True)
class LeaseOptions:
    """Seconds of a URL's lease, and of a queue's (0: none); how many may be lost; how many are taken at once."""

    seconds: float
    queue_seconds: float
    max_lost: int
    batch: int

    @property
    def beat_seconds(self) -> float:
        """How often leases are extended."""
        return min(self.seconds, self.queue_seconds or self.seconds) / 4


def data_directory(settings: BaseSettings) -> Path:
    """Return where all crawls keep what they know."""
    return Path(settings["GWC_DATA_DIR"])


def sites_directory(settings: BaseSettings) -> Path:
    """Return where site files stand, and new ones go."""
    return Path(settings["GWC_SITES_DIR"])


def lease_options(settings: BaseSettings) -> LeaseOptions:
    """Return how URLs are leased."""
    return LeaseOptions(
        settings.getfloat("GWC_LEASE_SECONDS"),
        settings.getfloat("GWC_QUEUE_LEASE"),
        settings.getint("GWC_MAX_LEASES"),
        settings.getint("GWC_LEASE_BATCH"),
    )


def retry_policy(settings: BaseSettings) -> RetryPolicy:
    """Return how often something that failed is tried again, and how long is waited before."""
    settings = of_any_project(settings)
    return RetryPolicy(
        settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0,
        frozenset(map(int, settings.getlist("RETRY_HTTP_CODES"))),
        settings.getfloat("GWC_RETRY_BASE_SECONDS"),
        settings.getfloat("GWC_RETRY_MAX_SECONDS"),
    )


def fleet_name(settings: BaseSettings) -> str:
    """Return the name of the fleet: of the workers that share sites."""
    return str(settings["GWC_FLEET"])


def keeps_exchanges(settings: BaseSettings) -> bool:
    """Say whether every exchange with servers is recorded in WARC files."""
    return bool(settings["GWC_WARC"])


def shows_bar(settings: BaseSettings) -> bool:
    """Say whether a command shows a bar on stderr: always, never, or on a terminal."""
    mode = setting_choice(settings, "GWC_PROGRESS", ShowProgress)
    return mode is ShowProgress.ON or (mode is ShowProgress.AUTO and sys.stderr.isatty())
