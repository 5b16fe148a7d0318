"""What a user of a case of `settings` wrote, and what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Given:
    """What the user of a case wrote, and where."""

    file: Mapping[str, Any] = field(default_factory=dict)
    """[settings] of the site file."""
    line: Mapping[str, str] = field(default_factory=dict)
    """-s on the command line."""
    profile: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    """{url} is the shop's, {proxy} a proxy's."""
    precrawl: bool = False
    """Whether the pre-crawl is looked at, not the crawl."""
    twice: bool = False
    """Whether another crawl follows, with fresh data; the second is looked at."""


@dataclass
class Result:
    """What happened."""

    refused: str = ""
    """The message of an InputError."""
    error: str = ""
    asked: list[str] = field(default_factory=list)
    """Targets in the order in which the shop was asked for them."""
    headers: dict[str, list[str]] = field(default_factory=dict)
    """Header → the different values that the shop saw with pages."""
    most_at_once: int = 0
    sent: list[float] = field(default_factory=list)
    """When Requests for pages went out, on the limiter's clock, -1 for one that the limiter did not see."""
    records: int = 0
    states: dict[str, str] = field(default_factory=dict)
    pages: list[str] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    extensions: list[str] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)
    """Files that were written into the case's directory → their lines."""
    proxied: int = 0


DELAY_SECONDS = 0.01
LONGER_SECONDS = 0.03
"""Delays between requests, as set."""
