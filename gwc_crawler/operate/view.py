"""A site's status, or that of all sites, as lines that fill a terminal's screen; the first lines matter most.

`scrapy status --watch` shows them again each time. That command reads the keys.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from rich.text import Text

from gwc_crawler.errors import AddressRefusedError, visible
from gwc_crawler.network.dns_cache import DnsCounts, KeptName
from gwc_crawler.network.guard import Guard, literal_of
from gwc_crawler.operate.status import STATE_NAMES, CrawlStatus, SiteStatus, WorkerStatus, stage_text, when
from gwc_crawler.operate.summary import clock

# --- Pictures made of letters: numbers in, a sparkline, a bar or a tree out. Nothing here asks a terminal -------------


BLOCKS = "▁▂▃▄▅▆▇█"
EIGHTHS = " ▏▎▍▌▋▊▉"

_SLASH = re.compile(r"/(?![^\[]*\])")
"""Matches a slash of a class's pattern that is not in a set such as `[^/]`."""


def sparkline(values: Sequence[float], width: int) -> str:
    """Draw the last *width* values; the greatest reaches the top, and only 0 is a dot.

    >>> sparkline([0, 1, 4, 8], 10)
    '·▁▄█'
    """
    shown = list(values)[-width:] if width > 0 else []
    top = max(shown, default=0)
    return "".join(BLOCKS[max(0, round(8 * value / top) - 1)] if value > 0 else "·" for value in shown)


def bar(value: float, top: float, width: int) -> str:
    """Draw *value* as a bar, *width* letters long at *top*; any value above 0 is visible.

    >>> bar(3, 4, 8), bar(1, 10_000, 8), bar(0, 4, 8)
    ('██████', '▏', '')
    """
    if value <= 0 or top <= 0 or width <= 0:
        return ""
    whole, part = divmod(max(1, round(8 * width * min(1.0, value / top))), 8)
    return "█" * whole + EIGHTHS[part].strip()


def class_tree(classes: Iterable[tuple[str, str]]) -> list[str]:
    """Draw patterns of URLs as a tree of their common parts; *classes*: pattern, and the text for it.

    >>> print("\\n".join(class_tree([("http://a/p/[^/]+", "target"), ("http://a/list", "")])))
    http://a
    ├─ p/[^/]+  target
    └─ list
    """
    root: dict[str, _Node] = {}
    for pattern, told in classes:
        scheme, mark, rest = pattern.partition("://")
        first, *others = _SLASH.split(rest if mark else pattern)
        node = root.setdefault(f"{scheme}{mark}{first}" if mark else first, _Node())
        for part in others:
            node = node.parts.setdefault(part, _Node())
        node.told.append(told)
    return [line for name, node in root.items() for line in _drawn(name, node, "", "", root=True)]


class _Node:
    """A part of patterns, the texts for patterns that end here, and the parts behind it."""

    def __init__(self) -> None:
        self.parts: dict[str, _Node] = {}
        self.told: list[str] = []


def _drawn(name: str, node: _Node, branch: str, below: str, *, root: bool = False) -> Iterable[str]:
    while len(node.parts) == 1 and not node.told and not root:
        ((part, node),) = node.parts.items()
        name = f"{name}/{part}"
    yield f"{branch}{name or '/'}  {', '.join(filter(None, node.told))}".rstrip()
    for number, (part, child) in enumerate(node.parts.items(), 1):
        is_last = number == len(node.parts)
        yield from _drawn(part, child, below + ("└─ " if is_last else "├─ "), below + ("   " if is_last else "│  "))


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
        guard.permitted(host, (address,))
    except AddressRefusedError as error:
        return f" (refused: {error.kind}; see GWC_ALLOW_PRIVATE)"
    return ""


LOOKS = 500
"""Looks remembered for the sparklines: more than any screen is wide."""

LABEL = 9
FEW = 3
"""Rows of a part that may have many, if other parts want the room, too."""
WEIGHTS = 6


@dataclass(frozen=True, slots=True)
class Trend:
    """The pace and the queue each time somebody looked."""

    paces: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))
    queues: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))

    def add(self, status: SiteStatus) -> None:
        """Add the pace and the queue of *status*."""
        if crawl := status.crawl or status.precrawl:
            self.paces.append(crawl.pages_per_second)
            self.queues.append(crawl.tally.states["U"])


def site_screen(status: SiteStatus, trend: Trend, *, width: int, height: int) -> list[str]:
    """Return all about one site in at most *height* lines of at most *width* letters."""
    lines = [f"{status.site}  {stage_text(status)}  {when(status.checked_at)}"]
    if status.problem:
        lines.append(status.problem)
    if crawl := status.crawl or status.precrawl:
        lines += [*_stats(status, crawl, trend, width), *_weights(crawl, width), *_many(crawl)]
    lines += class_tree(class_rows(status))
    return fitted(lines, width=width, height=height)


