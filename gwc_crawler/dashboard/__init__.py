"""The dashboard: what `scrapy status` tells, and what commands do, as web pages; `web` is its frame."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.dashboard.serving import make_app, serve
else:
    __getattr__ = face(__name__)
