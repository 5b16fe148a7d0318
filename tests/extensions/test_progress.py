"""What runs beside a crawl leaves nothing behind, and asks for no log record that nobody sees."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from gwc_crawler.extensions.stats import CollectorExtension


def crawler(**settings: Any) -> Any:
    return SimpleNamespace(settings=Settings(settings), signals=SignalManager())


@pytest.fixture(autouse=True)
def set_aside_again() -> Iterator[None]:
    """As `tests/conftest.py` leaves it: the collector does not walk over all tests."""
    yield
    gc.freeze()


def test_the_collector_keeps_the_crawls_pace_and_gets_its_own_back() -> None:
    gc.unfreeze()  # what was set aside before
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
