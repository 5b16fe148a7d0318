"""A crawl's state in the table `sites` of its file: R while it runs, then C, E, U where it can go on (T-Spider, URCE).

The workbench calls both; a pre-crawl, whose file is another, has no state.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from gwc_crawler.errors import StoreError
from gwc_crawler.items import UrlState
from gwc_crawler.store.sites import mark_sites

if TYPE_CHECKING:
    from gwc_crawler.spiders.workbench import Workbench

logger = logging.getLogger(__name__)


def mark_begin(bench: Workbench) -> None:
    """Say that the crawl runs.

    Raises:
        StoreError: its file can't be written.
    """
    bench.has_state = True
    _mark(bench, UrlState.RUNNING)


def mark_end(bench: Workbench) -> None:
    """Say how the crawl ended: C; E; U where it can go on, R where other workers go on."""
    if not bench.has_state or isinstance(bench.fatal, StoreError):
        return
    try:
        counts = bench.frontier.counts()
        if bench.fatal is not None:
            state = UrlState.ERROR
        elif counts.finished:
            state = UrlState.COMPLETE
        else:
            state = UrlState.RUNNING if counts.running > bench.under_way() else UrlState.WAITING
        _mark(bench, state)
    except StoreError as error:
        logger.warning("the site's state could not be written site=%s error=%s", bench.site.name, error)


def _mark(bench: Workbench, state: UrlState) -> None:
    mark_sites(bench.database, bench.site.name, bench.site.sites, bench.site.entry, state, time.time())
