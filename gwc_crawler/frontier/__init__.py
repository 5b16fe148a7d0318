"""Which URL next, and which are done: a queue that loses nothing (U → R → C or E).

Admitted links come in with the weight of their page; leases go out, the least weight first. `Frontier` is the
promise; `SqliteFrontier` keeps it in one file for one process, `RedisFrontier` on a server for any number of workers.
The Scrapy scheduler over it is `gwc_crawler.frontier.scheduler`. `Md5Tree` and `bkdr_hash` serve other crawlers, too.
"""

from typing import TYPE_CHECKING, Any

from gwc_crawler.frontier.bkdr import bkdr_hash
from gwc_crawler.frontier.hosts import HostLimiter, HostLimits, Limiter
from gwc_crawler.frontier.md5tree import Md5Tree
from gwc_crawler.frontier.protocol import Frontier, FrontierCounts, UrlInfo
from gwc_crawler.frontier.queues import queue_policy
from gwc_crawler.frontier.revisits import Intervals, Recrawl, recrawl_choice
from gwc_crawler.frontier.sqlite import SqliteFrontier
from gwc_crawler.frontier.weights import improved_weight, is_followed, page_weight

if TYPE_CHECKING:
    from gwc_crawler.frontier.fleet import Fleet
    from gwc_crawler.frontier.patience import PatientFrontier
    from gwc_crawler.frontier.redis import RedisFrontier

__all__ = [
    "Fleet",
    "Frontier",
    "FrontierCounts",
    "HostLimiter",
    "HostLimits",
    "Intervals",
    "Limiter",
    "Md5Tree",
    "PatientFrontier",
    "Recrawl",
    "RedisFrontier",
    "SqliteFrontier",
    "UrlInfo",
    "bkdr_hash",
    "improved_weight",
    "is_followed",
    "page_weight",
    "queue_policy",
    "recrawl_choice",
]


def __getattr__(name: str) -> Any:
    """Import the parts over Redis when they are asked for: an embedded crawl starts a tenth of a second sooner."""
    if name == "Fleet":
        from gwc_crawler.frontier.fleet import Fleet

        return Fleet
    if name == "RedisFrontier":
        from gwc_crawler.frontier.redis import RedisFrontier

        return RedisFrontier
    if name == "PatientFrontier":
        from gwc_crawler.frontier.patience import PatientFrontier

        return PatientFrontier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
