"""`scrapy strip --from … --to …`: pages without their tags' noise, from one store of pages into another (TagStrip)."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError

if TYPE_CHECKING:
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
    """Strip stored pages."""

    arguments = "--from <sqlite:PATH | mssql: | postgres: | warc:PATH | dir:DIR> --to <the same, but warc>"
    summary = "Strip the tags' noise from stored pages, in bulk"
    help_text = HELP

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
        from gwc_crawler.runs.output import console, print_json, print_labelled
        from gwc_crawler.store.stripping.engine import (
            EngineOptions,
            StopWatch,
            as_json,
            peak_bytes,
            summary_lines,
            time_table,
        )

        if args:
            raise UsageError(f"takes no argument like {args[0]!r}; name --from and --to")
        if not opts.source or not opts.target:
            raise UsageError("name where pages are read and where they go: --from sqlite:PATH --to sqlite:PATH")
        workers = worker_count(opts.workers, f"--workers {opts.workers}") or auto_count()
        assert self.settings is not None
        sizes = map(self.settings.getint, ("GWC_STRIP_ROWS", "GWC_STRIP_BLOCK_PAGES", "GWC_STRIP_BLOCKS"))
        watch, options = StopWatch(), EngineOptions(*sizes)
        done = strip(opts, self.settings, watch, options, workers=workers)
        peak = peak_bytes()
        if opts.json:
            print_json(as_json(done, watch, options, peak))
        else:
            print_labelled(summary_lines(done, options, peak), width=10)
            console().print(time_table(watch))
        if done.stopped:
            raise KeyboardInterrupt


def strip(
    opts: argparse.Namespace,
    settings: BaseSettings,
    watch: StopWatch,
    options: EngineOptions,
    *,
    workers: int,
) -> StripOutcome:
    """Open both ends, and strip by *workers* processes; see `HELP`.

    Raises:
        InputError: an end can't be used, or there is no page.
        StoreError: one of them failed.
    """
    from gwc_crawler.page.strip import StripOptions
    from gwc_crawler.runs.output import progress_bar
    from gwc_crawler.store.stripping.engine import StopOnSignal, Strippers, strip_pages
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
        stops = opened.enter_context(StopOnSignal())
        advance = opened.enter_context(progress_bar(settings, "pages", source.count))
        done = strip_pages(source, target, strippers, watch, options, advance=advance, stops=stops)
    if not done.pages + done.done_before + done.left_out:
        raise InputError(f"--from {opts.source}: no HTML page is there")
    return done
