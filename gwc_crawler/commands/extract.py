"""`scrapy extract SITE`: re-extracts the records of all stored pages with the present knowledge, without a request."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError, LearnError

if TYPE_CHECKING:
    from gwc_crawler.knowledge.model import RecordShape
    from gwc_crawler.operate.reextraction import Reextraction
    from gwc_crawler.operate.summary import Summary
    from gwc_crawler.runs.lookup import SiteFiles
    from gwc_crawler.store.sink import RecordSinks


class Command(SiteCommand, ScrapyCommand):
    """Extract the records of all stored pages again, without a request."""

    help_text = """
    Reads every stored page of the crawl again, by knowledge.json and the site file as they are now, and rewrites its
    record, its exceptions and its kind (target, lookalike, directory …), in the crawl's file and in the servers that
    GWC_SINK names; it says which sink it can't change. Use it after `scrapy learn`, or after editing
    knowledge.json. It can be interrupted and done again; it refuses to run beside a crawl of the site.

    Only pages whose HTML was kept can be looked at: with GWC_KEEP_HTML = targets those whose URL passed a target filter
    at the time, with all every page. The others stay as they are. It says how many of them are targets by their URL
    now; `scrapy queue SITE retry --state C PATTERN` and `scrapy crawl SITE` fetch those again.

    With many pages, a process for each core reads; --workers says how many.

    --json keys: site, database, pages (looked at), changed (kinds), unreadable [URLs], without_html,
    targets_without_html, seconds, pages_by_kind, records, exceptions, urls {waiting, running, complete, error}.
    Keys are added, never renamed.

    Exit codes: 0 done; 2 no such site, not crawled or learned yet, its pages are elsewhere, or no HTML kept; 4 no page
    gave a record; 5 the site is being crawled, or the database can't be used; 130 interrupted.
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        from gwc_crawler.extract.reading.readers import AUTO

        told = "processes that read: a number, or auto (default)"
        parser.add_argument("--workers", default=AUTO, metavar="N", help=told)
        add_json(parser, " instead of the summary")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.extract.reading.readers import worker_count
        from gwc_crawler.operate.summary import read_summary, render_summary
        from gwc_crawler.runs.output import output_console, print_json
        from gwc_crawler.wiring.check import settings_of

        files = self.site_files(args)
        settings_of(files.site, files.settings, fetches=False)  # refuse here, too, what a crawl would refuse
        workers = worker_count(opts.workers, f"--workers {opts.workers}")
        began = time.monotonic()
        done = extract(files, workers)
        summary = read_summary(files.crawl_db, files.site.name, pages=done.pages, seconds=time.monotonic() - began)
        if opts.json:
            print_json(as_json(done, summary))
        else:
            render_summary(summary, output_console(files.settings))
            print(_not_looked_at(done, files.site.name), end="")
        if files.site.field_names and not summary.records:
            raise LearnError(
                f"{files.site.name}: none of {summary.pages} stored pages gave a record; "
                f"look at `scrapy learn {files.site.name} --offline`, or at single pages with `scrapy why`"
            )


PAGES_A_WORKER = 1_000
"""Pages per process below which `auto` takes fewer processes: they would be done before another one is started."""


def extract(files: SiteFiles, workers: int | None = None) -> Reextraction:
    """Re-extract a site's pages by *workers* processes (None: as many as useful), with a progress bar on a terminal.

    Raises InputError: nothing is learned or crawled, or no HTML was kept; StoreError: a crawl of the site is running.
    """
    from gwc_crawler.extract.reading.readers import auto_count
    from gwc_crawler.operate.reextraction import extract_again
    from gwc_crawler.runs.output import progress_bar
    from gwc_crawler.runs.records import require_pages
    from gwc_crawler.store.sqlite.database import CrawlDatabase
    from gwc_crawler.store.sqlite.stats import count_kept_pages

    knowledge = files.knowledge()
    with CrawlDatabase(require_pages(files)) as database:
        database.lock()
        if not (total := count_kept_pages(database)):
            raise InputError(
                f"{database.path}: of no page the HTML was kept (GWC_KEEP_HTML), so there is nothing to extract from"
            )
        if workers is None:
            workers = min(auto_count(), 1 + total // PAGES_A_WORKER)
        with (
            progress_bar(files.settings, f"{files.site.name} pages", lambda: total) as advance,
            other_sinks(files, knowledge.record_shape(files.site.field_names)) as others,
        ):
            return extract_again(database, files.site, knowledge, workers=workers, advance=advance, others=others)


@contextmanager
def other_sinks(files: SiteFiles, shape: RecordShape) -> Iterator[RecordSinks | None]:
    """Open the sinks besides the crawl's own file; says which of them stay as they are."""
    from gwc_crawler.wiring.options import chosen_sinks

    chosen = chosen_sinks(files.settings).others
    if not chosen:
        yield None
        return
    from gwc_crawler.store.sink import RecordSinks, SinkConfig

    one_by_one = {**files.settings, "GWC_MSSQL_WRITERS": 1}  # behind what the last crawl has left on disk
    config = SinkConfig(files.site.name, files.directory, shape, one_by_one)
    with closing(RecordSinks(chosen, config)) as sinks:
        if unrevised := sinks.unrevised:
            print(f"what {', '.join(unrevised)} has stays as it was: it can't be changed", file=sys.stderr)
        yield sinks


def as_json(done: Reextraction, summary: Summary) -> dict[str, object]:
    """Return the stable form of `scrapy extract --json`."""
    counts = summary.counts
    return {
        "site": summary.site,
        "database": str(summary.database),
        **asdict(done),
        "seconds": round(summary.seconds, 3),
        "pages_by_kind": dict(summary.pages_by_kind),
        "records": summary.records,
        "exceptions": summary.exceptions,
        "urls": {name: getattr(counts, name) for name in ("waiting", "running", "complete", "error")},
    }


def _not_looked_at(done: Reextraction, site: str) -> str:
    lines = [f"{done.changed} pages are of another kind now"] if done.changed else []
    if done.unreadable:
        lines.append(f"{len(done.unreadable)} pages could not be read and stay as they were: {done.unreadable[0]} …")
    if done.without_html:
        lines.append(f"{done.without_html} pages were not looked at: their HTML was not kept (GWC_KEEP_HTML)")
    if done.targets_without_html:
        lines.append(
            f"  {done.targets_without_html} of them are targets by their URL now; "
            f"`scrapy queue {site} retry --state C PATTERN`, then `scrapy crawl {site}` fetches them again"
        )
    return "".join(f"{'':>10}  {line}\n" for line in lines)
