"""A sink that keeps nothing: what a crawl costs that follows links and stores no page."""

from __future__ import annotations

from collections.abc import Sequence

from gwc_crawler.items import Visit
from gwc_crawler.store.sink import SinkConfig


class NothingSink:
    """Takes batches and lets them go; `GWC_SINK=benchmarks.peers.nothing.NothingSink`."""

    def __init__(self, config: SinkConfig) -> None:
        """Need nothing of *config*."""

    def write(self, visits: Sequence[Visit]) -> None:
        """Be done."""

    def close(self) -> None:
        """Have nothing to close."""
