"""The SQLite store of a crawl whose frontier is elsewhere: `urls.state` says C for every page that is stored.

Many workers write to one file in turns. What waits, runs or failed is known by the shared frontier alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gwc_crawler.items import PageKind, Visit
from gwc_crawler.store.sqlite.sink import SqliteSink


class SharedSqliteSink(SqliteSink):
    """A `SqliteSink` that marks stored pages itself, because no frontier does it in this file."""

    def write(self, visits: Sequence[Visit]) -> None:
        """Store a batch, and mark its pages complete."""
        with self._database.transaction():
            super().write(visits)
            urls = [(visit.page.url, visit.page.kind, visit) for visit in visits]
            urls += [(v.lease.url, PageKind.REDIRECT, v) for v in visits if v.lease.url != v.page.url]
            ids = self._urls.ids([url for url, _, _ in urls])
            self._database.connection.executemany(
                "UPDATE urls SET state = 'C', kind = ?, weight = ?, depth = ?, attempts = ?, reason = NULL, "
                "added_at = coalesce(added_at, ?), done_at = ? WHERE id = ?",
                [
                    (kind.value, v.weight, v.lease.depth, v.lease.attempt, v.fetched_at, v.fetched_at, number)
                    for number, (_, kind, v) in zip(ids, urls, strict=True)
                ],
            )

    def write_counts(self, counts: Mapping[str, int]) -> None:
        """Leave the shared frontier's figures (U, R, C, E) in the file, for the summary."""
        with self._database.transaction():
            self._database.connection.executemany(
                "INSERT OR REPLACE INTO frontier_values (name, value) VALUES (?, ?)", list(counts.items())
            )
