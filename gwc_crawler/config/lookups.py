"""Settings and a site file → how names are looked up, and which addresses are refused.

All crawls of a process share one `DnsCache`; what a site file says of names and addresses holds for its own crawl.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from gwc_crawler import settings as ours
from gwc_crawler.dns import (
    Ask,
    CrawlNames,
    DnsAnswer,
    DnsCache,
    DnsOptions,
    Guard,
    NameServers,
    ServerAddress,
    read_overrides,
    read_permissions,
    read_server,
)
from gwc_crawler.errors import InputError, NameServerError
from gwc_crawler.sites import Site
from gwc_crawler.store.state import NAMES_DB, NameFile

RESOLVER = ours.TWISTED_DNS_RESOLVER
"""TWISTED_DNS_RESOLVER where names are looked up by the cache; another one is a user's own, and is asked instead."""


@dataclass(frozen=True, slots=True)
class LookupPlan:
    """What the settings say of names. `memory`: the file that outlives the process, None where there is none."""

    servers: tuple[ServerAddress, ...]
    timeout_seconds: float
    options: DnsOptions
    memory: Path | None
    is_own: bool


def lookup_plan(settings: BaseSettings) -> LookupPlan:
    """Read GWC_DNS_* and Scrapy's DNS_TIMEOUT, DNSCACHE_ENABLED, DNSCACHE_SIZE.

    Raises:
        InputError: a name server is none.
    """
    is_own = uses_own_resolver(settings)
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


def uses_own_resolver(settings: BaseSettings) -> bool:
    """Say whether names are looked up by the cache, not by a resolver of the user's own."""
    if (settings.getpriority("DNS_RESOLVER") or 0) > (settings.getpriority("TWISTED_DNS_RESOLVER") or 0):
        return False  # deprecated in Scrapy, and asked by it in this order
    return bool(settings["TWISTED_DNS_RESOLVER"] == RESOLVER)


def _number(settings: BaseSettings, name: str) -> float:
    return settings.getfloat(name, getattr(ours, name))


def dns_cache(settings: BaseSettings) -> DnsCache:
    """Return the cache that the settings describe: the same one for all that describe it so."""
    return _cache(lookup_plan(settings))


@lru_cache(maxsize=16)
def _cache(plan: LookupPlan) -> DnsCache:
    ask: Ask = NameServers(plan.servers, plan.timeout_seconds) if plan.is_own else _ask_reactor
    memory = NameFile(plan.memory, plan.options.stale_seconds) if plan.memory is not None else None
    return DnsCache(ask, plan.options, memory)


def crawl_names(settings: BaseSettings, site: Site | None = None) -> CrawlNames:
    """Return what a crawl sees of the names; without *site*, of a spider of the user's own, nothing is refused.

    Raises:
        InputError: a setting can't be read.
    """
    return CrawlNames(dns_cache(settings), None if site is None else guard_of(settings, site), overrides_of(settings))


def overrides_of(settings: BaseSettings) -> Mapping[str, tuple[str, ...]]:
    """Return the hosts that GWC_DNS_HOSTS, or the site file's [dns], gives addresses.

    Raises:
        InputError: it is no table of addresses.
    """
    try:
        return read_overrides(settings.getdict("GWC_DNS_HOSTS"))
    except (ValueError, TypeError) as error:
        raise InputError(f"setting GWC_DNS_HOSTS: {error}") from error


def guard_of(settings: BaseSettings, site: Site) -> Guard:
    """Return what a site's crawl may connect to: the Internet, the hosts of its file, GWC_ALLOW_PRIVATE.

    Raises:
        InputError: GWC_ALLOW_PRIVATE can't be read.
    """
    allowed = settings["GWC_ALLOW_PRIVATE"]
    texts = ["all"] if allowed is True else [] if not allowed else settings.getlist("GWC_ALLOW_PRIVATE")
    permitted = read_permissions(map(str, texts))
    sitemaps = site.sitemap if isinstance(site.sitemap, tuple) else ()
    login = site.access.login
    asked = (*site.entry, *sitemaps, *([login.url] if login else ()))
    urls = (*asked, *(sample.url for sample in site.samples))
    written = {_host(url) for url in urls} | {_host(f"//{host}") for host in site.hosts}
    domains = tuple(_host(f"//{host}") for host in site.hosts)
    return replace(permitted, hosts=permitted.hosts | written, domains=domains)


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


# --- a resolver of the user's own -------------------------------------------------------------------------------------


async def _ask_reactor(name: str) -> DnsAnswer:
    """Ask the resolver that is installed on the reactor."""
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
        """Nothing to prepare."""

    def addressResolved(self, address: Any) -> None:
        self.addresses.append(address.host)

    def resolutionComplete(self) -> None:
        if not self.complete.done():
            self.complete.set_result(self.addresses)