def overview_screen(
    statuses: Sequence[SiteStatus], workers: Sequence[WorkerStatus] = (), *, width: int, height: int
) -> list[str]:
    """Return a line for each site, those that are at work first, and behind them the workers of the fleet."""
    rows = sorted(statuses, key=lambda one: not any(run and run.running_as for run in (one.crawl, one.precrawl)))
    longest = max((len(one.site) for one in rows), default=0)
    lines = [f"{len(rows)} sites  {when(rows[0].checked_at)}" if rows else "no site has data yet"]
    for status in rows:
        crawl = status.crawl or status.precrawl
        states = crawl.tally.states if crawl else {}
        figures = "  ".join(f"{states[state]} {name}" for state, name in STATE_NAMES.items() if states)
        pace = f"{crawl.pages_per_second:.1f}/s" if crawl and crawl.running_as else ""
        fleet = f"fleet: {status.fleet['state']}" if status.fleet else ""
        parts = (status.site.ljust(longest), pace, status.problem or stage_text(status), fleet, figures)
        lines.append("  ".join(filter(None, parts)))
    lines += [f"worker {one.owner}  {_doing(one)}" for one in workers]
    return fitted(lines, width=width, height=height)


def fitted(lines: Sequence[str], *, width: int, height: int) -> list[str]:
    """Cut lines to a screen; the last one says how many have no room."""
    if len(lines) > height > 0:
        lines = [*lines[: height - 1], f"… {len(lines) - height + 1} more lines"]
    shown = [Text(" ".join(visible(line).splitlines())) for line in lines[: max(0, height)]]
    for line in shown:
        line.expand_tabs(1)
        line.truncate(width, overflow="ellipsis")
    return [line.plain for line in shown]


def class_rows(status: SiteStatus) -> Iterator[tuple[str, str]]:
    """Yield the learned classes of URLs: pattern, and role with its number of pages and the reason it is closed."""
    learned = status.knowledge or {}
    crawl = status.crawl or status.precrawl
    known = crawl.limits.classes if crawl else {}
    for name, role in (("targets", "target"), ("directories", "directory")):
        for pattern in learned.get(name, ()):
            one = known.get(pattern)
            pages = f"{one.pages} pages" if one and one.pages else ""
            closed = f"closed: {one.closed.value.replace('_', ' ')}" if one and one.closed else ""
            yield pattern, ", ".join(filter(None, (role, pages, closed)))


def _row(name: str, text: str) -> str:
    return f"{name:>{LABEL}}  {text}"


def _stats(status: SiteStatus, crawl: CrawlStatus, trend: Trend, width: int) -> Iterator[str]:
    tally, room = crawl.tally, width - LABEL - 11
    if crawl.pause is not None:
        yield _row("paused", f"by {crawl.pause.by} since {when(crawl.pause.since)}")
    known = "  ".join(f"{tally.states[state]} {name}" for state, name in STATE_NAMES.items())
    yield _row("URLs", "not known while the queue is away" if crawl.away else known)
    yield _row("pages/s", f"{crawl.pages_per_second:7.1f}  {sparkline(trend.paces, room)}")
    yield _row("queue", f"{tally.states['U']:7}  {sparkline(trend.queues, room)}")
    kinds = "  ".join(f"{count} {kind}" for kind, count in tally.kinds.items())
    yield _row("pages", kinds or "none yet")
    missing = sum(crawl.exceptions.values())
    here = f"{crawl.records}" + (f"  {missing} exceptions" if missing else "")
    yield _row("records", crawl.kept_at if crawl.records is None else here)
    for server in status.servers:
        yield _row("server", server.told)


def _weights(crawl: CrawlStatus, width: int) -> Iterator[str]:
    counts = [(str(weight), sum(row.values()), row.get("U", 0)) for weight, row in crawl.tally.weights.items()]
    if len(counts) > WEIGHTS:
        rest = counts[WEIGHTS - 1 :]
        row = (f"{rest[0][0]} and on", sum(count for _, count, _ in rest), sum(waits for *_, waits in rest))
        counts = [*counts[: WEIGHTS - 1], row]
    top, room = max((count for _, count, _ in counts), default=0), max(4, width - LABEL - 30)
    for place, (name, count, waits) in enumerate(counts):
        told = f"{count}" + (f", {waits} waiting" if waits else "")
        yield _row("weight" if not place else "", f"{name:<8} {bar(count, top, room)} {told}")


def _many(crawl: CrawlStatus) -> Iterator[str]:
    for place, (reason, count) in enumerate(list(crawl.tally.reasons.items())[:FEW]):
        yield _row("errors" if not place else "", f"{count} {reason}")
    for place, (host, states) in enumerate(list(crawl.tally.hosts.items())[:FEW]):
        told = f"{states.get('U', 0)} waiting, {states.get('C', 0)} complete"
        yield _row("hosts" if not place else "", f"{host}  {told}{', rests' if host in crawl.paused_hosts else ''}")
    for place, one in enumerate(crawl.workers[:FEW]):
        yield _row("workers" if not place else "", f"{one.owner}  {_doing(one)}")


def _doing(one: WorkerStatus) -> str:
    pace = f", {one.pages_per_second:.1f} pages/s" if one.pages_per_second is not None else ""
    oldest = f", oldest for {clock(one.oldest_lease_seconds)}" if one.oldest_lease_seconds else ""
    return f"{one.activity or 'at work'}{pace}, {one.leased} leased{oldest}"
