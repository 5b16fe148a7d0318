"""A site's status, or that of all sites, as lines that fill a terminal's screen; the first lines matter most.

`scrapy status --watch` shows them anew each time. What it is asked for by keys is decided there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from gwc_crawler.markup import visible
from gwc_crawler.operate.progress import clock
from gwc_crawler.operate.screen.pictures import bar, class_tree, sparkline
from gwc_crawler.operate.status import STATE_NAMES, CrawlStatus, SiteStatus, WorkerStatus, stage_of, when

LOOKS = 500
"""So many are remembered for the sparklines: more than any screen is wide."""

LABEL = 9
FEW = 3
"""Rows of what there may be many of, where other parts want the room, too."""
WEIGHTS = 6


@dataclass(frozen=True, slots=True)
class Trend:
    """The pace and the queue each time somebody looked."""

    paces: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))
    queues: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))

    def add(self, status: SiteStatus) -> None:
        """Note what was seen."""
        if crawl := status.crawl or status.precrawl:
            self.paces.append(crawl.pages_per_second)
            self.queues.append(crawl.tally.states["U"])


def site_screen(status: SiteStatus, trend: Trend, *, width: int, height: int) -> list[str]:
    """Return all about one site in at most *height* lines of at most *width* letters."""
    lines = [f"{status.site}  {stage_of(status)}  {when(status.checked_at)}"]
    if status.problem:
        lines.append(status.problem)
    if crawl := status.crawl or status.precrawl:
        lines += _stats(status, crawl, trend, width)
        lines += _weights(crawl, width)
        lines += _many(crawl)
    lines += class_tree(class_rows(status))
    return fitted(lines, width=width, height=height)


def overview_screen(
    statuses: Sequence[SiteStatus], workers: Sequence[WorkerStatus] = (), *, width: int, height: int
) -> list[str]:
    """Return a line for each site, those that are at work first, and behind them the workers of the fleet."""
    rows = sorted(statuses, key=lambda one: not _is_running(one))
    longest = max((len(one.site) for one in rows), default=0)
    lines = [f"{len(rows)} sites  {when(rows[0].checked_at)}" if rows else "no site has data yet"]
    for status in rows:
        crawl = status.crawl or status.precrawl
        states = crawl.tally.states if crawl else {}
        figures = "  ".join(f"{states[state]} {name}" for state, name in STATE_NAMES.items() if states)
        pace = f"{crawl.pages_per_second:.1f}/s" if crawl and crawl.running_as else ""
        fleet = f"fleet: {status.fleet['state']}" if status.fleet else ""
        parts = (status.site.ljust(longest), pace, status.problem or stage_of(status), fleet, figures)
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
    """The learned classes of URLs: pattern, and what it is, with the pages read of it and why it is closed."""
    learned = status.knowledge or {}
    crawl = status.crawl or status.precrawl
    known = crawl.limits.classes if crawl else {}
    for name, role in (("targets", "target"), ("directories", "directory")):
        for pattern in learned.get(name, ()):
            one = known.get(pattern)
            pages = f"{one.pages} pages" if one and one.pages else ""
            closed = f"closed: {one.closed.value.replace('_', ' ')}" if one and one.closed else ""
            yield pattern, ", ".join(filter(None, (role, pages, closed)))


def _is_running(status: SiteStatus) -> bool:
    return any(one is not None and one.running_as for one in (status.crawl, status.precrawl))


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
    yield _row("records", crawl.kept_at or here)
    if status.sql_server:
        yield _row("server", status.sql_server.told)


def _weights(crawl: CrawlStatus, width: int) -> Iterator[str]:
    """A bar for each weight: how many URLs have it; the last of many are one row."""
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
    """Errors, hosts that wait and workers: the first few."""
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
