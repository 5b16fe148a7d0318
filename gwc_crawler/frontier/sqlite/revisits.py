"""Data kept in the crawl's file of fetched pages for the next look: which are due, or stand in for a canonical address
that gives no page.

`SqliteFrontier` writes a row in the step that ends a lease, and asks here which pages a recrawl lets wait again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any

from gwc_crawler.frontier.admission import LIMIT
from gwc_crawler.frontier.protocol import DROPPED
from gwc_crawler.frontier.recrawl import Intervals, Recrawl
from gwc_crawler.frontier.sqlite.queue_state import QueueState
from gwc_crawler.items import PageKind, Revisit, UrlState
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.urls import url_key

_COLUMNS = (
    "signature, relevant, interval_seconds, checked_at, changed_at, due_at, checks, changes, gone_at, etag, "
    "last_modified"
)
_READ_COLUMNS = ", ".join(f"r.{name}" for name in _COLUMNS.split(", "))

_WAS_FETCHED = "(u.state = 'C' OR (u.state = 'E' AND r.id IS NOT NULL AND u.reason IS NOT :dropped))"

_CONDITIONS = {
    Recrawl.DUE: f"{_WAS_FETCHED} AND (coalesce(r.due_at, u.done_at + :start) <= :now "
    f"OR ((u.depth = 0 OR u.kind = '{PageKind.SITEMAP}') AND coalesce(r.checked_at, u.done_at) + :least <= :now))",
    Recrawl.ALL: f"{_WAS_FETCHED} AND u.done_at < :before",
    Recrawl.ERRORS: "u.state = 'E' AND u.reason <> :dropped AND NOT u.reason GLOB :cut AND u.done_at < :before",
}
"""A page without a row (a redirect, or fetched when nothing was kept) is due a first interval after it was fetched."""


_ROUNDS = {which: f"recrawl_{which.value}_since_ms" for which in (Recrawl.ALL, Recrawl.ERRORS)}
"""Names of the values that hold the time at which an unfinished round began; 0: there is none."""


class RevisitTable:
    """Reads and writes the table of one database; changes need `QueueState.step`."""

    def __init__(self, queue_state: QueueState) -> None:
        self._queue_state = queue_state
        self._sql = queue_state.sql

    def forget(self, numbers: Sequence[int]) -> None:
        """Drop the rows of URLs that have become redirects: the rows are about another page."""
        self._sql.executemany("DELETE FROM revisits WHERE id = ?", [(number,) for number in numbers])

    def asked_for(self, which: Recrawl, limits: Intervals) -> list[int]:
        """Begin a round; return the numbers of the pages that it looks at again. Cost: walks the table of URLs."""
        values = {**_times(limits, self._queue_state.clock()), "before": self._begin_round(which)}
        return [number for (number,) in self._sql.execute(f"SELECT u.id {_from(which)}", values).fetchall()]

    def fetched(self, urls: Collection[str]) -> list[int]:
        """Return the numbers of those of *urls* that were fetched."""
        rows = self._sql.execute(
            "SELECT u.id FROM urls AS u LEFT JOIN revisits AS r ON r.id = u.id "  # noqa: S608  # constants
            f"WHERE u.md5 IN (SELECT value FROM json_each(:keys)) AND {_WAS_FETCHED}",
            {"keys": json.dumps([url_key(url) for url in urls]), "dropped": DROPPED},
        )
        return [number for (number,) in rows.fetchall()]

    def _begin_round(self, which: Recrawl) -> float:
        """Return before when a page must have been fetched to be fetched in this round.

        A round that was broken off, so that something still waits, is gone on with.
        """
        if which is Recrawl.DUE:
            return inf
        values = self._queue_state.values
        begun = values.get(_ROUNDS[which])
        if begun and values.get(UrlState.WAITING, 0) + values.get(UrlState.RUNNING, 0):
            return begun / 1000
        values[_ROUNDS[which]] = int(self._queue_state.clock() * 1000)
        return inf

    def end_rounds(self) -> None:
        """If nothing waits or runs any more, the next recrawl begins a new round."""
        if any(self._queue_state.values.get(name) for name in _ROUNDS.values()):
            with self._queue_state.step():
                values = self._queue_state.values
                if not values.get(UrlState.WAITING, 0) + values.get(UrlState.RUNNING, 0):
                    values.update(dict.fromkeys(_ROUNDS.values(), 0))


class Aliases:
    """The first page to name each canonical address; changes need `QueueState.step`."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._urls = database.urls
        self._sql = database.connection

    def note(self, named: Mapping[int, str]) -> list[int]:
        """Store the canonical addresses that pages (by number) name; return the numbers of these addresses."""
        mains = self._urls.ids(list(named.values()))
        self._sql.executemany("INSERT OR IGNORE INTO aliases VALUES (?, ?)", zip(mains, named, strict=True))
        return mains

    def has_first(self, url: str, main: str) -> bool:
        """Tell whether *url* is the first to name *main*, which gives no page; if none was, it is from now on."""
        alias = self._urls.ids([url])[0]
        mains = self.note({alias: main})
        return self.of(mains) == {mains[0]: alias}

    def of(self, mains: Sequence[int]) -> dict[int, int | None]:
        """Return, for *mains* that are in error and never gave a page, the alias of each, or None."""
        return dict(
            self._sql.execute(
                "SELECT m.id, a.alias FROM urls AS m LEFT JOIN aliases AS a ON a.main = m.id "
                "WHERE m.id IN (SELECT value FROM json_each(?)) AND m.state = 'E' AND m.kind IS NULL",
                (json.dumps(mains),),
            ).fetchall()
        )


