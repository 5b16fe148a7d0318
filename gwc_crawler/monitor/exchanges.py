"""One exchange with a server, as it is logged, and the sums of all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FinishedRequest:
    """A request and what came of it.

    Attributes:
        status: of HTTP, or one of Heritrix's negative codes where no answer came (-1 no such name, -2 no connection,
            -3 it broke off, -4 time-out, -5 something else, -6 the name of a host that has failed before).
        began_at: seconds since 1970.
        depth: clicks from an entry, as far as known.
        redirects: redirects on the way there.
        digest: the SHA-1 of the body, b"" where none came.
    """

    url: str
    status: int
    size: int
    mime: str
    began_at: float
    seconds: float
    depth: int = 0
    redirects: int = 0
    attempt: int = 1
    digest: bytes = b""


@dataclass(slots=True)
class Totals:
    """Sums since the crawl of this process began."""

    exchanges: int = 0
    failures: int = 0
    bytes: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def add(self, one: FinishedRequest) -> None:
        """Count one more."""
        self.exchanges += 1
        self.failures += one.status <= 0 or one.status >= 500
        self.bytes += one.size
        self.statuses[one.status] += 1
