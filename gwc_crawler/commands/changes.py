"""`scrapy changes SITE`: what became of records over time."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json, tell_part
from gwc_crawler.errors import InputError, advice, visible

if TYPE_CHECKING:
    from gwc_crawler.runs.lookup import SiteFiles
    from gwc_crawler.store.sqlite.reading import Change


class Command(SiteCommand, ScrapyCommand):
    """Show what became of records over time: new, changed, removed."""

    help_text = """
    With GWC_HISTORY, a crawl keeps what becomes of each record: when it was new, which field changed when and what it
    said before, when it was removed (its page is no target any more, or has become a redirect). This prints it, oldest
    first, also while a crawl runs. A record whose page is gone (404, 410) stays in the store, and is listed as gone.
    What `scrapy extract` changes, by newer knowledge, is part of it; the pages are the same then.

    --since TIME    only what happened since: 2026-03-01, 2026-03-01T12:30Z, or 90m, 2h, 3d, 1w ago (default: all)
    --field NAME    only changes of this field
    --url URL       only of this record

    --json prints a list of objects: at, what (new, changed, removed, gone), url, field ("" for the record as a whole),
    old, new (lists as lists; old of a removed record is all of it), cause (crawl, extract). Keys are added, never
    renamed.

    Exit codes: 0 shown; 1 nothing happened; 2 no such site, not crawled yet, its records are elsewhere, or no history
    is kept; 5 the database can't be read; 7 shown, and of a shared crawl the rest is on other machines.

    Examples:
      scrapy changes books --since 1w --field price
      scrapy changes books --url https://books.example.com/product/9780785143727
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--since", metavar="TIME", help="only what happened since")
        parser.add_argument("--field", metavar="NAME", help="only changes of this field")
        parser.add_argument("--url", metavar="URL", help="only of this record")
        parser.add_argument("--limit", type=int, metavar="N", help="at most N, the oldest")
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.limit is not None and opts.limit < 1:
            raise InputError("--limit takes 1 or more")
        shown, files = 0, self.site_files(args)
        for shown, change in enumerate(_changes(files, opts), 1):
            if opts.json:
                print("[" if shown == 1 else ",", json.dumps(as_json(change), ensure_ascii=False), sep="\n")
            else:
                print(_line_of(change))
        if opts.json:
            print("]" if shown else "[]")
        if not shown:
            print("nothing happened", file=sys.stderr)
            self.exitcode = 1
        tell_part(self, files)


def _changes(files: SiteFiles, opts: argparse.Namespace) -> Iterator[Change]:
    from gwc_crawler.export.filters import parse_moment
    from gwc_crawler.runs.records import has_server_alone, require_pages
    from gwc_crawler.store.sqlite.database import CrawlDatabase
    from gwc_crawler.store.sqlite.reading import has_history, read_changes

    since = parse_moment(opts.since, time.time()) if opts.since else 0.0
    if has_server_alone(files.settings):
        raise InputError(
            f"of {files.site.name} no history is kept where its records are; crawls with GWC_SINK = sqlite,… and "
            "GWC_HISTORY = true keep one from then on"
        )
    with CrawlDatabase(require_pages(files), read_only=True) as database:
        if not has_history(database):
            raise InputError(
                f"{database.path}: no history is kept; set GWC_HISTORY = true in the site file's [settings] (or with "
                "-s), and what later crawls change is kept from then on"
            )
        found = read_changes(database, files.site.name, since=since, url=opts.url, field=opts.field)
        yield from islice(found, opts.limit)


def as_json(change: Change) -> dict[str, Any]:
    """Return the stable form of a change."""
    from gwc_crawler.export.filters import moment_text
    from gwc_crawler.store.history import ChangeKind
    from gwc_crawler.store.sink import as_extracted

    old = json.loads(change.old) if change.what is ChangeKind.REMOVED else as_extracted(change.old)
    if isinstance(old, dict):
        old = {name: as_extracted(value) for name, value in old.items()}
    return {
        "at": moment_text(change.at),
        "what": change.what,
        "url": change.url,
        "field": change.field,
        "old": old,
        "new": as_extracted(change.new),
        "cause": change.cause,
    }


def _line_of(change: Change) -> str:
    from gwc_crawler.export.filters import moment_text
    from gwc_crawler.store.history import ChangeCause

    when = moment_text(change.at)[:19].replace("T", " ")
    line = f"{when}  {change.what:<8} {change.url}"
    if change.field:
        line += f"  {change.field}: {_short(change.old)} → {_short(change.new)}"
    return line + (advice(" (by `scrapy extract`)") if change.cause is ChangeCause.EXTRACT else "")


def _short(value: Any) -> str:
    text = "–" if value is None else visible(" ".join(str(value).split()))
    return text if len(text) <= 80 else text[:79] + "…"
