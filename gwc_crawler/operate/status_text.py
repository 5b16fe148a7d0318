"""The status of sites on a terminal: an overview of all sites, or one site, section by section.

A section is a function in `SECTIONS`: it gives lines and tables, or nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from rich.console import Group, RenderableType
from rich.table import Table

from gwc_crawler.errors import advice, escape
from gwc_crawler.operate.status import STATE_NAMES, CrawlStatus, SiteStatus, Stage, WorkerStatus, stage_text, when
from gwc_crawler.operate.summary import clock, records_table
from gwc_crawler.operate.view import bar, class_rows, class_tree, names_text, sparkline

TABLES_SHOWN = 6

SHOWN_ROWS = 10

SHOWN_CLASSES = 20
SPARK = 40
BAR = 16

WORKER_COLUMNS = ("worker", "does", "pages", "pages/s", "leased", "oldest since", "runs out in", "last seen")

Section: TypeAlias = Callable[[SiteStatus, CrawlStatus], Iterable[RenderableType]]


@dataclass(frozen=True)
class StatusReport:
    """The status at one time: of the site called *name*, or of all sites and the workers of the fleet."""

    name: str | None
    sites: list[SiteStatus]
    workers: list[WorkerStatus]

    def as_json(self, *, whole: bool = False) -> Any:
        """Return the object of one site, or the list of all; with *whole* an object for all, too."""
        rows = [status.as_json() for status in self.sites]
        if self.name is not None:
            return rows[0]
        workers = [asdict(one) for one in self.workers]
        return {"checked_at": time.time(), "sites": rows, "workers": workers} if whole else rows

    def lines(self) -> str:
        """Return a line for each site."""
        return "\n".join(map(watch_line, self.sites)) or "no site has data yet"

    def rendered(self) -> RenderableType:
        """Return tables for a terminal."""
        parts: list[RenderableType] = [overview(self.sites) if self.name is None else details(self.sites[0])]
        if self.workers:
            columns = ("worker", "does", "pages", "pages/s", "leased", "last seen")
            cells = (dict(zip(WORKER_COLUMNS, _worker_row(one), strict=True)) for one in self.workers)
            rows = (tuple(row[name] for name in columns) for row in cells)
            parts.append(_table("workers of the fleet", columns, rows))
        if self.name is None:
            parts += _notes(self.sites)
        return Group(*parts)


def overview(statuses: Sequence[SiteStatus]) -> Table:
    """Return a table with a row for each site."""
    table = Table(title="sites", title_justify="left")
    for name in ("site", "state", "waiting", "running", "complete", "error", "records", "exceptions", "pages/min"):
        table.add_column(name, justify="left" if name in ("site", "state") else "right")
    for status in statuses:
        crawl = status.crawl or status.precrawl
        if crawl is None:
            table.add_row(status.site, escape(status.problem or _stage(status)))
            continue
        counts = ("–" if crawl.away else crawl.tally.states[state] for state in STATE_NAMES)
        kept = ("–", "–") if crawl.records is None else (crawl.records, sum(crawl.exceptions.values()))
        table.add_row(status.site, _stage(status), *map(str, (*counts, *kept, crawl.tally.last_minute)))
    return table


def _notes(statuses: Sequence[SiteStatus]) -> Iterator[RenderableType]:
    """Yield notes that the table has no room for: why figures are missing, and how crawls at rest go on."""
    for status in statuses:
        if status.problem and (status.crawl or status.precrawl):
            yield f"{status.site}: [red]{escape(status.problem)}[/red]"
    if any(status.stage is Stage.STOPPED for status in statuses):
        yield advice("crawls at rest go on where they were with `scrapy crawl SITE`")


def details(status: SiteStatus) -> Group:
    """Return all about one site."""
    goes_on = advice(f"; `scrapy crawl {status.site}` goes on") if status.stage is Stage.STOPPED else ""
    parts: list[RenderableType] = [f"[bold]{status.site}[/bold]  {stage_text(status)}{goes_on}"]
    if status.problem:
        parts.append(f"[red]{escape(status.problem)}[/red]")
    parts += _knowledge_lines(status)
    parts += _fleet_lines(status)
    crawl = status.crawl or status.precrawl
    if crawl is None:
        return Group(*parts)
    if status.crawl is None:
        parts.append("figures of the pages fetched so far, to learn from:")
        parts += _first_records(status, crawl)
    for section in SECTIONS:
        parts += (part for part in section(status, crawl) if not isinstance(part, Table) or part.row_count)
    parts += _size_lines(status)
    parts += (_line(one.name, escape(one.told)) for one in status.servers)
    if status.names:
        parts.append(f"names of all crawls: {names_text(status.names)}")
    return Group(*parts)


def _first_records(status: SiteStatus, crawl: CrawlStatus) -> Iterator[RenderableType]:
    first = crawl.first if status.knowledge is None else None
    if first and first["refused"]:
        yield _line("records", f"none can be read from the first {first['pages']} pages yet: {first['refused']}")
    elif first:
        title = f"first records, {first['count']} on the first {first['pages']} pages"
        yield records_table(title, first["latest"])


def _stage(status: SiteStatus) -> str:
    return f"{stage_text(status)}; fleet: {status.fleet['state']}" if status.fleet else stage_text(status)


def _fleet_lines(status: SiteStatus) -> list[RenderableType]:
    fleet = status.fleet
    if fleet is None:
        return []
    state = STATE_NAMES[fleet["state"]] + (f": {fleet['reason']}" if fleet["reason"] else "")
    parts = ((one["owner"], ",".join(map(str, one["parts"]))) for one in fleet["workers"])
    holders = [f"{owner} (parts {numbers})" if numbers else owner for owner, numbers in parts]
    return [_line("fleet", "; ".join(filter(None, [state, "learning" * fleet["learning"], ", ".join(holders)])))]


def _knowledge_lines(status: SiteStatus) -> Iterator[RenderableType]:
    if (learned := status.knowledge) is None:
        return
    targets = ", ".join(learned["targets"][:3]) + (", …" if len(learned["targets"]) > 3 else "")
    classes = f"{len(learned['directories'])} directory classes"
    followed = f"pages below weight {learned['max_weight']} are followed"
    yield _line("learned", f"{learned['learned_at']}, mode {learned['mode']}, {classes}, {followed}")
    yield _line("targets", targets or "none")


def _size_lines(status: SiteStatus) -> Iterator[RenderableType]:
    for name, one in (status.sizes or {}).items():
        helps = advice(f"`scrapy vacuum {status.site}`")
        free = f", {megabytes(one.free)} free ({helps})" if one.free > one.file / 4 else ""
        log = f", its log {megabytes(one.log)}" if one.log else ""
        tables = ", ".join(f"{table} {megabytes(size)}" for table, size in list(one.tables.items())[:TABLES_SHOWN])
        yield _line(name, f"{megabytes(one.file)}{log}{free}{': ' if tables else ''}{tables}")


def megabytes(size: int) -> str:
    """Return bytes as a person reads them.

    >>> megabytes(1_234_567), megabytes(999), megabytes(12_300_000_000)
    ('1.2 MB', '0.0 MB', '12,300.0 MB')
    """
    return f"{size / 1e6:,.1f} MB"


def watch_line(status: SiteStatus) -> str:
    """Say in a line how far a site is, for `--watch` where there is no terminal.

    >>> watch_line(SiteStatus("shop", 0.0))
    'shop  nothing yet'
    """
    crawl = status.crawl or status.precrawl
    if crawl is None:
        return f"{status.site}  {status.problem or stage_text(status)}"
    if crawl.away:
        return f"{status.site}  {stage_text(status)}: {status.problem}"
    states = "  ".join(f"{crawl.tally.states[state]} {name}" for state, name in STATE_NAMES.items())
    return f"{status.site}  {stage_text(status)}  {states}  {crawl.pages_per_second:.1f} pages/s"


def _sums(status: SiteStatus, crawl: CrawlStatus) -> Iterator[RenderableType]:
    tally = crawl.tally
    missing = ", ".join(f"{count} {field or 'whole page'}" for field, count in crawl.exceptions.items())
    known = ", ".join(f"{tally.states[state]} {name}" for state, name in STATE_NAMES.items())
    yield _line("URLs", "not known while the queue is away" if crawl.away else known)
    rate = f", {crawl.pages_per_second:.1f} a second" if crawl.pages_per_second else ""
    yield _line("pages", f"{tally.last_minute} in the last minute{rate}, {tally.last_ten_minutes} in the last ten")
    if crawl.kept_at:
        yield _line("records", escape(f"pages and records are {crawl.kept_at}"))
    else:
        yield _line("records", str(crawl.records))
        yield _line("exceptions", f"{sum(crawl.exceptions.values())}{': ' + missing if missing else ''}")
    if crawl.looks:
        last = crawl.looks[-1]
        verdict = f"not enough to learn from: {last.doubt}" if last.doubt else f"enough, the same since {last.since}"
        yield _line("looked at", escape(f"{last.pages} pages: {verdict}"))
    if crawl.due:
        yield _line("due", advice(f"{crawl.due} pages to look at again (scrapy crawl {status.site} -a recrawl=due)"))
    yield _line("database", crawl.database)
    if crawl.pause is not None:
        again = advice(f"`scrapy resume {status.site}`")
        yield _line("paused", f"by {crawl.pause.by} since {when(crawl.pause.since)}; {again}")
    if crawl.only_here:
        yield _line("", "queue and workers: from Redis; pages by kind, complete, records, exceptions: of this machine")
    for what, count in crawl.left_out.items():
        yield _line("", f"{count} {what} were not looked at")


def _pages(_: SiteStatus, crawl: CrawlStatus) -> Iterator[RenderableType]:
    yield _table("complete pages by kind", ("kind", "pages"), crawl.tally.kinds.items())
    top = max((sum(row.values()) for row in crawl.tally.weights.values()), default=0)
    rows = (
        (weight, *_by_state(row), bar(sum(row.values()), top, BAR).ljust(BAR))
        for weight, row in crawl.tally.weights.items()
    )
    table = _table("URLs by weight", ("weight", *STATE_NAMES.values(), "all"), rows)
    table.columns[-1].justify = "left"
    yield table


def _past(status: SiteStatus, _: CrawlStatus) -> Iterator[RenderableType]:
    if past := status.past:
        span = f"in {clock(past.step_seconds * len(past.pages))} until {when(past.until)}"
        peak = max(past.pages) / past.step_seconds
        yield _line("pace", f"{sparkline(past.pages, SPARK)}  at most {peak:.1f} pages/s, {span}")
        if past.waiting:
            yield _line("queue", f"{sparkline(past.waiting, SPARK)}  at most {max(past.waiting)} waiting")


def _classes(status: SiteStatus, _: CrawlStatus) -> Iterator[RenderableType]:
    lines = class_tree(class_rows(status))
    left = [f"… {len(lines) - SHOWN_CLASSES} more (--json)"] if len(lines) > SHOWN_CLASSES else []
    for place, line in enumerate([*lines[:SHOWN_CLASSES], *left]):
        yield _line("" if place else "classes", line)


def _hosts(status: SiteStatus, crawl: CrawlStatus) -> Iterator[RenderableType]:
    paused, now = crawl.paused_hosts, status.checked_at
    rows = (
        (host, *_by_state(row), f"{clock(paused[host] - now)} more" if host in paused else "")
        for host, row in crawl.tally.hosts.items()
    )
    yield _table("URLs by host", ("host", *STATE_NAMES.values(), "paused"), rows)


def _workers(_: SiteStatus, crawl: CrawlStatus) -> Iterator[RenderableType]:
    yield _table("workers", WORKER_COLUMNS, map(_worker_row, crawl.workers))
    for one in crawl.workers:
        if one.reasons:
            yield _line("paused", f"{one.owner} {'; '.join(one.reasons)}")
        yield from (_line("silent", words) for words in one.silent_hosts)


def _worker_row(one: WorkerStatus) -> tuple[object, ...]:
    return (
        one.owner,
        _shown(one.activity),
        _shown(one.pages),
        _shown(one.pages_per_second, "{:.1f}"),
        one.leased,
        *(_shown(seconds, clock) for seconds in (one.oldest_lease_seconds, one.next_expiry_seconds)),
        _shown(one.seen_seconds_ago, "{:.0f} s ago"),
    )


def _shown(value: Any, form: str | Callable[[float], str] = "{}") -> str:
    if value is None:
        return "–"
    return form.format(value) if isinstance(form, str) else form(max(0.0, value))


def _refused(_: SiteStatus, crawl: CrawlStatus) -> Iterator[RenderableType]:
    yield _table("errors by reason", ("reason", "URLs"), crawl.tally.reasons.items())
    same = ((page.told, page.answers, page.came) for page in crawl.limits.recognised)
    yield _table("one page at several addresses, taken for no answer", ("page", "asked again", "came later"), same)
    cut = (
        (f"{row.reason.replace('_', ' ')} {row.pattern}".strip(), row.count) for row in crawl.limits.rejections.values()
    )
    yield _table("URLs cut off by limits", ("limit", "URLs"), cut)


SECTIONS: tuple[Section, ...] = (_sums, _past, _pages, _classes, _hosts, _workers, _refused)
"""The sections on a crawl, in this order; a table without rows is left out."""


def _line(name: str, text: str) -> str:
    return f"[bold]{name:>10}[/bold]  {escape(text)}"


def _by_state(row: Mapping[str, int]) -> tuple[int | str, ...]:
    return tuple(row.get(state, "–") for state in STATE_NAMES)


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Return a table of the first rows: the first column left, figures right; a last row tells of those left out."""
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left", overflow="fold")
    all_rows = list(rows)
    for row in all_rows[:SHOWN_ROWS]:
        table.add_row(*(escape(str(cell)) for cell in row))
    if len(all_rows) > SHOWN_ROWS:
        table.add_row(f"… {len(all_rows) - SHOWN_ROWS} more (--json)")
    return table
