"""The table `urls`, which frontier and store share, and the number that each URL has in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

from gwc_crawler.urls import host_of, url_key

SCHEMA = """
-- Every URL ever seen. state: U waiting, R leased, C complete, E error; NULL: only known as the end of a link.
-- weight: of U, R and E the least weight of the pages that led here; of C the page's own. Times: seconds since 1970.
CREATE TABLE IF NOT EXISTS urls (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    md5 INTEGER NOT NULL UNIQUE,     -- the first 64 bits of the URL's MD5
    host TEXT NOT NULL,
    state TEXT,
    kind TEXT,
    weight INTEGER NOT NULL DEFAULT 0,
    depth INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0, -- leases that ended without a word: the worker died, or they ran out
    reason TEXT,
    queue INTEGER,                   -- queues.id
    parent INTEGER,                  -- urls.id of the page that gave the weight
    lease_owner TEXT,
    lease_until REAL,
    token INTEGER NOT NULL DEFAULT 0,
    due_at REAL,
    added_at REAL,
    done_at REAL
);
"""


class UrlTable:
    """URL → number, for all who write into one database.

    A URL that was seen lately costs one dict lookup: the cache keeps two generations, and what was not asked for
    during a whole generation is forgotten. Two URLs with equal 64-bit MD5 count as one (expect the first such pair
    near five billion URLs).

    Args:
        errors: what turns errors of SQLite into ours.
        known_urls: how many URLs the cache holds.
    """

    def __init__(
        self, connection: sqlite3.Connection, errors: Callable[[], AbstractContextManager[None]], known_urls: int
    ) -> None:
        self._sql = connection
        self._errors = errors
        self._generation_size = max(1, known_urls // 2)
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}

    def ids(self, urls: Sequence[str]) -> list[int]:
        """The number of each URL, in order; unknown ones are entered (state NULL), so a transaction must be open."""
        found = list(map(self._young.get, urls))
        if None in found:
            self._resolve({url for url, number in zip(urls, found, strict=True) if number is None}, urls)
            return [self._young[url] for url in urls]
        return found  # type: ignore[return-value]  # no None is left in it

    def find(self, url: str) -> int | None:
        """The number of *url*, or None if it was never seen."""
        with self._errors():
            row = self._sql.execute("SELECT id FROM urls WHERE md5 = ?", (url_key(url),)).fetchone()
        return row[0] if row else None

    def forget(self) -> None:
        """Empty the cache."""
        self._young.clear()
        self._old.clear()

    def _resolve(self, missing: set[str], urls: Sequence[str]) -> None:
        """Bring the *missing* into the cache, from the old generation, the file, or as new rows in page order."""
        if len(self._young) + len(missing) > self._generation_size:
            self._old, self._young = self._young, {url: self._young[url] for url in urls if url in self._young}
        keys: dict[str, int] = {}
        for url in dict.fromkeys(urls):
            if url in missing:
                number = self._old.get(url)
                if number is None:
                    keys[url] = url_key(url)
                else:
                    self._young[url] = number
        if keys:
            numbers = self._numbers(keys.values())
            self._insert([(url, key) for url, key in keys.items() if key not in numbers], numbers)
            self._young.update((url, numbers[key]) for url, key in keys.items())

    def _numbers(self, keys: Iterable[int]) -> dict[int, int]:
        rows = self._sql.execute(
            "SELECT md5, id FROM urls WHERE md5 IN (SELECT value FROM json_each(?))", (json.dumps(list(keys)),)
        )
        return dict(rows.fetchall())

    def _insert(self, new: Iterable[tuple[str, int]], numbers: dict[int, int]) -> None:
        number = self._sql.execute("SELECT coalesce(max(id), 0) FROM urls").fetchone()[0]
        rows = []
        for url, key in new:
            if key not in numbers:
                number += 1
                numbers[key] = number
                rows.append((number, url, key, host_of(url)))
        self._sql.executemany("INSERT INTO urls (id, url, md5, host) VALUES (?, ?, ?, ?)", rows)
