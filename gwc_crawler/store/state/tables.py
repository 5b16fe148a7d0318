"""Small tables in a crawl's file, one class each: what it remembers besides its pages and URLs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from hashlib import md5
from typing import Any

from gwc_crawler.files import Known
from gwc_crawler.items import RobotsText, UrlState
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.urls import host_of, site_of

# --- What the crawl's WARC files hold of each URL, as rows: so that nothing is archived twice, over all runs ----------


_COLUMNS = "url, digest, record, record_url, record_date"


class ArchivedRows:
    """The table of one file."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def of_url(self, url: str) -> Known | None:
        """Return what was archived last of *url*."""
        return self._first(f"SELECT {_COLUMNS} FROM archived WHERE url = ?", url)  # noqa: S608  # a constant

    def of_digest(self, digest: str) -> Known | None:
        """Return something that has this payload."""
        return self._first(f"SELECT {_COLUMNS} FROM archived WHERE digest = ? LIMIT 1", digest)  # noqa: S608  # a constant

    def add(self, known: Sequence[Known]) -> None:
        """Keep these."""
        with self._database.transaction() as sql:
            sql.executemany(
                f"INSERT OR REPLACE INTO archived ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",  # noqa: S608  # a constant
                [(one.url, one.digest, one.record, one.record_url, one.record_date) for one in known],
            )

    def _first(self, query: str, value: str) -> Known | None:
        return next((Known(*row) for row in self._database.rows(query, (value,))), None)


def is_archived(database: CrawlDatabase, url: str) -> bool:
    """Say whether *url* is in the archive."""
    return bool(database.rows("SELECT 1 FROM archived WHERE url = ?", (url,)))


# --- What people and workers leave for each other in a crawl's file ---------------------------------------------------


class ChannelRows:
    """The named texts of one file; what is written joins the transaction that is open, or is one."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def read(self, names: Sequence[str] = ()) -> dict[str, str]:
        """Return the texts called so, or all."""
        query = "SELECT name, value FROM board WHERE ? OR name IN (SELECT value FROM json_each(?))"
        return dict(self._database.rows(query, (not names, json.dumps(names))))

    def put(self, name: str, value: str) -> None:
        """Write a text, in the place of an earlier one of this name."""
        with self._database.transaction() as sql:
            sql.execute("INSERT OR REPLACE INTO board (name, value) VALUES (?, ?)", (name, value))

    def remove(self, name: str) -> None:
        """Delete a text."""
        with self._database.transaction() as sql:
            sql.execute("DELETE FROM board WHERE name = ?", (name,))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Read and write as one."""
        with self._database.transaction():
            yield

    @contextmanager
    def hurry(self, milliseconds: int) -> Iterator[None]:
        """Wait no longer than this for another writer."""
        with self._database.errors():
            sql = self._database.connection
            (usual,) = sql.execute("PRAGMA busy_timeout").fetchone()
            sql.execute(f"PRAGMA busy_timeout = {milliseconds}")
            try:
                yield
            finally:
                sql.execute(f"PRAGMA busy_timeout = {int(usual)}")


# --- What was cut off, how classes of URLs do, and which page stands at many addresses --------------------------------


