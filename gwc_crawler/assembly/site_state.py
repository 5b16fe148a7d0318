"""A crawl's state in the table `sites` of its file: R while it runs, then C, E, U where it can go on (T-Spider, URCE).

The context calls both; a pre-crawl, whose file is another, has no state.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from gwc_crawler.errors import SilentHostError, StoreError
from gwc_crawler.items import UrlState
from gwc_crawler.store.state import mark_sites, site_state

if TYPE_CHECKING:
    from gwc_crawler.assembly.context import CrawlContext

logger = logging.getLogger(__name__)


def mark_begin(context: CrawlContext) -> None:
    """Say that the crawl runs.

    Raises:
        StoreError: its file can't be written.
    """
    context.has_state = True
    context.was_complete = site_state(context.database, context.site.name) is UrlState.COMPLETE
    _mark(context, UrlState.RUNNING)


def mark_end(context: CrawlContext) -> None:
    """Say how the crawl ended: C; E; U where it can go on, R where other workers go on."""
    if not context.has_state or isinstance(context.fatal, StoreError):
        return
    try:
        counts = context.frontier.counts()
        if context.fatal is not None and not isinstance(context.fatal, SilentHostError):
            state = UrlState.ERROR
        elif counts.finished:
            state = UrlState.COMPLETE
        else:
            state = UrlState.RUNNING if counts.running > context.under_way() else UrlState.WAITING
        _mark(context, state)
    except StoreError as error:
        logger.warning("the site's state could not be written site=%s error=%s", context.site.name, error)


def _mark(context: CrawlContext, state: UrlState) -> None:
    mark_sites(context.database, context.site.name, context.site.sites, context.site.entry, state, time.time())
