"""The frontier in the crawl's own file: for one process, the default."""

from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.frontier.sqlite.precrawl import Direction, PrecrawlFrontier
from gwc_crawler.frontier.sqlite.revisits import RevisitMirror, count_due, read_revisits
from gwc_crawler.frontier.sqlite.stats import (
    Past,
    Tally,
    numbers_matching,
    paused_hosts,
    read_past,
    resting,
    state_counts,
    tally,
    tally_in_steps,
    waiting_sample,
    workers,
)