class LimitRows:
    """The tables of one file; what is written joins the transaction that is open, or is one."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def version(self) -> int:
        """Return a number that changes when another process has written to the file."""
        return int(self._database.rows("PRAGMA data_version")[0][0])

    def cuts(self) -> list[tuple[str, str, int, list[str]]]:
        """Return reason, pattern, count and example URLs, most first."""
        rows = self._database.rows("SELECT reason, pattern, count, examples FROM cuts ORDER BY count DESC")
        return [(reason, pattern, count, json.loads(urls)) for reason, pattern, count, urls in rows]

    def classes(self) -> dict[str, Any]:
        """Return the state of each class of URLs by its regex."""
        return {name: json.loads(text) for name, text in self._database.rows("SELECT regex, state FROM url_classes")}

    def same_pages(self) -> dict[str, Any]:
        """Return the state of each text by its hash."""
        return {name: json.loads(text) for name, text in self._database.rows("SELECT hash, state FROM same_pages")}

    def write_same_pages(self, pages: Mapping[str, str], gone: Iterable[str]) -> None:
        """Replace the states (JSON) of these texts, and delete those of the hashes that are *gone*."""
        with self._database.transaction() as sql:
            sql.executemany("INSERT OR REPLACE INTO same_pages (hash, state) VALUES (?, ?)", list(pages.items()))
            sql.executemany("DELETE FROM same_pages WHERE hash = ?", [(key,) for key in gone])

    def write(self, cuts: Iterable[tuple[str, str, int, list[str]]], classes: Mapping[str, Any], *, now: float) -> None:
        """Replace these rows; *now*: epoch seconds."""
        with self._database.transaction() as sql:
            sql.executemany(
                "INSERT OR REPLACE INTO cuts (reason, pattern, count, examples, last_at) VALUES (?, ?, ?, ?, ?)",
                [(*key, count, json.dumps(urls, ensure_ascii=False), now) for *key, count, urls in cuts],
            )
            sql.executemany(
                "INSERT OR REPLACE INTO url_classes (regex, state) VALUES (?, ?)",
                [(name, json.dumps(state, ensure_ascii=False)) for name, state in classes.items()],
            )

    def forget_cuts(self, reasons: Iterable[str]) -> None:
        """Delete what was cut for these *reasons*."""
        with self._database.transaction() as sql:
            sql.executemany("DELETE FROM cuts WHERE reason = ?", [(reason,) for reason in reasons])


# --- The robots.txt files of a crawl, in its file; a text stands there once for all hosts that have it ----------------


class RobotsTable:
    """A `RobotsBook` (gwc_crawler.politeness.robots) in a crawl's file; read-only where the file is."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def read(self, origin: str) -> RobotsText | None:
        """Return what is known of *origin* ("http://host:port"), however old."""
        query = "SELECT text, read_at FROM robots JOIN robots_texts USING (digest) WHERE origin = ?"
        return next((RobotsText(text.encode(), at) for text, at in self._database.rows(query, (origin,))), None)

    def read_since(self, moment: float) -> list[tuple[str, RobotsText]]:
        """Return what was read after *moment* (epoch seconds), by origin."""
        query = "SELECT origin, text, read_at FROM robots JOIN robots_texts USING (digest) WHERE read_at > ?"
        rows = self._database.rows(query, (moment,))
        return [(origin, RobotsText(text.encode(), read_at)) for origin, text, read_at in rows]

    def write(self, origin: str, robots: RobotsText) -> None:
        """Keep what *origin* has answered."""
        digest = md5(robots.text, usedforsecurity=False).digest()
        with self._database.transaction() as sql:
            sql.execute("INSERT OR IGNORE INTO robots_texts VALUES (?, ?)", (digest, robots.text.decode()))
            sql.execute("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", (origin, digest, robots.read_at))


# --- What a pre-crawl was seen to have settled after so many pages, in its file ---------------------------------------


@dataclass(frozen=True, slots=True)
class DraftRow:
    """One look; see the columns of the table `drafts`."""

    pages: int
    next_at: int
    doubt: str
    since: int
    draft: str
    task: str

    @property
    def told(self) -> dict[str, Any]:
        """What is told of it, ready for JSON."""
        return {"pages": self.pages, "doubt": self.doubt, "since": self.since}


class DraftTable:
    """The looks of one pre-crawl; read-only where the file is."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def rows(self, task: str | None = None) -> list[DraftRow]:
        """Return the looks, the earliest first; only those of *task* where one is named."""
        query = (
            "SELECT pages, next_at, doubt, since, draft, task FROM drafts WHERE ? IS NULL OR task = ? ORDER BY pages"
        )
        return [DraftRow(*row) for row in self._database.rows(query, (task, task))]

    def keep(self, row: DraftRow) -> None:
        """Add a look; those of other tasks, or at as many pages, are outdated by it."""
        with self._database.transaction() as sql:
            sql.execute("DELETE FROM drafts WHERE task <> ? OR pages >= ?", (row.task, row.pages))
            sql.execute("INSERT INTO drafts VALUES (?, ?, ?, ?, ?, ?)", astuple(row))

    def clear(self) -> None:
        """Forget all looks: the pages have changed."""
        with self._database.transaction() as sql:
            sql.execute("DELETE FROM drafts")


# --- The crawl's own rows in the table `sites` ------------------------------------------------------------------------


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
    rows = database.rows("SELECT state FROM sites WHERE name = ? LIMIT 1", (name,))
    return UrlState(rows[0][0]) if rows else None
