"""Downloader middlewares: robots.txt, redirects that keep the lease, queues, politeness; `access`: how one gets in."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.middlewares.access import LoggedOut, NotAsked
    from gwc_crawler.middlewares.exchanges import listen
    from gwc_crawler.middlewares.redirects import PageGone, RedirectElsewhere
    from gwc_crawler.middlewares.robots import RobotsUnreachable
else:
    __getattr__ = face(__name__)

__all__ = [
    "LoggedOut",
    "NotAsked",
    "PageGone",
    "RedirectElsewhere",
    "RobotsUnreachable",
    "listen",
]
