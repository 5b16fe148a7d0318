"""Which URL next, and which are done: a queue that loses nothing (U → R → C or E).

Admitted links come in with the weight of their page; leases go out, the least weight first. `Frontier` is the
promise; `SqliteFrontier` keeps it in one file for one process, `RedisFrontier` on a server for any number of workers.
The Scrapy scheduler over it is `gwc_crawler.frontier.scheduler`.
"""

from gwc_crawler.frontier.patience import PatientFrontier
from gwc_crawler.frontier.protocol import Frontier, FrontierCounts, UrlInfo
from gwc_crawler.frontier.redis import RedisFrontier
from gwc_crawler.frontier.sqlite import SqliteFrontier
from gwc_crawler.frontier.weights import improved_weight, is_followed, page_weight

__all__ = [
    "Frontier",
    "FrontierCounts",
    "PatientFrontier",
    "RedisFrontier",
    "SqliteFrontier",
    "UrlInfo",
    "improved_weight",
    "is_followed",
    "page_weight",
]
