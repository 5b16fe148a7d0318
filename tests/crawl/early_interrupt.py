"""An extension that interrupts its own process at one of Scrapy's signals, and keeps the others waiting a moment."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

HELD_SECONDS = 0.3
"""How long the signal's other listeners wait: by then the interrupt has been heard."""


class InterruptAt:
    """`INTERRUPT_AT` names the signal."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls()
        crawler.signals.connect(extension.interrupt, getattr(signals, crawler.settings["INTERRUPT_AT"]))
        return extension

    async def interrupt(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(HELD_SECONDS)
