"""The end of a crawl for a person to read: the first records, and figures of the run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from gwc_crawler.errors import advice, escape
from gwc_crawler.frontier.protocol import FrontierCounts
from gwc_crawler.frontier.rejections import RejectionRow, read_limits, rejections_text
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.sink import read_records


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


FIRST_RECORDS = 8

CELL_CHARACTERS = 40
COLUMN_CHARACTERS = 18
"""Width that a column needs to say something."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures at the end. `pages` and `seconds` are of the run; the others are of the database as it is now."""

    site: str
    database: Path
    pages: int
    seconds: float
    counts: FrontierCounts
    pages_by_kind: Mapping[str, int]
    records: int
    exceptions: int
    first_records: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    reused: int = 0
    looks: Mapping[str, int] | None = None
    """Counts of second looks by outcome (`spiders.due_pages.OUTCOMES`); None for a crawl without any."""
    rejections: Sequence[RejectionRow] = ()
    keeps_records: bool = True
    """Whether pages and records are in the database at all."""
    sinks: Sequence[str] = ()
    """Further stores that got them."""
    ended: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy crawl --json`."""
        counts = self.counts
        return {
            "site": self.site,
            "database": str(self.database),
            "pages": self.pages,
            "reused": self.reused,
            "seconds": round(self.seconds, 3),
            "ended": self.ended,
            "urls": {"U": counts.waiting, "R": counts.running, "C": counts.complete, "E": counts.error},
            "pages_by_kind": dict(self.pages_by_kind),
            "records": self.records if self.keeps_records else None,
            "exceptions": self.exceptions if self.keeps_records else None,
            "first_records": [dict(record) for record in self.first_records],
            "looks": None if self.looks is None else dict(self.looks),
            "cuts": [{"reason": row.reason, "pattern": row.pattern, "count": row.count} for row in self.rejections],
            "sinks": list(self.sinks),
        }


def read_summary(path: Path, site: str, **run: Any) -> Summary:
    """Read from the database the results of a run, of which *run* has the figures that only it knows: `pages` …"""
    with CrawlDatabase(path, read_only=True) as database:
        reader = SqliteReader(database, site)
        records = reader.records()
        return Summary(
            site=site,
            database=path,
            counts=SqliteFrontier(database, exclusive=False).counts(),
            pages_by_kind=reader.pages_by_kind(),
            records=records.count() if records else 0,
            exceptions=sum(reader.exception_counts().values()),
            first_records=list(read_records(database, site, FIRST_RECORDS)),
            rejections=tuple(read_limits(database).rejections.values()),
            **run,
        )


def render_summary(summary: Summary, console: Console) -> None:
    """Print the table of the first records and the sums."""
    if summary.first_records:
        console.print(records_table(f"first records of {summary.site}", summary.first_records, console.width))
    for name, text in _rows(summary):
        console.print(f"[bold]{name:>10}[/bold]  {escape(text)}", highlight=False, soft_wrap=True)


def _rows(summary: Summary) -> Iterator[tuple[str, str]]:
    rate = summary.pages / summary.seconds if summary.seconds else 0.0
    reused = f", {summary.reused} of them fetched to learn from" if summary.reused else ""
    yield "this run", f"{summary.pages} pages in {clock(summary.seconds)}, {rate:.1f} pages/s{reused}"
    if summary.ended:
        yield "ended by", summary.ended
    if summary.looks is not None:
        yield "revisited", looks_text(summary.looks)
    if summary.keeps_records:
        by_kind = sorted(summary.pages_by_kind.items(), key=lambda row: -row[1])
        kinds = ", ".join(f"{count} {kind}" for kind, count in by_kind)
        yield "pages", f"{sum(summary.pages_by_kind.values())}: {kinds}" if kinds else "0"
        yield "records", str(summary.records)
        yield "exceptions", f"{summary.exceptions} (missing fields, look-alikes; table `exceptions`)"
    if summary.sinks:
        yield "sinks", f"{', '.join(summary.sinks)}: pages and records go there (`scrapy status` tells what waits)"
    at = summary.counts
    yield "URLs", f"{at.waiting} waiting, {at.running} running, {at.complete} complete, {at.error} error"
    if summary.rejections:
        yield "cut off", rejections_text(summary.rejections)
    yield "database", str(summary.database)


def looks_text(looks: Mapping[str, int]) -> str:
    """Return the results of looking again as text.

    >>> looks_text({"changed": 4, "unchanged": 26, "not_modified": 90, "gone": 1, "failed": 0, "new": 2})
    '121: 4 changed, 116 unchanged (90 by 304), 1 gone; 2 new pages'
    """
    if not any(looks.values()):
        return advice("nothing was due; `scrapy why SITE URL` tells when a page is")
    looked = sum(count for name, count in looks.items() if name != "new")
    same = f"{looks['unchanged'] + looks['not_modified']} unchanged ({looks['not_modified']} by 304)"
    failed = f", {looks['failed']} failed" if looks["failed"] else ""
    new = f"{looks['new']} new page{'' if looks['new'] == 1 else 's'}"
    return f"{looked}: {looks['changed']} changed, {same}, {looks['gone']} gone{failed}; {new}"


def records_table(title: str, records: Sequence[Mapping[str, Any]], width: int = 100) -> Table:
    """Lay out some records: as many fields as are readable in *width* characters, the rest named below."""
    fields = [name for name in (records[0] if records else ()) if name not in ("url", "fetched_at")]
    shown = fields[: max(1, width // COLUMN_CHARACTERS)]
    more = f"further fields: {', '.join(fields[len(shown) :])}" if len(shown) < len(fields) else None
    table = Table(title=title, title_justify="left", caption=more, caption_justify="left")
    for name in shown:
        table.add_column(name, overflow="ellipsis", no_wrap=True, max_width=CELL_CHARACTERS)
    for record in records:
        table.add_row(*(escape(beginning(record.get(name))) for name in shown))
    return table


def beginning(value: Any) -> str:
    """Return what a line has room for of a value; "–" for None."""
    text = value if isinstance(value, str) else "–" if value is None else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= CELL_CHARACTERS else text[: CELL_CHARACTERS - 1] + "…"
