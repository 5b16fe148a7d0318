"""Callbacks of every kind are served in our spiders as with Scrapy alone: our own parts keep all its promises."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests import started
from tests.conftest import ROOT
from tests.site_server import SiteServer

SCRAPYS_WAYS: dict[str, Any] = {
    "DOWNLOADER": "scrapy.core.downloader.Downloader",
    "DOWNLOADER_MIDDLEWARES": {"gwc_crawler.middlewares.politeness.PolitenessMiddleware": None},
    "DOWNLOAD_HANDLERS": dict.fromkeys(
        ("http", "https"), "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"
    ),
    "EXTENSIONS": {
        "scrapy.extensions.corestats.CoreStats": 0,
        "gwc_crawler.extensions.stats.RunStats": None,
    },
    "ITEM_PROCESSOR": "scrapy.pipelines.ItemPipelineManager",
    "LOG_FORMATTER": "scrapy.logformatter.LogFormatter",
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "SPIDER_MIDDLEWARES": {
        "scrapy.spidermiddlewares.start.StartSpiderMiddleware": 25,
        "gwc_crawler.middlewares.start.StartMark": None,
    },
    "STATS_CLASS": "scrapy.statscollectors.MemoryStatsCollector",
}
HALF_WAYS = {name: SCRAPYS_WAYS[name] for name in ("DOWNLOADER", "DOWNLOADER_MIDDLEWARES", "DOWNLOAD_HANDLERS")}
"""With a downloader that is not ours, which counts no answers, `RunStats` counts them."""

WATCHED = {"SPIDER_MIDDLEWARES": {"tests.crawl.own_spider.Watcher": 500}}
ALWAYS = {
    "ITEM_PIPELINES": {"tests.crawl.own_spider.LaterPipeline": 500},
    "DOWNLOADER_MIDDLEWARES": {"tests.crawl.own_spider.Watcher": 500},
    "GWC_RETRY_BASE_SECONDS": 60.0,
}
"""A robots.txt that can't be had is asked for once, however long the machine takes between the URLs that need it."""


@pytest.mark.parametrize("watched", [False, True])
def test_every_kind_of_callback_is_served_as_with_scrapy_alone(site: SiteServer, watched: bool) -> None:
    paths = ("list", "generator", "coroutine", "asynchronous", "none", "more", "refused", "raising", "within")
    site.links = {f"/{path}": [] for path in (*paths, "broken")}
    site.statuses["/moved"], site.headers["/moved"] = 302, {"Location": "/more?moved"}
    site.cut.add("/broken")
    more = WATCHED if watched else {}
    theirs, half, ours = (run(site, merged(ALWAYS, more, ways)) for ways in (SCRAPYS_WAYS, HALF_WAYS, {}))
    assert ours == theirs
    assert half == theirs
    assert ours["stats"]["item_dropped_reasons_count/DropItem"] == 1
    assert ('item {"later": true, "mended": "broken"}' in ours["events"]) is watched
    assert f"response_received {site.url}/more?within" in ours["events"]
    for error, path in (
        ("IgnoreRequest", "/refused"),
        ("CancelledError", "/cancelled"),
        ("RobotsUnreachable", "http://127.0.0.1:1/nobody"),
    ):
        assert f'item {{"failed": "{error}", "later": true, "path": "{path}"}}' in ours["events"]


def merged(*settings: dict[str, Any]) -> dict[str, Any]:
    """Settings one over the other; components are added to each other."""
    result: dict[str, Any] = {}
    for one in settings:
        for name, value in one.items():
            both = isinstance(value, dict) and name in result
            result[name] = {**result[name], **value} if both else value
    return result


def run(site: SiteServer, settings: dict[str, Any]) -> dict[str, Any]:
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "settings_profiles.local"}
    done = started.run("tests.crawl.own_spider", site.url, json.dumps(settings), cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result
