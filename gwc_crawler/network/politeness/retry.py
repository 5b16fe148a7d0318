"""Whether, and when, a URL that gave no page is tried again: a pure decision; the waiting is the frontier's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from gwc_crawler.items import Failure

SECONDS = re.compile(r"[0-9]+(\.[0-9]*)?")  # a whole number, by the standard; some servers send a fraction


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how soon: `times` more attempts; waits of base · 2^(attempt − 1) seconds up to `max_seconds`."""

    times: int
    http_codes: frozenset[int]
    base_seconds: float
    max_seconds: float

    def after_status(self, status: int, attempt: int, now: float, retry_after: float | None = None) -> Failure:
        """Decide after an error answer; `attempt` counts from 1, `retry_after` is the server's wish in seconds."""
        return self._decide(f"HTTP {status}", status in self.http_codes, attempt, now, retry_after)

    def after_error(self, reason: str, attempt: int, now: float, *, passing: bool) -> Failure:
        """Decide after no answer; `passing` says whether such an error may go away by itself."""
        return self._decide(reason, passing, attempt, now, None)

    def _decide(self, reason: str, passing: bool, attempt: int, now: float, retry_after: float | None) -> Failure:
        if not passing or attempt > self.times:
            return Failure(reason)
        wait = max(self.wait_seconds(attempt), retry_after or 0.0)
        return Failure(reason, retry_at=now + min(wait, self.max_seconds))

    def wait_seconds(self, attempt: int) -> float:
        """Return the seconds to wait after failure number *attempt*."""
        return min(self.base_seconds * 2.0 ** (attempt - 1), self.max_seconds)


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """Read a Retry-After header: seconds, or an HTTP date (RFC 9110 §10.2.3); None if it has neither.

    >>> retry_after_seconds("120", 0.0)
    120.0
    >>> retry_after_seconds("Thu, 01 Jan 1970 00:01:00 GMT", 0.0)
    60.0
    >>> retry_after_seconds("soon", 0.0) is None
    True
    """
    text = (value or "").strip()
    if SECONDS.fullmatch(text):
        return float(text)
    try:
        when = parsedate_to_datetime(text)
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.fromtimestamp(now, UTC)).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):  # no date, or an impossible one
        return None


def wait_asked_for(values: Iterable[bytes], now: float) -> float | None:
    """Return the longest wait that Retry-After headers ask for; None where none says anything."""
    waits = [retry_after_seconds(value.decode("latin-1"), now) for value in values]
    return max((wait for wait in waits if wait is not None), default=None)
