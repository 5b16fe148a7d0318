"""Settings → a fetcher of single pages for a person who begins a site: the crawl's client, guard and robots.txt."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from gwc_crawler.learn.propose.fetching import FetchOptions, PageFetcher
from gwc_crawler.network.connections import Connections
from gwc_crawler.network.dns_cache import CrawlNames, DnsCache
from gwc_crawler.network.dns_servers import NameServers
from gwc_crawler.network.guard import read_permissions
from gwc_crawler.wiring.options import lookup_plan, overrides_of

LEAST_PAUSE_SECONDS = 0.2


def page_fetcher(settings: BaseSettings, named: Iterable[str]) -> PageFetcher:
    """Return a fetcher for sites with *named* addresses of a person: those may be in a private network.

    To be made inside a running event loop, and closed there: its look-ups are its own.

    Raises:
        InputError: a setting can't be read.
    """
    allowed = settings["GWC_ALLOW_PRIVATE"]
    texts = ["all"] if allowed is True else [] if not allowed else settings.getlist("GWC_ALLOW_PRIVATE")
    guard = read_permissions(map(str, texts))
    guard = replace(guard, hosts=guard.hosts | {urlsplit(url).hostname or "" for url in named})
    usual = FetchOptions(settings["USER_AGENT"], settings.getbool("ROBOTSTXT_OBEY"))
    options = replace(
        usual,
        pause_seconds=max(settings.getfloat("DOWNLOAD_DELAY"), LEAST_PAUSE_SECONDS),
        timeout_seconds=min(settings.getfloat("DOWNLOAD_TIMEOUT") or usual.timeout_seconds, usual.timeout_seconds),
        max_bytes=min(settings.getint("DOWNLOAD_MAXSIZE") or usual.max_bytes, usual.max_bytes),
    )
    plan = lookup_plan(settings)
    names = CrawlNames(
        DnsCache(NameServers(plan.servers, plan.timeout_seconds), plan.options), guard, overrides_of(settings)
    )
    verifies = settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES", True)
    return PageFetcher(Connections(names, tls=_checked if verifies else _unchecked), options)


def _checked() -> ssl.SSLContext:
    return ssl.create_default_context()


def _unchecked() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
