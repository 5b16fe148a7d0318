"""The crawl's own rows in the table `sites`: R while it runs, then C, E, or U where it can go on (T-Spider, URCE).

Other sites that pages link to stand beside them, put there by the sink.
"""

from __future__ import annotations

from collections.abc import Iterable

from gwc_crawler.items import UrlState
from gwc_crawler.store.sqlite import CrawlDatabase
from gwc_crawler.urls import host_of, site_of


def mark_sites(
    database: CrawlDatabase, name: str, scope: Iterable[str], entry: Iterable[str], state: UrlState, now: float
) -> None:
    """Write the *state* of the crawl *name* into the rows of all that is in its *scope* (site identifiers or hosts).

    The tables of the sink have to be there.
    """
    first = {key: url for url in reversed(list(entry)) for key in (site_of(url), host_of(url))}
    hosts = {one: host_of(first[one]) if one in first else one for one in scope}
    rows = [(one, host, name, state.value, first.get(one), now) for one, host in hosts.items()]
    with database.transaction() as connection:
        connection.executemany(
            "INSERT INTO sites (site, host, name, state, first_url, found_at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (site) DO UPDATE SET name = excluded.name, state = excluded.state",
            rows,
        )


def site_state(database: CrawlDatabase, name: str) -> UrlState | None:
    """Return how the crawl *name* ended the last time (R: it runs, or was killed); None if there was none."""
    with database.errors():
        row = database.connection.execute("SELECT state FROM sites WHERE name = ? LIMIT 1", (name,)).fetchone()
    return UrlState(row[0]) if row else None
