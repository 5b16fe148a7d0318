"""What can be asked of the file's URLs, for people: `UrlInfo` of one or of those that match a pattern. Reads only."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection
from typing import Any

from gwc_crawler.frontier.order import WITHIN_QUEUE
from gwc_crawler.frontier.protocol import Chosen, UrlInfo
from gwc_crawler.items import PageKind, UrlState
from gwc_crawler.urls import url_key

_COLUMNS = (
    "parent, url, state, kind, weight, depth, attempts, lost, reason, host, lease_owner, lease_until, due_at, "
    "added_at, done_at"
)


def info_of(sql: sqlite3.Connection, number: int) -> UrlInfo:
    """All about one URL."""
    row = sql.execute(f"SELECT {_COLUMNS} FROM urls WHERE id = ?", (number,)).fetchone()  # noqa: S608  # constants
    return _info(row, _way(sql, row[0]))


def matching(sql: sqlite3.Connection, pattern: str, states: Collection[UrlState], limit: int) -> list[UrlInfo]:
    """The first *limit* by weight and number that match *pattern* in one of *states* (none named: any)."""
    condition, values = _condition(pattern, states)
    rows = sql.execute(
        f"SELECT {_COLUMNS} FROM urls WHERE {condition} ORDER BY weight, {WITHIN_QUEUE} LIMIT ?",  # noqa: S608  # constants
        (*values, limit),
    )
    return [_info(row) for row in rows.fetchall()]


def numbers_by_state(sql: sqlite3.Connection, pattern: Chosen, states: Collection[UrlState]) -> dict[str, list[int]]:
    """State → numbers of the URLs in it that match; of *states* alone, so that none named means none."""
    if not states:
        return {}
    found: dict[str, list[int]] = {}
    condition, values = _condition(pattern, states)
    rows = sql.execute(
        f"SELECT state, id FROM urls WHERE {condition} AND state IS NOT NULL",  # noqa: S608  # constants
        values,
    )
    for state, number in rows.fetchall():
        found.setdefault(state, []).append(number)
    return found


def _condition(pattern: Chosen, states: Collection[UrlState]) -> tuple[str, tuple[Any, ...]]:
    """The SQL condition and its values. A pattern that means one URL is looked up by its key, not by a walk."""
    wanted = (not states, json.dumps([state.value for state in states]))
    in_states = "(? OR state IN (SELECT value FROM json_each(?)))"
    if not isinstance(pattern, str):
        keys = json.dumps(list(map(url_key, pattern)))
        return f"md5 IN (SELECT value FROM json_each(?)) AND {in_states}", (keys, *wanted)  # noqa: S608  # constants
    if (url := only_url(pattern)) is not None:
        return f"md5 = ? AND {in_states}", (url_key(url), *wanted)
    return f"url GLOB ? AND {in_states}", (pattern, *wanted)


def only_url(pattern: str) -> str | None:
    """The one text that *pattern* matches, if it has no wildcards but escaped ones (`glob.escape`).

    >>> only_url("http://a.example/?id=1"), only_url("http://a.example/[?]id=1")
    (None, 'http://a.example/?id=1')
    """
    parts = re.split(r"\[([*?[])\]", pattern)
    return None if re.search(r"[*?[]", "".join(parts[::2])) else "".join(parts)


def _info(row: tuple[Any, ...], way: tuple[tuple[str, int], ...] = ()) -> UrlInfo:
    _, url, state, kind, *rest, done_at = row
    state = UrlState(state) if state else None
    kind = PageKind(kind) if kind else None
    ended = state in (UrlState.COMPLETE, UrlState.ERROR)
    return UrlInfo(url, state, kind, *(*rest, done_at if ended else None, way))


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
