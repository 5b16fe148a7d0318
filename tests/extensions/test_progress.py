"""What runs beside a crawl leaves nothing behind, and asks for no log record that nobody sees."""

from __future__ import annotations

import gc
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Request, Response
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from gwc_crawler.extensions.collector import CollectorExtension
from gwc_crawler.extensions.log import UnaskedLogFormatter


def crawler(**settings: Any) -> Any:
    return SimpleNamespace(settings=Settings(settings), signals=SignalManager())


def test_the_collector_keeps_the_crawls_pace_and_gets_its_own_back() -> None:
    gc.unfreeze()  # what a test before left
    before = gc.get_threshold()
    extension = CollectorExtension.from_crawler(crawler(GWC_GC_THRESHOLD=12_345))
    extension.spider_opened()
    try:
        assert gc.get_threshold() == (12_345, *before[1:])
        assert gc.get_freeze_count() > 0
    finally:
        extension.spider_closed()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_what_was_set_aside_before_a_crawl_stays_so() -> None:
    extension = CollectorExtension.from_crawler(crawler(GWC_GC_THRESHOLD=12_345))
    gc.freeze()
    try:
        extension.spider_opened()
        extension.spider_closed()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_threshold_0_leaves_the_collector_alone() -> None:
    with pytest.raises(NotConfigured):
        CollectorExtension.from_crawler(crawler(GWC_GC_THRESHOLD=0))


@pytest.mark.parametrize(
    ("level", "wanted"), [("DEBUG", True), ("INFO", False), (logging.DEBUG, True), ("warning", False)]
)
def test_lines_of_pages_and_items_are_made_for_those_who_read_them(level: Any, wanted: bool) -> None:
    formatter = UnaskedLogFormatter.from_crawler(crawler(LOG_LEVEL=level))
    response = Response("http://a.example/", request=Request("http://a.example/"))
    spider: Any = SimpleNamespace(crawler=crawler(DEFAULT_DROPITEM_LOG_LEVEL="WARNING"))
    assert (formatter.crawled(response.request, response, spider) is not None) == wanted
    assert (formatter.scraped({"a": 1}, response, spider) is not None) == wanted
    quiet = DropItem("no record", log_level="DEBUG")
    assert (formatter.dropped({}, quiet, response, spider) is not None) == wanted
    assert formatter.dropped({}, DropItem("bad"), response, spider) is not None
