"""What is known of names: figures of all crawls of a data directory, and the addresses of one host. Nothing is asked.

Called by `scrapy status` and `scrapy why`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

from gwc_crawler.dns import DnsCounts, Guard, KeptName, literal_of
from gwc_crawler.errors import AddressRefusedError


def name_stats(known: int, counts: DnsCounts) -> dict[str, Any] | None:
    """Return the stable form of `scrapy status --json`; None where no name was looked up."""
    return {"known": known, **asdict(counts)} if known or counts.lookups else None


def names_text(stats: Mapping[str, Any]) -> str:
    """Say the same in a line.

    >>> names_text({"known": 3, "lookups": 1000, "hits": 990, "queries": 4, "failures": 1, "stale": 0})
    '3 known; of 1,000 lookups 99.0 % without waiting; 4 questions to name servers, 1 failed'
    """
    text = f"{stats['known']:,} known"
    if stats["lookups"]:
        text += f"; of {stats['lookups']:,} lookups {stats['hits'] / stats['lookups']:.1%} without waiting"
    text = text.replace("%", " %")
    text += f"; {stats['queries']:,} questions to name servers, {stats['failures']:,} failed"
    return text + (f"; {stats['stale']:,} old addresses used" if stats["stale"] else "")


def addresses_of_url(
    url: str, overrides: Mapping[str, Sequence[str]], kept: KeptName | None, guard: Guard
) -> tuple[str, ...]:
    """Return the addresses of a URL's host as they are known here, each with the reason if it is refused."""
    host = urlsplit(url).hostname or ""
    if (given := overrides.get(host)) is not None:
        return tuple(f"{one} (the site file says so)" for one in given)
    literal = literal_of(host)
    found = (literal,) if literal is not None else kept.addresses if kept is not None else ()
    return tuple(one + _refused(guard, host, one) for one in found)


def _refused(guard: Guard, host: str, address: str) -> str:
    try:
        guard.check(host, address)
    except AddressRefusedError as error:
        return f" (refused: {error.kind}; see GWC_ALLOW_PRIVATE)"
    return ""
