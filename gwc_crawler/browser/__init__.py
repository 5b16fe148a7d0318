"""Pages as a browser shows them: their scripts run, while every request goes through the crawl."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.browser.renderer import Asked, Browser, BrowserConfig, Fetch, Got
else:
    __getattr__ = face(__name__)

__all__ = [
    "Asked",
    "Browser",
    "BrowserConfig",
    "Fetch",
    "Got",
]
