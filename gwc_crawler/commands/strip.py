"""`scrapy strip --from … --to …`: pages without their tags' noise, from one store of pages into another (TagStrip)."""

from __future__ import annotations

import argparse
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from types import FrameType
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from gwc_crawler.store.stripping.engine import EngineOptions, StopWatch, StripOutcome

HELP = """
    Reads waiting pages, strips what GWC_STRIP_GROUPS says (-s GWC_STRIP_GROUPS=scripts,empty,nav), and stores them
    again: GWC_STRIP_ROWS (500) are read at a time into a buffer of GWC_STRIP_BLOCKS (10), blocks of
    GWC_STRIP_BLOCK_PAGES (100) are stripped by a process for each core and written at once.

    --from sqlite:PATH   a crawl's database (its pages whose HTML was kept), also while it is crawled; with --table any
                         table or view that has `url` and `content` (or `html`, `body`): text, or bytes, packed or not
           mssql:        a table of the SQL Server that GWC_MSSQL_* name (`pages`, or --table); mssql:NAME: of another
                         database there; postgres: of the PostgreSQL that GWC_POSTGRES_URL names
           warc:PATH     a WARC file or a folder of them: answers with status 200 that are HTML
           dir:DIR       the HTML files of a folder
    --to   sqlite:PATH   table `stripped` (--to-table): url, version, stripped_at, problem, content
           mssql:        such a table on the server; also postgres:
           dir:DIR       a file for each page; `stripped.db` there says which are done

    It may be ended at any moment and begun again: pages that are in the target are not stripped twice, those that have
    changed in the source since are. Ctrl-C finishes the pages at work; twice ends at once. At the end it tells how long
    each operation took, inside the database and outside.

    --json keys: pages, done_before, left_out, problems, examples, bytes_in, characters_out, seconds, pages_per_second,
    stopped, buffer_bytes, peak_bytes, database_share, operations {name: times, pages, inside, outside}.
    Keys are added, never renamed.

    Exit codes: 0 done, pages with problems included; 2 --from or --to can't be used, or nothing waits there; 5 a
    database or disk failed: what was written stays, run it again; 130 interrupted: run it again.

    Example: scrapy strip --from sqlite:data/books/crawl.db --to sqlite:stripped.db
"""


class Command(SiteCommand, ScrapyCommand):
    """Strip the tags' noise from stored pages, in bulk."""

    arguments = "--from <sqlite:PATH | mssql: | postgres: | warc:PATH | dir:DIR> --to <the same, but warc>"
    help_text = HELP
    label_width = 10

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        from gwc_crawler.extract.reading.readers import AUTO

        parser.add_argument("--from", dest="source", metavar="WHERE", help="where pages are read")
        parser.add_argument("--to", dest="target", metavar="WHERE", help="where stripped pages go")
        parser.add_argument("--table", metavar="NAME", help="the table to read, if it is not a crawl's pages")
        parser.add_argument("--to-table", metavar="NAME", help="the table to write (default: stripped)")
        parser.add_argument(
            "--workers", default=AUTO, metavar="N", help="processes that strip: a number, or auto (default)"
        )
        add_json(parser, " instead of the summary")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.extract.reading.readers import auto_count, worker_count
        from gwc_crawler.runs.output import console
        from gwc_crawler.store.stripping.engine import EngineOptions, StopWatch

        if args:
            raise UsageError(f"takes no argument like {args[0]!r}; name --from and --to")
        if not opts.source or not opts.target:
            raise UsageError("name where pages are read and where they go: --from sqlite:PATH --to sqlite:PATH")
        workers = worker_count(opts.workers, f"--workers {opts.workers}") or auto_count()
        sizes = map(self.settings.getint, ("GWC_STRIP_ROWS", "GWC_STRIP_BLOCK_PAGES", "GWC_STRIP_BLOCKS"))
        watch, options = StopWatch(), EngineOptions(*sizes)
        done = strip(opts, self.settings, watch, options, workers=workers)
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak = (own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * 1024
        self.answer(opts, as_json(done, watch, options, peak), _summary_lines(done, options, peak))
        if not opts.json:
            console().print(_time_table(watch))
        if done.stopped:
            raise KeyboardInterrupt


def strip(
    opts: argparse.Namespace, settings: BaseSettings, watch: StopWatch, options: EngineOptions, *, workers: int
) -> StripOutcome:
    """Open both ends; strip by *workers* processes. Raises InputError: one can't be used; StoreError: it failed."""
    from gwc_crawler.page.strip import StripOptions
    from gwc_crawler.runs.output import progress_bar
    from gwc_crawler.store.stripping.engine import Strippers, strip_pages
    from gwc_crawler.store.stripping.locations import check_apart, open_source, open_target

    check_apart(opts.source, opts.table, opts.target, opts.to_table)
    with ExitStack() as opened:
        strippers = Strippers(workers, StripOptions.of(settings.getlist("GWC_STRIP_GROUPS")))
        opened.callback(strippers.close)  # processes come first: they inherit no database
        source = open_source(opts.source, opts.table, watch, settings)
        opened.callback(source.close)
        total = source.count()
        if total == 0:
            raise InputError(
                f"--from {opts.source}: no page waits there (of a crawl, only HTML that GWC_KEEP_HTML kept; "
                "what it keeps on a SQL Server: --from mssql:)"
            )
        target = open_target(opts.target, opts.to_table, watch, settings)
        opened.callback(target.close)
        stops = opened.enter_context(_stop_on_signal())
        advance = opened.enter_context(progress_bar(settings, "pages", source.count))
        done = strip_pages(source, target, strippers, watch, options, advance=advance, stops=stops)
    if not done.pages + done.done_before + done.left_out:
        raise InputError(f"--from {opts.source}: no HTML page is there")
    return done


def as_json(done: StripOutcome, watch: StopWatch, options: EngineOptions, peak: int) -> dict[str, Any]:
    """Return the stable form of `scrapy strip --json`."""
    told = asdict(done)
    del told["url_characters"]
    return {
        **told,
        "examples": [{"url": url, "problem": problem} for url, problem in done.examples],
        "seconds": round(done.seconds, 3),
        "pages_per_second": round(done.pages / (done.seconds or 1), 1),
        "buffer_bytes": done.buffer_bytes(options),
        "peak_bytes": peak,
        "database_share": round(_database_share(done, watch), 4),
        "operations": {name: asdict(one) for name, one in watch.operations.items()},
    }


def _database_share(done: StripOutcome, watch: StopWatch) -> float:
    return sum(one.inside for one in watch.operations.values()) / (done.seconds or 1)


def _summary_lines(done: StripOutcome, options: EngineOptions, peak: int) -> Iterator[tuple[str, str]]:
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
    buffer = done.buffer_bytes(options) / 1e6
    yield ("memory", f"{peak / 1e6:,.0f} MB at most; the buffer holds {options.buffer_pages:,} pages, {buffer:,.0f} MB")


def _time_table(watch: StopWatch) -> Table:
    from rich.table import Table

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


@contextmanager
def _stop_on_signal() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C (or SIGTERM) be noted, which the given function tells, and the second KeyboardInterrupt."""
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)
        print("finishing the pages at work; once more ends at once, and loses nothing either", file=sys.stderr)

    from gwc_crawler.runs.output import heeding

    with heeding(note, signal.SIGINT, signal.SIGTERM):
        yield lambda: bool(came)
