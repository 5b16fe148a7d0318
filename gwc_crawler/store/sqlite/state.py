"""Small tables in a crawl's file, one class each: what it remembers besides its pages and URLs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from hashlib import md5
from typing import Any

from gwc_crawler.items import RobotsText, UrlState
from gwc_crawler.store.archive import Known, KnownPayloads
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.store.sqlite.sink import records_table
from gwc_crawler.urls import host_of, site_of


class Rows:
    """Rows of one crawl's file. What is written joins the transaction that is open, or is one."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def change(self, statement: str, rows: Iterable[Sequence[object]] = ((),)) -> None:
        """Run a statement with each of these rows' values."""
        with self._database.transaction() as connection:
            connection.executemany(statement, rows)


# --- What the crawl's WARC files hold of each URL, as rows: so that nothing is archived twice, over all runs ----------


class ArchivedRows(Rows, KnownPayloads):
    """The table of one file."""

    def of_url(self, url: str) -> Known | None:
        return self._first("SELECT * FROM archived WHERE url = ?", url)

    def of_digest(self, digest: str) -> Known | None:
        return self._first("SELECT * FROM archived WHERE digest = ? LIMIT 1", digest)

    def add(self, known: Sequence[Known]) -> None:
        self.change("INSERT OR REPLACE INTO archived VALUES (?, ?, ?, ?, ?)", map(astuple, known))

    def _first(self, query: str, value: str) -> Known | None:
        return next((Known(*row) for row in self._database.rows(query, (value,))), None)


def is_archived(database: CrawlDatabase, url: str) -> bool:
    """Say whether *url* is in the archive."""
    return bool(database.rows("SELECT 1 FROM archived WHERE url = ?", (url,)))


# --- What people and workers leave for each other in a crawl's file ---------------------------------------------------


FIRST_RECORDS = "first records"


class ChannelRows(Rows):
    """The named texts of one file."""

    def read(self, names: Sequence[str] = ()) -> dict[str, str]:
        """Return the texts called so, or all."""
        query = "SELECT name, value FROM board WHERE ? OR name IN (SELECT value FROM json_each(?))"
        return dict(self._database.rows(query, (not names, json.dumps(names))))

    def put(self, name: str, value: str) -> None:
        """Write a text, in the place of an earlier one of this name."""
        self.change("INSERT OR REPLACE INTO board (name, value) VALUES (?, ?)", [(name, value)])

    def first_records(self) -> dict[str, Any] | None:
        """Return what `put` has kept under FIRST_RECORDS (`FirstRecords.told`)."""
        text = self.read((FIRST_RECORDS,)).get(FIRST_RECORDS, "null")
        return json.loads(text)  # type: ignore[no-any-return]

    def remove(self, name: str) -> None:
        """Delete a text."""
        self.change("DELETE FROM board WHERE name = ?", [(name,)])

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


class LimitRows(Rows):
    """The tables of one file."""

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
        with self._database.transaction():
            self.change("INSERT OR REPLACE INTO same_pages (hash, state) VALUES (?, ?)", pages.items())
            self.change("DELETE FROM same_pages WHERE hash = ?", [(key,) for key in gone])

    def write(self, cuts: Iterable[tuple[str, str, int, list[str]]], classes: Mapping[str, Any], *, now: float) -> None:
        """Replace these rows; *now*: epoch seconds."""
        rows = [(*key, count, json.dumps(urls, ensure_ascii=False), now) for *key, count, urls in cuts]
        states = [(name, json.dumps(state, ensure_ascii=False)) for name, state in classes.items()]
        with self._database.transaction():
            self.change("INSERT OR REPLACE INTO cuts VALUES (?, ?, ?, ?, ?)", rows)
            self.change("INSERT OR REPLACE INTO url_classes VALUES (?, ?)", states)

    def forget_cuts(self, reasons: Iterable[str]) -> None:
        """Delete what was cut for these *reasons*."""
        self.change("DELETE FROM cuts WHERE reason = ?", [(reason,) for reason in reasons])


# --- The robots.txt files of a crawl, in its file; a text stands there once for all hosts that have it ----------------


class RobotsTable(Rows):
    """A `RobotsBook` (gwc_crawler.network.politeness.robots) in a crawl's file; read-only where the file is."""

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
        with self._database.transaction():
            self.change("INSERT OR IGNORE INTO robots_texts VALUES (?, ?)", [(digest, robots.text.decode())])
            self.change("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", [(origin, digest, robots.read_at)])


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


