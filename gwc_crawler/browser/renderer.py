"""HTML as a server sent it → HTML as it is when its scripts have run, by Chromium, through Playwright.

The browser only renders. The page itself is handed to it, and whatever it asks for besides (scripts, data) is fetched
by the caller and handed to it as well; by itself it reaches nothing: its proxy is a closed port, for every address. So
what holds for a crawl's requests (robots.txt, limits of hosts, refused addresses, the archive) holds for the browser's.
What shows nothing in the HTML is not asked for at all: images, style sheets, fonts, media, frames, sockets, beacons.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gwc_crawler.errors import RenderError

logger = logging.getLogger(__name__)

LOADED = frozenset({"script", "xhr", "fetch"})
"""What a page may ask for, in Playwright's words."""

MAX_REQUESTS = 100
"""So many a page may make."""

QUIET_SECONDS = 0.2
"""A page whose scripts asked for nothing in so long is taken for done, unless an answer is still awaited."""

NOWHERE = "http://127.0.0.1:1"
"""A proxy that nobody listens at."""

ARGUMENTS = ("--proxy-bypass-list=<-loopback>", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp")
"""Of Chromium: this machine's own addresses go through the proxy, too, and nothing goes past it."""

CLOSE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class BrowserConfig:
    """How pages are rendered.

    Attributes:
        executable: path of Chromium; "" for the one that Playwright has installed.
        sandbox: whether pages run in Chromium's sandbox, which refuses root.
        pages: so many at once.
        seconds: so long a page is waited for.
        max_bytes: a rendered page may have so many; 0: any number.
        user_agent: what scripts are told.
    """

    executable: str = ""
    sandbox: bool = True
    pages: int = 4
    seconds: float = 15.0
    max_bytes: int = 0
    user_agent: str | None = None


@dataclass(frozen=True, slots=True)
class ScriptRequest:
    """A request of a page's script."""

    url: str
    method: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False, default=b"")


@dataclass(frozen=True, slots=True)
class Got:
    """Its answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


Fetch: TypeAlias = Callable[[ScriptRequest], Awaitable[Got | None]]
"""Fetches for a page; None: that can't, or must not, be had. Asked for one after the other for each page."""


class Browser:
    """One Chromium, started when it is first needed and again when it has died."""

    def __init__(self, config: BrowserConfig) -> None:
        self._config = config
        self._places = asyncio.Semaphore(config.pages)
        self._starting = asyncio.Lock()
        self._playwright: Any = None
        self._browser: Any = None

    async def render(self, url: str, html: bytes, content_type: str, fetch: Fetch) -> str:
        """Return the HTML that stands there when the page's scripts have run.

        Raises:
            RenderError: the browser can't be started, the page takes too long, or becomes too large.
        """
        from playwright.async_api import Error  # an extra: only where pages are rendered

        async with self._places:
            try:
                async with asyncio.timeout(self._config.seconds):
                    return self._bounded(url, await self._shown(_Showing(url, html, content_type, fetch)))
            except TimeoutError as error:
                raise RenderError(
                    f"{url} was not rendered in {self._config.seconds:g} s (GWC_BROWSER_SECONDS)"
                ) from error
            except Error as error:
                raise RenderError(f"{url} could not be rendered: {_first_line(error)}") from error

    async def close(self) -> None:
        """End the browser."""
        browser, playwright = self._browser, self._playwright
        self._browser = self._playwright = None
        for end in (browser and browser.close, playwright and playwright.stop):
            if end:
                with suppress(Exception):  # it is gone, or does not answer: its process ends with ours
                    await asyncio.wait_for(end(), CLOSE_SECONDS)

    def _bounded(self, url: str, html: str) -> str:
        if self._config.max_bytes and len(html) > self._config.max_bytes:
            raise RenderError(f"{url}: {len(html)} characters once rendered, more than DOWNLOAD_MAXSIZE allows")
        return html

    async def _shown(self, showing: _Showing) -> str:
        context = await (await self._started()).new_context(
            user_agent=self._config.user_agent, accept_downloads=False, service_workers="block"
        )
        try:
            page = await context.new_page()
            await page.route("**/*", showing.answer)
            await page.goto(showing.url, wait_until="domcontentloaded", timeout=0)
            await showing.quiet()
            return str(await page.content())
        finally:
            await self._left(context)

    async def _left(self, context: Any) -> None:
        """Close a page; a browser in which that takes long is given up, for a script keeps it busy."""
        try:
            await asyncio.wait_for(asyncio.shield(context.close()), CLOSE_SECONDS)
        except Exception:  # noqa: BLE001  # whatever it is, the browser is of no use any more
            logger.warning("the browser does not answer, another one is started")
            await self.close()

    async def _started(self) -> Any:
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                await self.close()
                await self._start()
            return self._browser

    async def _start(self) -> None:
        from playwright.async_api import async_playwright

        config = self._config
        self._playwright = playwright = await async_playwright().start()
        chromium = playwright.chromium
        self._browser = await chromium.launch(
            executable_path=config.executable or None,
            chromium_sandbox=config.sandbox,
            proxy={"server": NOWHERE},
            args=list(ARGUMENTS),
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )


class _Showing:
    """One page in the browser."""

    def __init__(self, url: str, html: bytes, content_type: str, fetch: Fetch) -> None:
        self.url = url
        self._html = html
        self._content_type = content_type
        self._fetch = fetch
        self._in_turn = asyncio.Lock()
        self._requests = 0
        self._waiting = 0
        self._last = 0.0
        self._is_shown = False

    async def answer(self, route: Any) -> None:
        """Answer a request of the page."""
        request = route.request
        if not self._is_shown and request.is_navigation_request():
            self._is_shown = True
            await route.fulfill(status=200, headers={"content-type": self._content_type}, body=self._html)
        elif request.resource_type not in LOADED or self._requests >= MAX_REQUESTS:
            await route.abort("aborted")
        else:
            await self._answer_script(route, request)

    async def _answer_script(self, route: Any, request: Any) -> None:
        self._requests += 1
        self._waiting += 1
        try:
            async with self._in_turn:
                asked = ScriptRequest(request.url, request.method, request.headers, request.post_data_buffer or b"")
                got = await self._fetch(asked)
            if got is None:
                await route.abort("failed")
            else:
                await route.fulfill(status=got.status, headers=dict(got.headers), body=got.body)
        finally:
            self._waiting -= 1
            self._last = asyncio.get_running_loop().time()

    async def quiet(self) -> None:
        """Wait until nothing more is asked for."""
        now = asyncio.get_running_loop().time
        self._last = max(self._last, now())
        while self._waiting or now() - self._last < QUIET_SECONDS:
            await asyncio.sleep(QUIET_SECONDS / 4)


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