def write_revisits(connection: sqlite3.Connection, rows: Sequence[tuple[int, Revisit]]) -> None:
    """Keep revisits of URLs, by number."""
    connection.executemany(
        f"INSERT OR REPLACE INTO revisits (id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
        [
            (
                *(number, one.signature, one.relevant, one.interval_seconds, one.checked_at, one.changed_at),
                *(one.due_at, one.checks, one.changes, one.gone_at, one.etag or None, one.last_modified or None),
            )
            for number, one in rows
        ],
    )


class RevisitMirror:
    """Notes in a sharing worker's file, too, when each page was looked at, for people; before the frontier moves on."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._looks: list[tuple[str, Revisit]] = []
        self._urls = database.urls

    def note(self, url: str, revisit: Revisit | None) -> None:
        """Note the data kept of the page at *url*; None: there are none."""
        if revisit is not None:
            self._looks.append((url, revisit))

    def write(self) -> None:
        """Write the noted data. Raises StoreError: the file can't be written."""
        if not self._looks:
            return
        with self._database.transaction() as connection:
            ids = self._urls.ids([url for url, _ in self._looks])
            write_revisits(connection, [(number, look) for number, (_, look) in zip(ids, self._looks, strict=True)])
        self._looks.clear()


def count_due(database: CrawlDatabase, limits: Intervals, now: float) -> int:
    """Return how many pages `-a recrawl=due` would look at now. Cost: walks the table of URLs."""
    with database.errors(), _may_have_none():
        query = f"SELECT count(*) {_from(Recrawl.DUE)}"
        return int(database.connection.execute(query, _times(limits, now)).fetchone()[0])
    return 0


def read_revisits(database: CrawlDatabase, urls: Collection[str]) -> dict[str, Revisit]:
    """Return URL → the data kept of it, for those of *urls* that have any. Cost: a look-up for each URL."""
    keys = {url_key(url): url for url in urls}
    with database.errors(), _may_have_none():
        rows = database.connection.execute(
            f"SELECT u.md5, u.kind, {_READ_COLUMNS} FROM urls AS u JOIN revisits AS r ON r.id = u.id "  # noqa: S608
            "WHERE u.kind IS NOT NULL AND u.md5 IN (SELECT value FROM json_each(?))",  # where pages are not stored here
            (json.dumps(list(keys)),),
        )
        return {keys[row[0]]: _revisit(*row[1:]) for row in rows.fetchall()}
    return {}


def _revisit(kind: str, signature: int, relevant: int, *rest: Any) -> Revisit:
    interval, checked, changed, due, checks, changes, gone_at, etag, last_modified = rest
    return Revisit(
        signature, PageKind(kind), bool(relevant), interval, checked, changed, due, etag or "", last_modified or "",
        checks, changes, gone_at,
    )  # fmt: skip


def _from(which: Recrawl) -> str:
    return f"FROM urls AS u LEFT JOIN revisits AS r ON r.id = u.id WHERE {_CONDITIONS[which]}"


def _times(limits: Intervals, now: float) -> dict[str, Any]:
    own_doing = {"dropped": DROPPED, "cut": f"{LIMIT}*"}
    return {"start": limits.start_seconds, "least": limits.min_seconds, "now": now, **own_doing}


@contextmanager
def _may_have_none() -> Iterator[None]:
    """Ignore a missing table: a file whose frontier is in Redis has none."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
