"""The downloader middleware that obeys robots.txt: it fetches unknown files, and waits for those that can't be had.

`network.politeness.robots` judges URLs, for admission, too: so most forbidden URLs never become a Request.
"""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from typing import TYPE_CHECKING, cast
from urllib.parse import urljoin, urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred

from gwc_crawler.crawl.silent_hosts import RobotsUnreachable
from gwc_crawler.downloader.politeness import limiter_of
from gwc_crawler.downloader.resolver import names_of
from gwc_crawler.errors import NameServerError, NoAddressError, StoreError, WireError, advice
from gwc_crawler.items import META_ENOUGH, META_LEASE, META_WITHIN, Lease, context_of, end_crawl
from gwc_crawler.middlewares.headers import NotAsked
from gwc_crawler.network.guard import is_public
from gwc_crawler.network.politeness.retry import wait_asked_for
from gwc_crawler.network.politeness.robots import (
    FORBIDDEN,
    MAX_ROBOTS_BYTES,
    NOT_HAD,
    Kept,
    Robots,
    Rules,
    origin_of,
    robots_text,
)
from gwc_crawler.urls import KEPT_HOSTS, host_of, normalize_url
from gwc_crawler.wiring.access import through_proxy
from gwc_crawler.wiring.blame import raised_by
from gwc_crawler.wiring.components import VALUES
from gwc_crawler.wiring.options import retry_policy
from gwc_crawler.wiring.own_settings import of_any_project

if TYPE_CHECKING:
    from gwc_crawler.crawl.leases import Leases

logger = logging.getLogger(__name__)

AddressesOf = Callable[[str], Awaitable[Sequence[str]]]
"""Host name or address → its addresses; raises if there are none."""


async def inward_address(source: str, target: str, addresses_of: AddressesOf) -> str | None:
    """Return the private address that a redirect from a public host leads to, if any; raises as *addresses_of*."""
    if source == target:
        return None
    inward = [address for address in await addresses_of(target) if not is_public(address)]
    if not inward:
        return None
    sources = await addresses_of(source)
    return None if sources and not any(map(is_public, sources)) else inward[0]


async def literal_address(host: str) -> Sequence[str]:
    """Return *host* if it is an address itself; behind a proxy a name tells nothing about its address."""
    try:
        ip_address(host)
    except ValueError:
        return []
    return [host]


MAX_REDIRECTS = 5
"""Redirects of a robots.txt that are followed; with more there is none (RFC 9309, §2.3.1.2)."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})

NOT_NOW = frozenset({408, 429})
"""A 4xx means that there are no rules (§2.3.1.3); these are temporary, like a 5xx (§2.3.1.4)."""

LATER = NOT_NOW | {502, 503, 504}
"""Statuses that may go away soon; they are retried later than those that report a fault."""

OLD_RULES_SECONDS = 3_600.0
"""Seconds that rules older than a day stay valid while new ones can't be had; then they are asked for again."""


class _NotHad(Exception):
    """Why one try brought no robots.txt. `passing`: it may go away; `status`: what the host answered, 0: nothing."""

    def __init__(self, why: str, *, passing: bool = True, status: int = 0, retry_after: float | None = None) -> None:
        super().__init__(why)
        self.passing = passing
        self.status = status
        self.retry_after = retry_after or 0.0


@dataclass(slots=True)
class _Trouble:
    """The failures of a host whose robots.txt can't be had; times: epoch seconds."""

    since: float
    tries: int = 0
    ask_at: float = 0.0
    text: str = ""
    answered: bool = False
    over: bool = False
    cause: BaseException | None = None


