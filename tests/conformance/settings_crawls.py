"""Crawls a small shop once for each case of `settings`, in one process; prints what happened as JSON.

`python -m tests.conformance.settings_crawls`, in an empty directory. The shop is learned once. Its robots.txt
forbids one page, another fails the first time, a third redirects to a fourth.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from gwc_crawler.demo.serving import PageServer, Request, ServedReply
from gwc_crawler.errors import GwcError
from gwc_crawler.items import META_SENT
from gwc_crawler.runs.site_run import SiteRun
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import load_site
from gwc_crawler.spiders.loader import spider_for
from gwc_crawler.spiders.precrawl import precrawl_for
from tests.conformance.settings_given import DELAY_SECONDS, Given, Result
from tests.conformance.settings_parts import CALLS
from tests.conformance.settings_table import TABLE
from tests.shop_site import SAMPLES, shop
from tests.site_server import SiteServer

PROJECT = {
    "DOWNLOAD_DELAY": DELAY_SECONDS,
    "DOWNLOAD_DELAY_JITTER": 0,
    "GWC_RETRY_BASE_SECONDS": 0.02,
    "GWC_COMMIT_SECONDS": 0.2,
    "GWC_PROGRESS": "off",
    "LOG_LEVEL": "INFO",
}
ENVIRONMENT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


class Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """See logging."""
        self.lines.append(record.getMessage())


class Crawls:
    """The shop, the proxy, and one crawl after the other."""

    def __init__(self, process: AsyncCrawlerProcess, server: SiteServer, proxy: PageServer) -> None:
        self.process = process
        self.server = server
        self.proxy = proxy
        Path("shop.toml").write_text(f'entry = ["{server.url}/"]\n' + SAMPLES.format(url=server.url), encoding="utf-8")
        self.site = load_site("shop.toml")
        self.number = 0

    async def learn(self) -> None:
        """Learn the shop."""
        run = SiteRun(self.process, self.site, self.settings(Given()))
        done = asyncio.get_running_loop().create_future()
        run.precrawl(lambda: done.set_result(None))
        await done
        run.learn()
        shutil.move("data/shop/knowledge.json", "knowledge.json")

    def settings(self, given: Given) -> Settings:
        """What the process of such a crawl would have."""
        settings = Settings()
        settings.setmodule("settings_profiles.local", "project")
        settings.setdict({**PROJECT, "GWC_DATA_DIR": "data", **given.profile}, "project")
        settings.setdict(given.line, "cmdline")
        return settings

    async def crawl(self, given: Given) -> Result:
        """Crawl as the case says."""
        self.number += 1
        home = Path.cwd()
        (home / str(self.number)).mkdir()
        os.chdir(home / str(self.number))
        places = {"url": self.server.url, "proxy": self.proxy.url}
        os.environ.update({name: value.format_map(places) for name, value in given.environment.items()})
        lines = Lines()
        logging.getLogger().addHandler(lines)
        try:
            if given.twice:
                await self._crawl(given)
                shutil.rmtree("data")
            result = await self._crawl(given)
            result.log = lines.lines
            files = [path for path in Path().iterdir() if path.is_file()]
            result.files = {path.name: len(path.read_bytes().splitlines()) for path in files}
            return result
        finally:
            logging.getLogger().removeHandler(lines)
            for name in ENVIRONMENT:
                os.environ.pop(name, None)
            os.chdir(home)

    async def _crawl(self, given: Given) -> Result:
        result = Result()
        directory = Path("data/shop")
        directory.mkdir(parents=True)
        shutil.copy("../knowledge.json", directory)
        serve(self.server)
        self.server.clear()
        self.proxy.clear()
        CALLS.clear()
        places = {"netloc": self.server.url.removeprefix("http://")}
        texts = {name: value.format_map(places) for name, value in given.file.items() if isinstance(value, str)}
        site = replace(self.site, settings={**given.file, **texts})
        crawler: Crawler | None = None
        try:
            settings = self.process.settings = self.settings(given)
            run = SiteRun(self.process, site, settings)
            crawler = Crawler(precrawl_for(site) if given.precrawl else spider_for(site), settings)
            note = noted(result, crawler, self.server.url)
            crawler.signals.connect(note, signals.request_reached_downloader, weak=False)
            await self.process.crawl(crawler)
            fatal = crawler.spider.control.fatal  # type: ignore[union-attr]
            result.error = str(fatal or "")
            result.stats = {name: str(value) for name, value in crawler.stats.get_stats().items()}
            result.extensions = [type(one).__name__ for one in crawler.extensions.middlewares]
            self._look(result, site, run.directory / ("samples.db" if given.precrawl else "crawl.db"))
        except GwcError as error:
            result.refused = str(error) if error.exit_code == 2 else ""
            result.error = str(error)
        except Exception as error:  # noqa: BLE001  # a traceback for the user; the table shows it
            result.error = f"{type(error).__name__}: {error}"
        self._count(result)
        return result

    def _count(self, result: Result) -> None:
        requests = [*self.server.log, *self.proxy.log]
        result.asked = [request.target.removeprefix(self.server.url) for request in requests]
        names = {name for request in requests for name in request.headers}
        pages = [request for request in requests if not request.target.endswith("/robots.txt")]
        result.headers = {name: sorted({one.headers.get(name, "-") for one in pages}) for name in names}
        result.most_at_once = self.server.max_concurrent
        result.calls = dict(CALLS)
        result.proxied = sum(self.proxy.hits.values())

    def _look(self, result: Result, site: Site, database: Path) -> None:
        with closing(sqlite3.connect(database)) as connection:

            def rows(query: str) -> list[Any]:
                return connection.execute(query).fetchall()

            prefix = self.server.url
            result.states = {url.removeprefix(prefix): state for url, state in rows("SELECT url, state FROM urls")}
            result.pages = sorted(url.removeprefix(prefix) for (url,) in rows("SELECT url FROM pages"))
            tables = {name for (name,) in rows("SELECT name FROM sqlite_master")}
            if (table := f"records_{site.name}") in tables:
                result.records = rows(f'SELECT count(*) FROM "{table}"')[0][0]  # noqa: S608  # our own name


def noted(result: Result, crawler: Crawler, url: str) -> Callable[[Any], None]:
    """Note when Requests go out: the moment that the limiter keeps its gaps from, which no busy machine shifts."""

    def note(request: Any) -> None:
        if request.url.startswith(url) and not request.url.endswith("/robots.txt"):
            limiter: Any = crawler.engine.downloader.limiter  # type: ignore[attr-defined]
            result.sent.append(
                limiter._host(limiter.key_of(request.url)).sent_at if META_SENT in request.meta else -1.0
            )

    return note


def serve(server: SiteServer) -> None:
    """Make the shop what every case begins with."""
    shop(server)
    server.links["/"] = [*server.links["/"][:-1], "/item/15", "/item/16"]
    server.links["/item/1"] = ["/", "/more/1"]
    server.links["/more/1"], server.links["/more/2"] = ["/more/2"], []
    server.bodies["/robots.txt"] = b"User-agent: *\nDisallow: /item/13\n", "text/plain"
    server.statuses = {"/item/5": [503, 200], "/item/15": 302, "/item/16": 404}
    server.headers = {"/item/15": {"Location": "/item/3"}, "/item/6": {"Set-Cookie": "basket=full"}}


def through(request: Request, server: SiteServer) -> ServedReply:
    """Answer as a proxy."""
    return server._reply(request._replace(target=request.target.removeprefix(server.url)))


async def crawl_all(process: AsyncCrawlerProcess) -> dict[str, Any]:
    """Crawl for all cases."""
    results = {}
    server = SiteServer()
    with server, PageServer(lambda request: through(request, server)) as proxy:
        crawls = Crawls(process, server, proxy)
        serve(server)
        await crawls.learn()
        for case in TABLE:
            results[case.name] = asdict(await crawls.crawl(case.by))
    return results


def main() -> None:
    """Run all crawls in one reactor."""
    for name in ENVIRONMENT:
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)
    settings = Settings({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
    process = AsyncCrawlerProcess(settings)
    from twisted.internet import reactor

    task = asyncio.get_event_loop().create_task(crawl_all(process))
    task.add_done_callback(lambda _: reactor.stop())  # type: ignore[attr-defined]
    process.start(stop_after_crawl=False)
    print(json.dumps(task.result()))


if __name__ == "__main__":
    main()
