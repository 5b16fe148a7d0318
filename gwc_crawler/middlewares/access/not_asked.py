"""What ends a Request that never reached its host: no URL pays for it."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest


class NotAsked(IgnoreRequest):
    """The host was not asked, because the crawl has no way in: its URL waits again."""
