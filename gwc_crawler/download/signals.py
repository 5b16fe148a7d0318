"""Scrapy's signals, sent only where somebody listens.

A page sends eight signals, and mostly nobody has asked for any but one. Scrapy finds that out by walking through four
lists with generators, and for an asynchronous signal it waits for a turn of the loop besides.
"""

from __future__ import annotations

from typing import Any

from pydispatch import dispatcher
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.signalmanager import SignalManager

ANY = id(dispatcher.Any)


class HeardSignals(SignalManager):
    """Makes nothing of a signal that has no receiver; all others go Scrapy's way."""

    def send_catch_log(self, signal: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """See Scrapy's `SignalManager.send_catch_log`."""
        if not may_be_heard(kwargs.get("sender", self.sender), signal):
            return []
        return super().send_catch_log(signal, **kwargs)

    async def send_catch_log_async(self, signal: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """See Scrapy's `SignalManager.send_catch_log_async`."""
        if not may_be_heard(kwargs.get("sender", self.sender), signal):
            return []
        return await super().send_catch_log_async(signal, **kwargs)


class SignalsOnDemand:
    """The extension that lets the crawler's signals go the short way."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SignalsOnDemand:
        if type(crawler.signals) is not SignalManager:
            raise NotConfigured  # somebody has put in their own
        crawler.signals.__class__ = HeardSignals
        return cls()


def may_be_heard(sender: Any, signal: Any) -> bool:
    """Say whether *signal* from *sender* has a receiver, or had one that is gone and not yet forgotten."""
    for key in (id(sender), ANY):
        signals = dispatcher.connections.get(key)
        if signals and (signals.get(signal) or signals.get(dispatcher.Any)):
            return True
    return False