class DraftTable(Rows):
    """The looks of one pre-crawl; read-only where the file is."""

    def rows(self, task: str | None = None) -> list[DraftRow]:
        """Return the looks, the earliest first; only those of *task* where one is named."""
        query = "SELECT * FROM drafts WHERE ? IS NULL OR task = ? ORDER BY pages"
        return [DraftRow(*row) for row in self._database.rows(query, (task, task))]

    def keep(self, row: DraftRow) -> None:
        """Add a look; those of other tasks, or at as many pages, are outdated by it."""
        with self._database.transaction():
            self.change("DELETE FROM drafts WHERE task <> ? OR pages >= ?", [(row.task, row.pages)])
            self.change("INSERT INTO drafts VALUES (?, ?, ?, ?, ?, ?)", [astuple(row)])

    def clear(self) -> None:
        """Forget all looks: the pages have changed."""
        self.change("DELETE FROM drafts")


# --- The crawl's own rows in the table `sites` ------------------------------------------------------------------------


def mark_sites(
    database: CrawlDatabase, name: str, scope: Iterable[str], entry: Iterable[str], state: UrlState, now: float
) -> None:
    """Write the *state* of the crawl *name* into the rows of all that is in its *scope* (site identifiers or hosts)."""
    first = {key: url for url in reversed(list(entry)) for key in (site_of(url), host_of(url))}
    hosts = {one: host_of(first[one]) if one in first else one for one in scope}
    rows = [(one, host, name, state.value, first.get(one), now) for one, host in hosts.items()]
    Rows(database).change(
        "INSERT INTO sites (site, host, name, state, first_url, found_at) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (site) DO UPDATE SET name = excluded.name, state = excluded.state",
        rows,
    )


def site_state(database: CrawlDatabase, name: str) -> UrlState | None:
    """Return how the crawl *name* ended the last time (R: it runs, or was killed); None if there was none."""
    rows = database.rows("SELECT state FROM sites WHERE name = ? LIMIT 1", (name,))
    return UrlState(rows[0][0]) if rows else None


# --- Which records each feed has, and how far its file is written: so that a crawl that continues leaves whole feeds --
# The feed exporter notes here, in the transaction that stores pages, which records its feeds now owe; once their rows
# are written it notes that, and the file's length, in the next one. After `kill -9` a file may be longer than noted: it
# is cut there, and what is still owed comes again out of the table of records. So each record is in a feed once.


@dataclass
class FeedState:
    """A row of the table `feeds`."""

    key: str
    options: str
    uri: str
    batch: int = 1
    items: int = 0
    start: int = 0
    length: int = 0
    crc: int = 0
    names: tuple[str, ...] | None = None
    changes: bool = False
    finished: bool = False
    is_open: bool = False
    outdated: bool = False
    seen_at: float = 0.0
    number: int = 0


_FEED_COLUMNS = ", ".join("id" if one.name == "number" else one.name for one in fields(FeedState))


