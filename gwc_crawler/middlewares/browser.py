"""Pages of which plain HTML shows too little go through a browser (`browser` in a site file, GWC_BROWSER).

In: a page as it came, whole and unpacked. Out: the page as it is when its scripts have run. The page was fetched like
any other; what its scripts ask for goes through the crawl, too: robots.txt, limits, refused addresses, the archive.
"""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response

from gwc_crawler.browser import Browser, BrowserConfig, Got, ScriptRequest
from gwc_crawler.config import browser_for, browser_path
from gwc_crawler.errors import RenderError
from gwc_crawler.modes import BrowserFor
from gwc_crawler.page import is_html
from gwc_crawler.request_meta import META_LEASE, META_WITHIN

logger = logging.getLogger(__name__)

RENDERED = "rendered=browser"
"""In the Content-Type of a page that went through the browser, also as it is stored: it is not rendered twice."""

PASSED_ON = ("accept", "content-type", "referer", "origin", "authorization")
"""Headers of scripts that are sent; besides those that begin with x-. User-Agent and Cookie are the crawl's own."""

OF_THE_BODY = frozenset({"content-encoding", "content-length", "transfer-encoding", "content-security-policy"})
"""Headers of answers that are not true of what the browser gets."""


class BrowserMiddleware:
    """Renders the pages that the spider wants rendered."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BrowserMiddleware:
        site = getattr(crawler.spider, "site", None)
        if site is None or browser_for(crawler.settings, site) is BrowserFor.NONE:
            raise NotConfigured
        made = cls(crawler)
        crawler.signals.connect(made.close, signals.spider_closed)
        return made

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self._spider: Any = crawler.spider
        self._browser = Browser(
            BrowserConfig(
                executable=browser_path(settings),
                sandbox=settings.getbool("GWC_BROWSER_SANDBOX"),
                pages=settings.getint("GWC_BROWSER_PAGES"),
                seconds=settings.getfloat("GWC_BROWSER_SECONDS"),
                max_bytes=settings.getint("DOWNLOAD_MAXSIZE"),
                user_agent=settings["USER_AGENT"],
            )
        )
        self._scripts: dict[str, Got] = {}

    def process_response(self, request: Request, response: Response) -> Any:
        """Return the response, or its page as a browser shows it."""
        content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
        if (
            response.status != 200
            or META_LEASE not in request.meta
            or RENDERED in content_type
            or not self._spider.renders(response.url)
            or not is_html(response.body, content_type)
        ):
            return response
        return self._rendered(request, response, content_type)

    async def _rendered(self, request: Request, response: Response, content_type: str) -> Response:
        async def fetch(asked: ScriptRequest) -> Got | None:
            return await self._fetch(asked, request)

        try:
            html = await self._browser.render(response.url, response.body, content_type or "text/html", fetch)
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

    async def _fetch(self, asked: ScriptRequest, page: Request) -> Got | None:
        """Fetch what a script asks for, within the turn of its page; scripts that many pages have, once."""
        if (known := self._scripts.get(asked.url)) is not None and asked.method == "GET":
            return known
        headers = {name: value for name, value in asked.headers.items() if name in PASSED_ON or name.startswith("x-")}
        try:
            request = Request(
                asked.url,
                method=asked.method,
                headers=headers,
                body=asked.body,
                meta={META_WITHIN: True, "handle_httpstatus_all": True},
                dont_filter=True,
            )
            response = await self.crawler.engine.download_async(request)
        except IgnoreRequest as error:
            logger.debug("not fetched for a script url=%s page=%s reason=%s", asked.url, page.url, error)
            return None
        except Exception as error:  # a script's request that fails is the page's own matter
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

    async def close(self) -> None:
        """End the browser with the spider."""
        await self._browser.close()


KEPT_SCRIPTS = 64
"""So many scripts are kept for the next pages."""
