"""The link graph as it is stored: pages, links by number, and what redirects stand for; also while a crawl writes."""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass

from gwc_crawler.store.sqlite import CrawlDatabase
from gwc_crawler.urls import url_key

BATCH = 50_000
"""Rows of a read; between two of them, nothing is held."""


@dataclass(frozen=True, slots=True)
class GraphRow:
    """One URL of the graph. `kind` is "" where it was never fetched."""

    number: int
    url: str
    kind: str
    state: str
    title: str


def read_graph_pages(database: CrawlDatabase, *, known: bool = False) -> list[GraphRow]:
    """Return the stored pages in the order in which they were found.

    Args:
        known: also the URLs that are only known: the ends of links that were not followed, and those that wait.
    """
    found: list[GraphRow] = []
    last = -1
    join = "LEFT JOIN" if known else "JOIN"
    query = (
        "SELECT u.id, u.url, coalesce(p.kind, ''), coalesce(u.state, ''), coalesce(p.title, '') "  # noqa: S608  # constant
        f"FROM urls AS u {join} pages AS p ON p.id = u.id "
        "WHERE u.id > ? AND (p.kind IS NULL OR p.kind NOT IN ('redirect', 'sitemap')) ORDER BY u.id LIMIT ?"
    )
    while True:
        with database.errors():
            rows = database.connection.execute(query, (last, BATCH)).fetchall()
        if not rows:
            return found
        last = rows[-1][0]
        found += [GraphRow(*row) for row in rows]


def has_more_links(database: CrawlDatabase, most: int) -> bool:
    """Whether there are more than *most* links, or stored pages. Cost: O(most)."""
    counts = " + ".join(
        f"((SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT :most + 1)) > :most)"  # noqa: S608  # constants
        for table in ("link_ids", "pages")
    )
    with database.errors():
        return bool(database.connection.execute(f"SELECT {counts}", {"most": most}).fetchone()[0])


def read_graph_links(database: CrawlDatabase) -> tuple[array[int], array[int], bytearray]:
    """Return all links: numbers of their pages, of their ends, and whether they are pruned (1).

    Memory: 17 bytes a link.
    """
    sources, ends, pruned = array("q"), array("q"), bytearray()
    last = (-1, -1)
    query = "SELECT src, dst, pruned FROM link_ids WHERE (src, dst) > (?, ?) ORDER BY src, dst LIMIT ?"
    while True:
        with database.errors():
            rows = database.connection.execute(query, (*last, BATCH)).fetchall()
        if not rows:
            return sources, ends, pruned
        last = rows[-1][:2]
        some = tuple(zip(*rows, strict=True))
        sources.extend(some[0])
        ends.extend(some[1])
        pruned.extend(some[2])


def read_redirects(database: CrawlDatabase) -> dict[int, int]:
    """Return which page a redirected URL led to: its number → the page's."""
    with database.errors():
        pages = {
            url_key(requested): number
            for number, requested in database.connection.execute(
                "SELECT id, requested FROM pages WHERE requested IS NOT NULL"
            )
        }
        rows = database.connection.execute(
            "SELECT md5, id FROM urls WHERE md5 IN (SELECT value FROM json_each(?))", (json.dumps(list(pages)),)
        ).fetchall()
    return {number: pages[key] for key, number in rows}
