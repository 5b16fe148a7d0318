"""The progress line: a snapshot of a crawl's counters in, one line of text out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Counters of one moment. `pages` were read in this run, `seconds` is its age, `limit` its page limit or 0."""

    name: str
    pages: int
    records: int
    waiting: int
    running: int
    errors: int
    seconds: float
    pages_per_second: float
    limit: int = 0
    paused: bool = False
    silent: tuple[str, ...] = ()
    """Hosts that answer no more."""


def progress_line(now: Progress) -> str:
    """Say in one line how far a crawl is.

    >>> progress_line(Progress("mall", 120, 80, 30, 16, 1, 4.0, 31.26))
    'mall  120 pages  80 records  30 waiting  16 running  1 error  31.3 pages/s  0:04'
    """
    pages = f"{now.pages} of {now.limit} pages" if now.limit else f"{now.pages} pages"
    parts = [now.name, pages]
    if now.records:
        parts.append(f"{now.records} records")
    parts += [f"{now.waiting} waiting", f"{now.running} running"]
    if now.errors:
        parts.append(f"{now.errors} error{'s' if now.errors > 1 else ''}")
    if now.silent:
        parts.append(f"silent: {now.silent[0]}{f' and {len(now.silent) - 1} more' if len(now.silent) > 1 else ''}")
    parts += ["paused" if now.paused else f"{now.pages_per_second:.1f} pages/s", clock(now.seconds)]
    return "  ".join(parts)


def clock(seconds: float) -> str:
    """Write a duration as h:mm:ss, or m:ss below an hour.

    >>> clock(3725.4), clock(65.0)
    ('1:02:05', '1:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
