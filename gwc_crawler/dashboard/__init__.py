"""The dashboard: what `scrapy status` tells, and what commands do, as web pages; `web` is its frame."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.dashboard.app import make_app
    from gwc_crawler.dashboard.serving import serve
else:
    __getattr__ = face(__name__)

__all__ = ["make_app", "serve"]
