"""Pages as a browser shows them: their scripts run, while every request goes through the crawl."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.browser.renderer import Browser, BrowserConfig, Fetch, Got, ScriptRequest
else:
    __getattr__ = face(__name__)

__all__ = [
    "Browser",
    "BrowserConfig",
    "Fetch",
    "Got",
    "ScriptRequest",
]
