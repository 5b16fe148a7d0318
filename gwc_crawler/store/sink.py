"""The store's promise: visits go in, all of a batch or nothing; writing a page again replaces what it left before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gwc_crawler.items import Visit


class Sink(Protocol):
    """Where pages, links, records and exceptions end up."""

    def write(self, visits: Sequence[Visit]) -> None:
        """Store a batch in one transaction; upserts by URL, so that a repeated batch changes nothing."""

    def close(self) -> None:
        """Let go of the store."""
