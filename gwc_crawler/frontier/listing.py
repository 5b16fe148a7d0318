"""What can be asked of the file's URLs, for people: `UrlInfo` of one or of those that match a pattern. Reads only."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from typing import Any

from gwc_crawler.frontier.protocol import UrlInfo
from gwc_crawler.items import PageKind, UrlState

_COLUMNS = (
    "parent, url, state, kind, weight, depth, attempts, lost, reason, host, lease_owner, lease_until, due_at, "
    "added_at, done_at"
)
_MATCHES = "url GLOB ? AND (? OR state IN (SELECT value FROM json_each(?)))"


def info_of(sql: sqlite3.Connection, number: int) -> UrlInfo:
    """All about one URL."""
    row = sql.execute(f"SELECT {_COLUMNS} FROM urls WHERE id = ?", (number,)).fetchone()  # noqa: S608  # constants
    return _info(sql, row)


def matching(sql: sqlite3.Connection, pattern: str, states: Collection[UrlState], limit: int) -> list[UrlInfo]:
    """The first *limit* by weight and number that match *pattern* in one of *states* (none named: any)."""
    rows = sql.execute(
        f"SELECT {_COLUMNS} FROM urls WHERE {_MATCHES} ORDER BY weight, id LIMIT ?",  # noqa: S608  # constants
        (*_values(pattern, states), limit),
    )
    return [_info(sql, row) for row in rows.fetchall()]


def numbers_by_state(sql: sqlite3.Connection, pattern: str, states: Collection[UrlState]) -> dict[str, list[int]]:
    """State → numbers of the URLs in it that match."""
    found: dict[str, list[int]] = {}
    rows = sql.execute(
        f"SELECT state, id FROM urls WHERE state IS NOT NULL AND {_MATCHES}",  # noqa: S608  # constants
        _values(pattern, states),
    )
    for state, number in rows.fetchall():
        found.setdefault(state, []).append(number)
    return found


def _values(pattern: str, states: Collection[UrlState]) -> tuple[str, bool, str]:
    return pattern, not states, json.dumps([state.value for state in states])


def _info(sql: sqlite3.Connection, row: tuple[Any, ...]) -> UrlInfo:
    parent, url, state, kind, *rest = row
    state = UrlState(state) if state else None
    kind = PageKind(kind) if kind else None
    return UrlInfo(url, state, kind, *(*rest, _way(sql, parent)))


def _way(sql: sqlite3.Connection, page: int | None) -> tuple[tuple[str, int], ...]:
    """From a start to *page*, as (URL, page weight)."""
    way: list[tuple[str, int]] = []
    seen: set[int] = set()
    while page is not None and page not in seen:
        seen.add(page)
        url, weight, parent = sql.execute("SELECT url, weight, parent FROM urls WHERE id = ?", (page,)).fetchone()
        way.append((url, weight))
        page = parent
    return tuple(reversed(way))
