"""What the engine did and how long each part took, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gwc_crawler.store.tables import StopWatch
from gwc_crawler.stripping.engine import EngineOptions, StripOutcome

if TYPE_CHECKING:
    from rich.table import Table

MEGABYTE = 1_000_000


def as_json(done: StripOutcome, watch: StopWatch, options: EngineOptions, peak: int) -> dict[str, Any]:
    """Return the stable form of `scrapy strip --json`."""
    return {
        "pages": done.pages,
        "done_before": done.done_before,
        "left_out": done.left_out,
        "problems": done.problems,
        "examples": [{"url": url, "problem": problem} for url, problem in done.examples],
        "bytes_in": done.bytes_in,
        "characters_out": done.characters_out,
        "seconds": round(done.seconds, 3),
        "pages_per_second": round(done.pages / (done.seconds or 1), 1),
        "stopped": done.stopped,
        "buffer_bytes": done.buffer_bytes(options),
        "peak_bytes": peak,
        "database_share": round(database_share(done, watch), 4),
        "operations": {name: asdict(one) for name, one in watch.operations.items()},
    }


def database_share(done: StripOutcome, watch: StopWatch) -> float:
    """Return the share of the time that was spent inside databases."""
    return sum(one.inside for one in watch.operations.values()) / (done.seconds or 1)


def summary_lines(done: StripOutcome, options: EngineOptions, peak: int) -> Iterator[tuple[str, str]]:
    """Return labels and what is told of the whole."""
    pace = done.pages / (done.seconds or 1)
    yield "stripped", f"{done.pages:,} pages in {done.seconds:,.1f} s, {pace:,.0f} a second"
    if done.done_before:
        yield "before", f"{done.done_before:,} pages were done already"
    if done.pages:
        before, after = done.bytes_in / done.pages / 1000, done.characters_out / done.pages / 1000
        yield "size", f"{before:,.1f} KB a page before, {after:,.1f} thousand characters after"
    if done.left_out:
        yield "left out", f"{done.left_out:,} that are no HTML, or were gone when they were read"
    if done.problems:
        yield "problems", f"{done.problems:,} pages could not be stripped, as their rows say"
        yield from (("", f"{url}: {problem}") for url, problem in done.examples)
    buffer = done.buffer_bytes(options) / MEGABYTE
    yield (
        "memory",
        f"{peak / MEGABYTE:,.0f} MB at most; the buffer holds {options.buffer_pages:,} pages, {buffer:,.0f} MB",
    )


def time_table(watch: StopWatch) -> Table:
    """Return the times of operations, inside databases and outside, as a table."""
    from rich.table import Table  # only here: every command loads this package

    table = Table(title="seconds inside and outside the database", title_justify="left")
    table.add_column("operation")
    for heading in ("times", "pages", "inside", "outside", "ms a page"):
        table.add_column(heading, justify="right")
    for name, one in watch.operations.items():
        each = 1000 * (one.inside + one.outside) / (one.pages or 1)
        table.add_row(
            name, f"{one.times:,}", f"{one.pages:,}", f"{one.inside:.2f}", f"{one.outside:.2f}", f"{each:.3f}"
        )
    return table
