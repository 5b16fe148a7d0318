"""The names of one crawl in Scrapy's downloader: where a Request may go, and how those that look up hosts get to know.

`HostDownloader` asks `Destinations` of each Request, after all middlewares: so none of them, and no redirect, gets
round it. Connections of our own handler are looked up and checked by `names_of`; those of Scrapy's handlers by the
resolver on the reactor, which finds in `LOOKING` for whom it is asked.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.httpobj import urlparse_cached

from gwc_crawler.errors import AddressRefusedError
from gwc_crawler.network.dns_cache import CrawlNames
from gwc_crawler.wiring.options import crawl_names

SCHEMES = frozenset({"http", "https"})


class AddressRefused(IgnoreRequest):
    """The Request leads where this crawl may not go: an error of the page, not of its host."""


@dataclass(slots=True)
class Looking:
    """For whom a resolver is asked; `refused` says, afterwards, what it had to refuse."""

    names: CrawlNames
    refused: AddressRefusedError | None = None


LOOKING: ContextVar[Looking | None] = ContextVar("LOOKING", default=None)
"""Set while a handler is at work, in its task and in all that it starts."""


class Destinations:
    """Looks where Requests of a crawl lead.

    Args:
        guarded: whether the crawl is one of ours; a spider of the user's own goes where it likes.
    """

    def __init__(self, names: CrawlNames, *, guarded: bool) -> None:
        self.names = names
        self._guarded = guarded

    def enter(self, request: Request) -> Looking | None:
        """Let a Request pass, and have resolvers know for whom they are asked; None: they need not.

        Raises:
            AddressRefused: it may not go there.
        """
        if not self._guarded:
            return None
        url = urlparse_cached(request)
        if url.scheme not in SCHEMES:
            raise AddressRefused(f"{url.scheme}: is not fetched, only http and https are")
        if request.meta.get("proxy"):
            self._check_behind_proxy(url.hostname or "")
            LOOKING.set(None)  # the proxy is where a person has said it is
            return None
        looking = Looking(self.names)
        LOOKING.set(looking)
        return looking

    def _check_behind_proxy(self, host: str) -> None:
        try:
            self.names.check_unresolved(host)
        except AddressRefusedError as error:
            raise AddressRefused(str(error)) from error


def names_of(crawler: Crawler) -> CrawlNames:
    """Return the names of a crawler whose engine is made."""
    downloader = getattr(getattr(crawler, "engine", None), "downloader", None)
    destinations: Destinations | None = getattr(downloader, "destinations", None)
    return crawl_names(crawler.settings) if destinations is None else destinations.names
