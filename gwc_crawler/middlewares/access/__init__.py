"""Downloader middlewares that let a crawl in where its site file says how: headers, cookies, a login, proxies."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.middlewares.access.login import LoggedOut, session_of
    from gwc_crawler.middlewares.access.not_asked import NotAsked
    from gwc_crawler.middlewares.access.proxies import says_nothing_of_host
else:
    __getattr__ = face(__name__)

__all__ = ["LoggedOut", "NotAsked", "says_nothing_of_host", "session_of"]
