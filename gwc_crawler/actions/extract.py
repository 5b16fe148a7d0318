"""`scrapy extract SITE`: re-extracts the records of all stored pages with the present knowledge, without a request."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.actions.runs import output_console
from gwc_crawler.actions.sites import SiteFiles, print_json, site_files_of
from gwc_crawler.database import Database
from gwc_crawler.errors import InputError, LearnError
from gwc_crawler.ops import Summary, read_summary, render_summary
from gwc_crawler.ops.reextraction import Reextraction, extract_again
from gwc_crawler.store.figures import count_kept_pages


def act(command: ScrapyCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Re-extract; the exit code says how it ended."""
    if len(args) != 1:
        raise UsageError("name one site: a name that `scrapy list` shows, or a path to a site file")
    files = site_files_of(command, args[0])
    began = time.monotonic()
    done = extract(files)
    summary = read_summary(files.crawl_db, files.site.name, pages=done.pages, seconds=time.monotonic() - began)
    if opts.json:
        print_json(as_json(done, summary))
    else:
        render_summary(summary, output_console(files.settings))
        print(not_looked_at(done, files.site.name), end="")
    require_record(files, summary)


def extract(files: SiteFiles) -> Reextraction:
    """Re-extract a site's pages, with a progress bar on a terminal.

    Raises:
        InputError: nothing is learned or crawled, or no HTML was kept.
        StoreError: a crawl of the site is running.
    """
    knowledge = files.knowledge()
    mode = files.settings["GWC_PROGRESS"]
    shown = mode == "on" or (mode == "auto" and sys.stderr.isatty())
    with Database(files.require_crawl()) as database:
        database.lock()
        if not (total := count_kept_pages(database)):
            raise InputError(
                f"{database.path}: of no page the HTML was kept (GWC_KEEP_HTML), so there is nothing to extract from"
            )
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as bar:
            task = bar.add_task(f"{files.site.name} pages", total=total)
            return extract_again(database, files.site, knowledge, advance=lambda pages: bar.advance(task, pages))


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


def not_looked_at(done: Reextraction, site: str) -> str:
    """Say what changed and which pages could not be looked at, a line for each."""
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


def require_record(files: SiteFiles, summary: Summary) -> None:
    """Raise LearnError when a site with fields has no record at all."""
    if files.site.field_names and not summary.records:
        raise LearnError(
            f"{files.site.name}: none of {summary.pages} stored pages gave a record; "
            f"look at `scrapy learn {files.site.name} --offline`, or at single pages with `scrapy why`"
        )