class PatientRobotsMiddleware(RobotsTxtMiddleware):
    """Obeys robots.txt; an unreachable one (no answer, 5xx, 429) means "not now", not "everything is allowed".

    Scrapy takes a failed robots.txt for permission and logs a traceback. Here the URLs of the host wait: while it says
    "later", up to GWC_ROBOTS_PATIENCE_SECONDS; with other errors, for RETRY_TIMES more tries. Rules hold for a day, and
    old ones go on while newer ones can't be had (§2.4).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        context = context_of(crawler.spider)
        self._leases: Leases | None = None if context is None else context.leases
        own = Robots(self._parse, self._robotstxt_useragent or self._default_useragent)
        self._robots: Robots = (None if self._leases is None else self._leases.robots) or own
        self._robots.parse = self._parse
        self._asked: dict[str, list[Deferred[None]]] = {}
        """Origin whose robots.txt is being fetched → the turns that wait for it."""
        self._troubles: dict[str, _Trouble] = {}
        self._slowed: set[str] = set()
        self._tries = settings.getint("RETRY_TIMES") + 1
        self._pauses = retry_policy(settings)
        self._patience_seconds = of_any_project(settings).getfloat("GWC_ROBOTS_PATIENCE_SECONDS")

    @cached_property
    def _passing(self) -> tuple[type[BaseException], ...]:
        """RETRY_EXCEPTIONS, loaded at the first error: one of them imports a download handler that is not used."""
        return tuple(load_object(name) for name in self.crawler.settings.getlist("RETRY_EXCEPTIONS"))

    def _parse(self, text: bytes) -> Rules:
        return cast("Rules", build_from_crawler(self._parserimpl, self.crawler, text))

    def process_request(self, request: Request) -> Awaitable[None] | None:  # type: ignore[override]
        """Let pass what is allowed; ask first where nothing is known. Raises IgnoreRequest: it is forbidden."""
        url, meta = request.url, request.meta
        if meta.get("dont_obey_robotstxt") or not url.startswith("http"):
            return None
        kept = self._robots.known(origin_of(url))
        if kept is None or not kept.told:
            return self._ask(request, kept)
        if kept.may_forbid and self._forbids(kept, request):
            if _may_be_old(kept, request):
                return self._ask(request, None)
            self._refuse()
        return None

    def _forbids(self, kept: Kept, request: Request) -> bool:
        if request.headers and not self._robotstxt_useragent:
            own = request.headers.get(b"User-Agent")
            if own is not None and own.decode("latin-1") != self._robots.agent:
                return not kept.rules.allowed(request.url, own)
        return self._robots.forbids(request.url)

    def _refuse(self) -> None:
        self._stats.inc_value("robotstxt/forbidden")
        raise IgnoreRequest(FORBIDDEN)

    async def _ask(self, request: Request, kept: Kept | None) -> None:
        """Get the rules if *kept* is None; inform all who need them; judge the request."""
        if kept is None or (_may_be_old(kept, request) and self._forbids(kept, request)):
            kept = await self._rules_of(origin_of(request.url))
        if not kept.told:
            kept.told = True
            self._obey_crawl_delay(request, kept)
            await self.crawler.signals.send_catch_log_async(
                signal=signals.robots_parsed, robotparser=kept.rules, request=request
            )
        if kept.may_forbid and self._forbids(kept, request):
            self._refuse()

    async def _rules_of(self, origin: str) -> Kept:
        """Fetch the rules of a host, once for all who wait for them. Raises RobotsUnreachable: they can't be had."""
        if (waiting := self._asked.get(origin)) is not None:
            turn: Deferred[None] = Deferred()
            waiting.append(turn)
            await maybe_deferred_to_future(turn)
        else:
            waiting = self._asked[origin] = []
            try:
                await self._read(origin)
            finally:
                del self._asked[origin]
                for turn in waiting:
                    turn.callback(None)
        kept = self._robots.known(origin)
        if kept is None:
            trouble = self._troubles.get(origin) or _Trouble(0.0, text=f"{NOT_HAD}{origin} can't be had")
            retry_at = None if trouble.over else trouble.ask_at
            raise RobotsUnreachable(trouble.text, retry_at, answered=trouble.answered) from trouble.cause
        return kept

    async def _read(self, origin: str) -> None:
        trouble = self._troubles.get(origin)
        if trouble is not None and time.time() < trouble.ask_at:
            return
        try:
            text = await self._fetch(origin)
            _, changed = self._robots.learn(origin, text)
        except _NotHad as error:
            self._note_trouble(origin, error)
            return
        except NotAsked:
            raise
        except Exception as error:  # noqa: BLE001  # of a plug-in, or a parser: nothing is allowed by it
            self._note_trouble(origin, _NotHad(f"{type(error).__name__}: {error}", passing=False))
            return
        self._troubles.pop(origin, None)
        if self._leases is not None:
            try:
                self._leases.rules_read(origin, text)
                if changed:
                    self._leases.rules_changed(origin)
            except StoreError as error:
                end_crawl(self.crawler.spider, error)

    # --- one try --------------------------------------------------------------------------------------------------

    async def _fetch(self, origin: str) -> bytes:
        """Return the text of a robots.txt; b"" if there is none. _NotHad: it can't be known whether there is one."""
        url = f"{origin}/robots.txt"
        for _ in range(MAX_REDIRECTS + 1):
            response, proxied = await self._get(url)
            status = response.status
            if status >= 500 or status in NOT_NOW:
                wait = wait_asked_for(response.headers.getlist(b"Retry-After"), time.time())
                raise _NotHad(f"HTTP {status}", status=status, retry_after=wait)
            if 200 <= status < 300:
                return robots_text(response.body)
            location = response.headers.get(b"Location") if status in REDIRECTS else None
            target = normalize_url(urljoin(url, location.decode("latin-1"))) if location else None
            if target is None:
                return b""
            await self._refuse_inward(url, target, proxied=proxied)
            url = target
        return b""

    async def _get(self, url: str) -> tuple[Response, bool]:
        """Ask once; also says whether it went through a proxy."""
        request = Request(
            url,
            priority=self.DOWNLOAD_PRIORITY,
            headers={"Accept-Encoding": "identity"},  # what is packed can't be cut
            meta={
                "dont_obey_robotstxt": True,
                "dont_redirect": True,
                "download_maxsize": VALUES["DOWNLOAD_MAXSIZE"],  # whatever is allowed for pages
                META_ENOUGH: 2 * MAX_ROBOTS_BYTES,  # it may be in UTF-16
                META_WITHIN: True,
            },
            callback=NO_CALLBACK,
        )
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self.crawler.engine.download_async(request)
        except NotAsked:  # there is no way to the host for now
            raise
        except Exception as error:
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            text = str(error) or type(error).__name__
            if culprit := raised_by(error, self.crawler.settings):
                text = f"{type(error).__name__}: {error}{culprit}"
            else:
                is_tls = isinstance(error.__cause__, ssl.SSLError) or "SSL" in text or "certificate" in text
                text = f"{'TLS failed: ' if is_tls else ''}{text}{through_proxy(request)}"
            raise _NotHad(text, passing=isinstance(error, self._passing)) from error
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        return response, bool(request.meta.get("proxy"))

    async def _refuse_inward(self, url: str, target: str, *, proxied: bool) -> None:
        source, host = urlsplit(url).hostname or "", urlsplit(target).hostname or ""
        try:
            lookup = literal_address if proxied else names_of(self.crawler).addresses_of
            address = await inward_address(source, host, lookup)
        except WireError as error:
            passing = isinstance(error, NameServerError | NoAddressError)
            raise _NotHad(f"it redirects to {target}: {error}", passing=passing) from error
        if address is not None:
            raise _NotHad(f"it redirects to {target}, which is at the private address {address}", passing=False)

    # --- what comes of it -----------------------------------------------------------------------------------------

    def _note_trouble(self, origin: str, error: _NotHad) -> None:
        """Say how long to wait before the next try, and whether the host's URLs wait for it."""
        if self._robots.prolong(origin, OLD_RULES_SECONDS) is not None:
            logger.warning("robots.txt can't be had anew, the old one holds origin=%s error=%s", origin, error)
            return
        now = time.time()
        if len(self._troubles) >= KEPT_HOSTS:
            del self._troubles[next(iter(self._troubles))]
        trouble = self._troubles.setdefault(origin, _Trouble(now))
        trouble.tries += 1
        trouble.answered, trouble.cause = error.status > 0, error.__cause__
        wait = max(self._pauses.wait_seconds(min(trouble.tries, 30)), min(error.retry_after, self._pauses.max_seconds))
        trouble.text = f"{NOT_HAD}{urlsplit(origin).netloc} can't be had: {error}"
        if error.status in LATER:
            trouble.over = now + wait > trouble.since + self._patience_seconds
        else:
            trouble.over = not error.passing or trouble.tries >= self._tries
        trouble.ask_at = now + (self._pauses.max_seconds if trouble.over else wait)
        if not trouble.over:
            logger.warning("%s; its pages wait, it is asked for again after_seconds=%.1f", trouble.text, wait)
            return
        if trouble.tries > 1:
            trouble.text += f" (asked {trouble.tries} times in {now - trouble.since:.0f} s)"
        self._robots.give_up(origin, trouble.text, trouble.ask_at)
        helps = advice("`scrapy queue SITE retry` has them wait again")
        logger.error("%s; its pages are given up, %s", trouble.text, helps)

    def _obey_crawl_delay(self, request: Request, kept: Kept) -> None:
        limiter = limiter_of(self.crawler)
        key = origin_of(request.url)
        seconds = kept.rules.crawl_delay(self._robots.agent) or 0.0
        if limiter is None or not (seconds or key in self._slowed):
            return
        self._slowed.add(key)
        limiter.ask_slowly(limiter.key_of(request.url), seconds)
        logger.info("robots.txt asks for slowness host=%s delay_seconds=%s", host_of(request.url), seconds)


def _may_be_old(kept: Kept, request: Request) -> bool:
    """Tell whether *kept* is of an earlier run, and the request a start: a start is refused only by fresh rules."""
    lease: Lease | None = request.meta.get(META_LEASE)
    return not kept.read_here and lease is not None and not lease.depth
