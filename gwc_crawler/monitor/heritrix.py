"""`crawl.log` and `progress-statistics.log` as Heritrix 3 writes them, so that what reads those reads these.

Source:
    Heritrix 3 documentation, "Logs" (crawl.log, progress-statistics.log).
    What we do differently: a referrer is not kept with a URL, so column 6 is "-"; the discovery path (column 5) is an L
    for each click from an entry and an R for each redirect; there are no threads, so column 8 is #000.
"""

from __future__ import annotations

import logging
from base64 import b32encode
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from urllib.parse import quote

from gwc_crawler.access import masked
from gwc_crawler.monitor.exchanges import FinishedRequest

KEPT_FILES = 5
"""So many full files of a log are kept beside the one that is written."""

STATISTICS_HEAD = (
    "           timestamp  discovered      queued   downloaded       doc/s(avg)  KB/s(avg)   dl-failures   busy-thread"
    "   mem-use-KB  heap-size-KB   congestion   max-depth   avg-depth"
)

SAFE = "%/:?#[]@!$&'()*+,;=~"
"""What stays of a URL as it is: nothing else has a place in a column."""


def crawl_line(one: FinishedRequest, logged_at: float) -> str:
    """Return an exchange as a line of `crawl.log`, in its 12 columns.

    >>> crawl_line(FinishedRequest("http://a.example/x", 200, 310, "text/css", 1090452579.422, 0.01, 2), 1090452580.438)
    '2004-07-21T23:29:40.438Z   200        310 http://a.example/x LL - text/css #000 20040721232939422+10 - - -'
    """
    digest = f"sha1:{b32encode(one.digest).decode()}" if one.digest else "-"
    columns = (
        stamp(logged_at),
        f"{one.status:5d}",
        f"{one.size:10d}",
        quote(masked(one.url), safe=SAFE),
        "L" * one.depth + "R" * one.redirects or "-",
        "-",
        "".join(one.mime.split()) or "-",
        "#000",
        f"{digits(one.began_at)}+{max(0, round(one.seconds * 1000))}",
        digest,
        "-",
        f"{one.attempt}t" if one.attempt > 1 else "-",
    )
    return " ".join(columns)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a line of `progress-statistics.log` tells; rates: of the last while, and in brackets of all the time."""

    discovered: int
    queued: int
    downloaded: int
    docs_per_second: float
    docs_per_second_all: float
    kb_per_second: float
    kb_per_second_all: float
    failures: int
    busy: int
    memory_kb: int
    max_depth: int
    average_depth: float


def statistics_line(now: Statistics, at: float) -> str:
    """Return a line below `STATISTICS_HEAD`."""
    docs = f"{now.docs_per_second:.2f}({now.docs_per_second_all:.2f})"
    kilobytes = f"{now.kb_per_second:.0f}({now.kb_per_second_all:.0f})"
    return (
        f"{stamp(at)[:19] + 'Z':>20} {now.discovered:>11} {now.queued:>11} {now.downloaded:>12} {docs:>16}"
        f" {kilobytes:>10} {now.failures:>13} {now.busy:>13} {now.memory_kb:>12} {now.memory_kb:>13} {0:>12}"
        f" {now.max_depth:>11} {now.average_depth:>11.1f}"
    )


def rotated(path: Path, max_bytes: int) -> logging.Handler:
    """Open a log that is continued where it is; full, it becomes `NAME.1`, and the oldest of five goes.

    Raises:
        OSError: it can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(path, maxBytes=max_bytes, backupCount=KEPT_FILES, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(message)s"))
    return handler


def stamp(at: float) -> str:
    """Return a time as ISO 8601 with milliseconds: 2004-07-21T23:29:40.438Z."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def digits(at: float) -> str:
    """Return a time in 17 digits: 20040721232939422."""
    return "".join(filter(str.isdigit, stamp(at)))
