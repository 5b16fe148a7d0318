"""The frontier in the crawl's own file: for one process, the default."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
    from gwc_crawler.frontier.sqlite.glance import (
        numbers_matching,
        resting,
        state_counts,
        tally_in_steps,
        waiting_sample,
    )
    from gwc_crawler.frontier.sqlite.listing import only_url
    from gwc_crawler.frontier.sqlite.precrawl import Direction, PrecrawlFrontier
    from gwc_crawler.frontier.sqlite.revisits import RevisitMirror, count_due, read_revisits
    from gwc_crawler.frontier.sqlite.states import UrlStates
    from gwc_crawler.frontier.sqlite.stats import Past, Tally, paused_hosts, read_past, tally, workers
else:
    __getattr__ = face(__name__)

__all__ = [
    "Direction",
    "Past",
    "PrecrawlFrontier",
    "RevisitMirror",
    "SqliteFrontier",
    "Tally",
    "UrlStates",
    "count_due",
    "numbers_matching",
    "only_url",
    "paused_hosts",
    "read_past",
    "read_revisits",
    "resting",
    "state_counts",
    "tally",
    "tally_in_steps",
    "waiting_sample",
    "workers",
]
