"""For a person who begins a site: a proposal of its site file, by the crawl's client, guard and robots.txt."""

from __future__ import annotations

import asyncio
import os
import ssl
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from scrapy.robotstxt import ProtegoRobotParser
from scrapy.settings import BaseSettings

from gwc_crawler.errors import InputError, unwritten
from gwc_crawler.learn.propose.fetching import FetchOptions, PageFetcher
from gwc_crawler.learn.propose.site import Proposal, propose_site
from gwc_crawler.network.connections import Connections
from gwc_crawler.network.dns_cache import CrawlNames, DnsCache
from gwc_crawler.network.dns_servers import NameServers
from gwc_crawler.wiring.options import lookup_plan, overrides_of, permissions_of

LEAST_PAUSE_SECONDS = 0.2


def proposed(
    settings: BaseSettings, url: str, second: str = "", tell: Callable[[str], None] = lambda text: None
) -> Proposal:
    """Look at the site at *url* and propose a site file; raises as `propose_site`, InputError for a wrong setting."""

    async def search() -> Proposal:
        fetcher = page_fetcher(settings, [url, second] if second else [url])
        try:
            return await propose_site(url, fetcher, second, tell)
        finally:
            await fetcher.close()

    return asyncio.run(search())


def write_site_file(path: Path, text: str, *, force: bool = False) -> None:
    """Write the file whole or not at all, into a directory that is made when missing.

    Raises InputError: it has come to exist meanwhile; StoreError: it can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        beside = Path(name)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(number)
            beside.chmod(0o644)
            if force:
                beside.replace(path)
            else:
                path.hardlink_to(beside)
        finally:
            beside.unlink(missing_ok=True)
    except FileExistsError as error:
        raise InputError(f"{path} exists already and stays as it is; choose another name: --name NAME") from error
    except OSError as error:
        raise unwritten(path, error, "mend the directory (GWC_SITES_DIR)") from error


def page_fetcher(settings: BaseSettings, named: Iterable[str]) -> PageFetcher:
    """Return a fetcher for sites with *named* addresses of a person, which may be in a private network.

    To be made and closed inside a running event loop: its look-ups are its own. Raises InputError: a wrong setting.
    """
    guard = permissions_of(settings)
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
    connections = Connections(names, tls=ssl.create_default_context if verifies else ssl._create_unverified_context)
    return PageFetcher(connections, options, lambda text: ProtegoRobotParser(text, None))
