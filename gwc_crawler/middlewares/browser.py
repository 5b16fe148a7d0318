"""Render pages whose plain HTML shows too little in a browser (`browser` in a site file, GWC_BROWSER).

Requests of a page's scripts go through the crawl, too: robots.txt, limits, refused addresses, the archive.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response

from gwc_crawler.errors import RenderError
from gwc_crawler.items import META_LEASE, META_WITHIN
from gwc_crawler.modes import BrowserFor
from gwc_crawler.page.reader import is_html
from gwc_crawler.sites.schema import site_of_spider
from gwc_crawler.wiring.options import browser_for, browser_path

logger = logging.getLogger(__name__)


LOADED = frozenset({"script", "xhr", "fetch"})
"""Resource types that a page may request, in Playwright's words."""

MAX_REQUESTS = 100
"""Maximum number of requests of a page."""

QUIET_SECONDS = 0.2
"""Seconds without a new request or an awaited answer after which a page is taken for done."""

NOWHERE = "http://127.0.0.1:1"
"""Address of a proxy that does not exist."""

ARGUMENTS = ("--proxy-bypass-list=<-loopback>", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp")
"""Arguments for Chromium: this machine's own addresses go through the proxy, too, and no connection around it."""

CLOSE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Got:
    """The answer to a request of a page's script."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


Fetch: TypeAlias = Callable[[Any], Awaitable[Got | None]]
"""Answers Playwright's Request of a page's script; None: it can't, or must not, be had. One at a time for a page."""


class Browser:
    """One Chromium, started when it is first needed and again when it has died.

    Args:
        executable: path of Chromium; "" for the one that Playwright has installed.
        sandbox: whether pages run in Chromium's sandbox, which refuses root.
        pages, seconds, max_bytes: the most at once; the longest wait for one, and its greatest size (0: any).
        user_agent: the agent that scripts see.
    """

    def __init__(
        self, executable: str, *, sandbox: bool, pages: int, seconds: float, max_bytes: int, user_agent: str | None
    ) -> None:
        self._executable = executable
        self._sandbox = sandbox
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._user_agent = user_agent
        self._places = asyncio.Semaphore(pages)
        self._starting = asyncio.Lock()
        self._playwright: Any = None
        self._browser: Any = None

    async def render(self, url: str, html: bytes, content_type: str, fetch: Fetch) -> str:
        """Return the HTML after the page's scripts have run. Raises RenderError: no browser, too late, or too large."""
        from playwright.async_api import Error  # an extra: only where pages are rendered

        async with self._places:
            try:
                async with asyncio.timeout(self._seconds):
                    shown = await self._shown(_Showing(url, html, content_type, fetch))
            except TimeoutError as error:
                raise RenderError(f"{url} was not rendered in {self._seconds:g} s (GWC_BROWSER_SECONDS)") from error
            except Error as error:
                told = next(filter(str.strip, str(error).splitlines()), type(error).__name__)
                raise RenderError(f"{url} could not be rendered: {told}") from error
        if self._max_bytes and len(shown) > self._max_bytes:
            raise RenderError(f"{url}: {len(shown)} characters once rendered, more than DOWNLOAD_MAXSIZE allows")
        return shown

    async def close(self) -> None:
        """End the browser."""
        browser, playwright = self._browser, self._playwright
        self._browser = self._playwright = None
        for end in (browser and browser.close, playwright and playwright.stop):
            if end:
                with suppress(Exception):  # it is gone, or does not answer: its process ends with ours
                    await asyncio.wait_for(end(), CLOSE_SECONDS)

    async def _shown(self, showing: _Showing) -> str:
        context = await (await self._started()).new_context(
            user_agent=self._user_agent, accept_downloads=False, service_workers="block"
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
                from playwright.async_api import async_playwright

                await self.close()
                self._playwright = playwright = await async_playwright().start()
                self._browser = await playwright.chromium.launch(
                    executable_path=self._executable or None,
                    chromium_sandbox=self._sandbox,
                    proxy={"server": NOWHERE},
                    args=list(ARGUMENTS),
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                )
            return self._browser


class _Showing:
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
            self._requests += 1
            self._waiting += 1
            try:
                async with self._in_turn:
                    got = await self._fetch(request)
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


RENDERED = "rendered=browser"
"""Added to the Content-Type of a page that went through the browser, also in the store: it is not rendered twice."""

PASSED_ON = ("accept", "content-type", "referer", "origin", "authorization")
"""Headers of scripts that are sent; besides those that begin with x-. User-Agent and Cookie are the crawl's own."""

OF_THE_BODY = frozenset({"content-encoding", "content-length", "transfer-encoding", "content-security-policy"})
"""Headers of answers that do not apply to the body that the browser gets."""


class BrowserMiddleware:
    """Renders the pages that the spider wants rendered."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BrowserMiddleware:
        site = site_of_spider(crawler.spider)
        pages = BrowserFor.NONE if site is None else browser_for(crawler.settings, site)
        if pages is BrowserFor.NONE:
            raise NotConfigured
        made = cls(crawler, all_pages=pages is BrowserFor.ALL)
        crawler.signals.connect(made._browser.close, signals.spider_closed)
        return made

    def __init__(self, crawler: Crawler, *, all_pages: bool) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self._spider: Any = crawler.spider
        self._all_pages = all_pages
        self._browser = Browser(
            browser_path(settings),
            sandbox=settings.getbool("GWC_BROWSER_SANDBOX"),
            pages=settings.getint("GWC_BROWSER_PAGES"),
            seconds=settings.getfloat("GWC_BROWSER_SECONDS"),
            max_bytes=settings.getint("DOWNLOAD_MAXSIZE"),
            user_agent=settings["USER_AGENT"],
        )
        self._scripts: dict[str, Got] = {}

    def process_response(self, request: Request, response: Response) -> Any:
        content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
        if (
            response.status != 200
            or META_LEASE not in request.meta
            or RENDERED in content_type
            or not (self._all_pages or self._spider.renders(response.url))
            or not is_html(response.body, content_type)
        ):
            return response
        return self._rendered(request, response, content_type)

    async def _rendered(self, request: Request, response: Response, content_type: str) -> Response:
        try:
            html = await self._browser.render(
                response.url, response.body, content_type or "text/html", partial(self._fetch, request)
            )
        except RenderError as error:
            raise DownloadFailedError(str(error)) from error
        self.crawler.stats.inc_value("gwc/browser/pages")
        headers = response.headers.copy()
        headers[b"Content-Type"] = f"text/html; charset=utf-8; {RENDERED}".encode()
        return HtmlResponse(
            response.url,
            status=response.status,
            headers=headers,
            body=html.encode("utf-8", "replace"),
            encoding="utf-8",
            flags=response.flags,
            request=request,
            certificate=response.certificate,
            ip_address=response.ip_address,
            protocol=response.protocol,
        )

    async def _fetch(self, page: Request, asked: Any) -> Got | None:
        """Fetch a script's request within the turn of its page; scripts that many pages share are fetched once."""
        if (known := self._scripts.get(asked.url)) is not None and asked.method == "GET":
            return known
        headers = {name: value for name, value in asked.headers.items() if name in PASSED_ON or name.startswith("x-")}
        try:
            request = Request(
                asked.url,
                method=asked.method,
                headers=headers,
                body=asked.post_data_buffer or b"",
                meta={META_WITHIN: True, "handle_httpstatus_all": True},
                dont_filter=True,
            )
            response = await self.crawler.engine.download_async(request)
        except IgnoreRequest as error:
            logger.debug("not fetched for a script url=%s page=%s reason=%s", asked.url, page.url, error)
            return None
        except Exception as error:  # the page goes on without it
            logger.debug("fetch for a script failed url=%s page=%s", asked.url, page.url, exc_info=error)
            return None
        self.crawler.stats.inc_value("gwc/browser/requests")
        named = {str(name): str(value) for name, value in response.headers.to_unicode_dict().items()}
        got = Got(
            response.status,
            {name.lower(): value for name, value in named.items() if name.lower() not in OF_THE_BODY},
            response.body,
        )
        if asked.method == "GET" and response.status == 200 and "javascript" in named.get("Content-Type", ""):
            if len(self._scripts) >= KEPT_SCRIPTS:
                self._scripts.pop(next(iter(self._scripts)))
            self._scripts[asked.url] = got
        return got


KEPT_SCRIPTS = 64
"""Scripts that are kept for the next pages."""