class FeedBook(Rows):
    """Both tables of one site's database."""

    def __init__(self, database: CrawlDatabase, site: str) -> None:
        super().__init__(database)
        self._records = quote_name(records_table(site))

    def find(self, key: str) -> FeedState | None:
        """Return what is known of a feed."""
        rows = self._database.rows(f"SELECT {_FEED_COLUMNS} FROM feeds WHERE key = ?", (key,))  # noqa: S608
        if not rows:
            return None
        state = FeedState(*rows[0])
        state.names = state.names and tuple(json.loads(state.names))  # type: ignore[arg-type]  # it is JSON there
        return state

    def begin(self, state: FeedState) -> None:
        """Enter a feed that has no row yet; what an earlier one of this key had is forgotten."""
        with self._database.transaction():
            self.change("DELETE FROM feed_rows WHERE feed IN (SELECT id FROM feeds WHERE key = ?)", [(state.key,)])
            self.change("DELETE FROM feeds WHERE key = ?", [(state.key,)])
            self.save(state)
            ((state.number,),) = self._database.rows("SELECT id FROM feeds WHERE key = ?", (state.key,))

    def save(self, state: FeedState) -> None:
        """Write the row of a feed."""
        names = None if state.names is None else json.dumps(state.names)
        values = tuple((asdict(state) | {"names": names, "number": state.number or None}).values())
        self.change(f"INSERT OR REPLACE INTO feeds ({_FEED_COLUMNS}) VALUES ({', '.join('?' * len(values))})", [values])  # noqa: S608

    # --- rows -----------------------------------------------------------------------------------------------------

    def owe(self, feed: int, ids: Sequence[int]) -> set[int]:
        """Note that records are to be in a feed; returns those that are there already."""
        self.change("INSERT OR IGNORE INTO feed_rows (feed, id, sent) VALUES (?, ?, 0)", [(feed, one) for one in ids])
        return set(ids) - self.owed_among(feed, ids)

    def owe_all(self, feed: int) -> None:
        """Note that all stored records are to be in a feed."""
        rows = f"SELECT ?, p.id, 0 FROM {self._records} AS r JOIN pages AS p ON p.url = r.url"  # noqa: S608  # quoted
        self.change(f"INSERT OR IGNORE INTO feed_rows (feed, id, sent) {rows}", [(feed,)])

    def owe_again(self, feed: int) -> None:
        """Note that all rows of a feed have to be written once more."""
        self.change("UPDATE feed_rows SET sent = 0 WHERE feed = ?", [(feed,)])

    def sent(self, feed: int, ids: Sequence[int], *, delivered: bool = True) -> None:
        """Note that rows are written, for good, or into a file that is yet to be delivered."""
        rows = [(feed, one, 1 if delivered else 2) for one in ids]
        self.change("INSERT OR REPLACE INTO feed_rows (feed, id, sent) VALUES (?, ?, ?)", rows)

    def delivered(self, feed: int) -> None:
        """Note that the file with all rows of this run is delivered."""
        self.change("UPDATE feed_rows SET sent = 1 WHERE feed = ? AND sent = 2", [(feed,)])

    def owe_undelivered(self, feed: int) -> None:
        """Note that the file an earlier run wrote was never delivered."""
        self.change("UPDATE feed_rows SET sent = 0 WHERE feed = ? AND sent = 2", [(feed,)])

    def forget(self, ids: Sequence[int]) -> None:
        """Note that records are gone: no feed owes them any more."""
        if ids:
            self.change("DELETE FROM feed_rows WHERE id = ? AND sent = 0", [(one,) for one in ids])

    def count(self, feed: int, *, sent: bool) -> int:
        """Return how many rows are written, or owed."""
        query = "SELECT count(*) FROM feed_rows WHERE feed = ? AND sent = ?"
        return int(self._database.rows(query, (feed, int(sent)))[0][0])

    def owed(self, feed: int, after: int, limit: int, *, also_waiting: bool) -> list[int]:
        """Return the next owed rows by number; without those of pages that wait to be fetched (again), if so asked."""
        is_waiting = "EXISTS (SELECT 1 FROM urls AS u WHERE u.id = f.id AND u.state IN ('U', 'R'))"
        waiting = "" if also_waiting else f"AND NOT {is_waiting}"
        query = f"SELECT id FROM feed_rows AS f WHERE feed = ? AND sent = 0 AND id > ? {waiting} ORDER BY id LIMIT ?"  # noqa: S608
        return [row[0] for row in self._database.rows(query, (feed, after, limit))]

    def owed_among(self, feed: int, ids: Collection[int]) -> set[int]:
        """Return which of *ids* are owed."""
        query = "SELECT id FROM feed_rows WHERE feed = ? AND sent = 0 AND id IN (SELECT value FROM json_each(?))"
        return {row[0] for row in self._database.rows(query, (feed, json.dumps(list(ids))))}

    def is_outdated(self, state: FeedState) -> bool:
        """Say whether a record in the feed was stored anew, or is gone, since: by a run that had no such feed."""
        query = (
            f"SELECT 1 FROM feed_rows AS f JOIN pages AS p ON p.id = f.id LEFT JOIN {self._records} AS r "  # noqa: S608
            "ON r.url = p.url WHERE f.feed = ? AND f.sent = 1 AND (r.url IS NULL OR r.fetched_at > ?) LIMIT 1"
        )
        return state.outdated or bool(self._database.rows(query, (state.number, state.seen_at)))


def outdate_feeds(database: CrawlDatabase) -> None:
    """Have the next crawl write all feeds anew: the records were read once more, without a crawl."""
    Rows(database).change("UPDATE feeds SET outdated = 1")
