"""One page after the other, politely, for people who look at a site before a crawl.

The crawl's own client and guard, robots.txt obeyed, a pause between two requests to one host, redirects followed within
bounds. Plain asyncio, so that a command and a web page can use it alike."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from gwc_crawler.errors import GwcError, SiteError, WireError
from gwc_crawler.learn.degrees import VERY_MANY
from gwc_crawler.network.connections import Connections
from gwc_crawler.network.politeness.robots import MAX_ROBOTS_BYTES, Parse, Robots, origin_of, robots_text
from gwc_crawler.network.wire import Answer, Origin, codings_of, decode, request_message
from gwc_crawler.urls import normalize_url

MAX_REDIRECTS = 6
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How pages are asked for."""

    agent: str
    obeys_robots: bool = True
    pause_seconds: float = 0.5
    timeout_seconds: float = 30.0
    max_bytes: int = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched page; `url` is the address after redirects."""

    url: str
    body: bytes
    content_type: str


MOST_PAUSE_SECONDS = 10.0
"""No person waits longer between two pages, whatever a Crawl-delay says; then the page is not fetched."""


class PageFetcher:
    """Fetches pages while a person waits; `get` may be called from several tasks."""

    def __init__(self, connections: Connections, options: FetchOptions, parse: Parse) -> None:
        self._connections = connections
        self._options = options
        self._agent = options.agent.encode("latin-1", errors="replace")
        self._robots = Robots(parse, options.agent)
        self._free_at: dict[str, float] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._kept: dict[str, Fetched] = {}

    async def close(self) -> None:
        """End all connections."""
        await self._connections.close()

    async def get(self, url: str) -> Fetched:
        """Return the page at *url*, redirects followed; SiteError: refused, forbidden, an error, no HTML."""
        address = normalize_url(url)
        if address is None:
            raise SiteError(f"{url!r} is no http or https address")
        if address in self._kept:
            return self._kept[address]
        asked = address
        for _ in range(MAX_REDIRECTS + 1):
            await self._check_robots(address)
            answer = await self._ask(address, self._options.max_bytes)
            target = _target(address, answer)
            if target is None:
                return self._keep(asked, address, answer)
            address = target
        raise SiteError(f"{url}: more than {MAX_REDIRECTS} redirects")

    def _keep(self, asked: str, url: str, answer: Answer) -> Fetched:
        if answer.status != 200:
            raise SiteError(f"{url}: the server says HTTP {answer.status}; check the address in a browser")
        kind = _header(answer, b"content-type")
        try:
            body = decode(answer.body, codings_of(_headers(answer, b"content-encoding")), self._options.max_bytes).body
        except WireError as error:
            raise SiteError(f"{url}: {error}") from error
        page = Fetched(url, body, kind)
        while len(self._kept) >= VERY_MANY:
            del self._kept[next(iter(self._kept))]
        self._kept[asked] = self._kept[url] = page
        return page

    async def _check_robots(self, url: str) -> None:
        if not self._options.obeys_robots:
            return
        origin = origin_of(url)
        if self._robots.known(origin) is None:
            self._robots.learn(origin, await self._robots_text(origin))
        if self._robots.forbids(url):
            line = self._robots.line_against(url)
            raise SiteError(f"{url}: forbidden by robots.txt{f' ({line})' if line else ''}; choose another page")

    async def _robots_text(self, origin: str) -> bytes:
        url = f"{origin}/robots.txt"
        for _ in range(MAX_REDIRECTS):
            answer = await self._ask(url, 0, enough=2 * MAX_ROBOTS_BYTES, encoding="identity")
            if answer.status >= 500 or answer.status in (408, 429):
                raise SiteError(f"{url}: the server says HTTP {answer.status}; try again later")
            if 200 <= answer.status < 300:
                return robots_text(answer.body)
            target = _target(url, answer)
            if target is None:
                return b""
            url = target
        return b""

    async def _ask(self, url: str, max_bytes: int, *, enough: int = 0, encoding: str = "gzip, deflate, br") -> Answer:
        parts = urlsplit(url)
        host = parts.hostname or ""
        headers = [
            (b"Host", parts.netloc.lower().removesuffix(f":{PORTS[parts.scheme]}").encode("ascii")),
            (b"User-Agent", self._agent),
            (b"Accept", b"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            (b"Accept-Language", b"en"),
            (b"Accept-Encoding", encoding.encode("ascii")),
        ]
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        origin = Origin(host, parts.port or PORTS[parts.scheme], parts.scheme == "https")
        async with self._turns.setdefault(host, asyncio.Lock()):
            await self._pause(host, url)
            try:
                async with asyncio.timeout(self._options.timeout_seconds):
                    message = request_message("GET", target, headers)
                    return await self._connections.ask(origin, message, max_body_bytes=max_bytes, enough_bytes=enough)
            except TimeoutError as error:
                seconds = f"{self._options.timeout_seconds:g} seconds"
                raise SiteError(f"{url}: no answer within {seconds}; try again later") from error
            except ConnectionRefusedError as error:
                raise SiteError(f"{url}: the server refuses the connection; check the address in a browser") from error
            except (GwcError, OSError, ValueError) as error:
                cut = f"the connection breaks off ({type(error).__name__}); check whether it is http or https"
                raise SiteError(f"{url}: {str(error) or cut}") from error
            finally:
                self._free_at[host] = time.monotonic()

    async def _pause(self, host: str, url: str) -> None:
        known = self._robots.known(origin_of(url))
        asked_for = known.rules.crawl_delay(self._options.agent) if known is not None else None
        pause = max(self._options.pause_seconds, min(asked_for or 0.0, MOST_PAUSE_SECONDS))
        if host in self._free_at and (rest := self._free_at[host] + pause - time.monotonic()) > 0:
            await asyncio.sleep(rest)


def _target(url: str, answer: Answer) -> str | None:
    """Return the address that an answer redirects to; None: to none."""
    location = _header(answer, b"location") if answer.status in REDIRECTS else ""
    return normalize_url(urljoin(url, location)) if location else None


def _headers(answer: Answer, name: bytes) -> list[bytes]:
    return [value for key, value in answer.headers if key.lower() == name]


def _header(answer: Answer, name: bytes) -> str:
    found = _headers(answer, name)
    return found[-1].decode("latin-1") if found else ""
