"""Which URL next, and which are done: a queue that loses nothing; `sqlite` and `redis` keep its promise."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.frontier.bkdr import bkdr_hash
    from gwc_crawler.frontier.md5tree import Md5Tree
    from gwc_crawler.frontier.order import FIRST_IN_FIRST_OUT
    from gwc_crawler.frontier.protocol import DROPPED, Chosen, Frontier, FrontierCounts, UrlInfo
    from gwc_crawler.frontier.queues import QueuePolicy, RoleQueues, queue_policy
    from gwc_crawler.frontier.weights import improved_weight, is_followed, page_weight
else:
    __getattr__ = face(__name__)

__all__ = [
    "DROPPED",
    "FIRST_IN_FIRST_OUT",
    "Chosen",
    "Frontier",
    "FrontierCounts",
    "Md5Tree",
    "QueuePolicy",
    "RoleQueues",
    "UrlInfo",
    "bkdr_hash",
    "improved_weight",
    "is_followed",
    "page_weight",
    "queue_policy",
]
