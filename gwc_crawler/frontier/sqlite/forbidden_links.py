"""The links that robots.txt keeps out of a frontier in a file.

A link that was refused is a number, a weight and a depth: when its host's rules change, or a person says so, it enters
the frontier after all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from gwc_crawler.frontier.protocol import AdmissionCheck
from gwc_crawler.items import Link
from gwc_crawler.politeness.robots import FORBIDDEN
from gwc_crawler.store import CrawlDatabase

SCHEMA = """
-- Links that were refused because robots.txt forbids them, with the weight and depth they would have had.
CREATE TABLE IF NOT EXISTS refused_links (url_id INTEGER PRIMARY KEY, weight INTEGER NOT NULL, depth INTEGER NOT NULL);
"""


class ForbiddenLinks:
    """The links that robots.txt keeps out of one frontier; called inside its transactions."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._urls = database.urls
        self._sql = database.connection
        database.create_tables(SCHEMA)

    def note_of(self, admission: AdmissionCheck) -> None:
        """Write down what *admission* keeps out; the least weight of several counts."""
        if links := list(admission.forbidden):
            ids = self._urls.ids([link.url for link in links])
            self._note([(number, link.weight, link.depth) for number, link in zip(ids, links, strict=True)])
            admission.forbidden.clear()

    def _note(self, ways: Sequence[tuple[int, int, int]]) -> None:
        self._sql.executemany(
            "INSERT INTO refused_links VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
            "weight = min(weight, excluded.weight), depth = min(depth, excluded.depth)",
            ways,
        )

    def take_in(self, numbers: list[int], reason: str, *, at_most: int) -> list[int]:
        """Make links of leased URLs that are refused for such a *reason*, as if the rules had been known when they were
        found; returns the others: starts, which somebody has to be told of, what was fetched before, and where there
        are more than *at_most*, all, since some led to others.
        """
        if reason != FORBIDDEN or len(numbers) > at_most:
            return numbers
        ways = self._sql.execute(
            "SELECT id, weight, depth FROM urls WHERE id IN (SELECT value FROM json_each(?)) "
            "AND depth > 0 AND kind IS NULL",
            (json.dumps(numbers),),
        ).fetchall()
        self._note(ways)
        self._sql.executemany(
            "UPDATE urls SET state = NULL, reason = NULL, attempts = max(attempts - 1, 0), lease_owner = NULL, "
            "lease_until = NULL WHERE id = ?",
            [way[:1] for way in ways],
        )
        taken = {way[0] for way in ways}
        return [number for number in numbers if number not in taken]

    def count(self, pattern: str) -> int:
        """How many match a shell pattern."""
        row = self._sql.execute(
            "SELECT count(*) FROM refused_links JOIN urls ON id = url_id WHERE url GLOB ?", (pattern,)
        ).fetchone()
        return int(row[0])

    def take(self, pattern: str, forbids: Callable[[str], bool] | None = None) -> list[Link]:
        """Take out those that match a shell pattern and that *forbids* does not name."""
        rows = self._sql.execute(
            "SELECT url_id, url, refused_links.weight, refused_links.depth FROM refused_links JOIN urls ON id = url_id "
            "WHERE url GLOB ? ORDER BY url_id",
            (pattern,),
        ).fetchall()
        chosen = [row for row in rows if forbids is None or not forbids(row[1])]
        self._sql.executemany("DELETE FROM refused_links WHERE url_id = ?", [(row[0],) for row in chosen])
        return [Link(url, weight, depth) for _, url, weight, depth in chosen]
