"""`scrapy view SITE`: stored records as a table, or one with where its values stand; `scrapy view URL`: Scrapy's."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from scrapy.commands.view import Command as ScrapyView
from scrapy.exceptions import UsageError
from w3lib.url import is_url

from gwc_crawler.commands.frame import LookingCommand, add_json, add_where, names_in, tell_part
from gwc_crawler.errors import InputError

if TYPE_CHECKING:
    from gwc_crawler.runs.lookup import SiteFiles


class Command(LookingCommand, ScrapyView):
    """Show the stored records as a table, or a URL in the browser."""

    arguments = "<site name | path to a site file | url>"
    help_text = """
    SITE (a name or a path to a site file): prints the stored records as a table, sorted by URL, also while a crawl
    runs. --limit says how many, --fields which columns, --where which records (FIELD=VALUE, FIELD~TEXT, and != !~ < <=
    > >=, may be given again). --url URL prints one record whole: where each value stands on its page (the rule that
    reads it there, where the page's HTML was kept), what the rule reads now where that differs, and what is missing.

    URL: opens the page in the browser, as the crawl gets it: Scrapy's own `view`. The settings of the site file are in
    force where the URL belongs to one, or --spider names one. Nothing is stored.

    --json prints a list of records (field → value); with --url an object: url, fetched_at, title, record, read_by
    {field: rule}, reads_now {field: value}, exceptions [{field, reason, closest}], note. Keys are added, never renamed.

    Exit codes: 0 shown, or whatever the server said; 1 no record is meant; 2 no such site or field, not crawled yet,
    its records are elsewhere, or none could pass --where; 5 the database can't be read; 7 shown, and of a shared crawl
    the rest is on other machines.

    Examples:
      scrapy view books --fields title,price --where 'price<10'
      scrapy view books --url https://books.example.com/product/9780785143727
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--url", metavar="URL", help="one record whole, with where each value was found")
        parser.add_argument("--fields", metavar="A,B", help="only these columns, in this order")
        parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N records (default 20)")
        add_where(parser)
        add_json(parser)

    def look_ahead(self, args: list[str], opts: argparse.Namespace) -> None:
        """Begin no crawler process to look into the store."""
        if len(args) != 1:
            raise UsageError("name one site, or one URL")
        self.requires_crawler_process = is_url(args[0])

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if self.crawler_process is not None:
            super().act(args, opts)
            return
        from gwc_crawler.runs.lookup import site_files_of

        if opts.limit < 1:
            raise InputError("--limit takes 1 or more")
        files = site_files_of(self, args[0])
        shown = self._show_one(files, opts) if opts.url else _show_some(files, opts)
        if not shown:
            print("no record is meant" if not opts.url else f"there is no record of {opts.url}", file=sys.stderr)
            self.exitcode = 1
        tell_part(self, files)

    def _show_one(self, files: SiteFiles, opts: argparse.Namespace) -> bool:
        from gwc_crawler.runs.record_view import view_record
        from gwc_crawler.runs.records import open_records

        with open_records(files) as (reader, table):
            found = view_record(reader, table, opts.url, files.site, files.learned())
        if found is not None:
            self.answer(opts, found.as_json(), found.lines())
        return found is not None


def _show_some(files: SiteFiles, opts: argparse.Namespace) -> bool:
    from gwc_crawler.export.columns import read_rows
    from gwc_crawler.export.filters import parse_filter
    from gwc_crawler.export.formats import FORMATS
    from gwc_crawler.export.writers import as_json
    from gwc_crawler.runs.output import console, print_json
    from gwc_crawler.runs.record_view import records_table_of
    from gwc_crawler.runs.records import open_records, selection_for

    filters = tuple(parse_filter(text) for text in opts.where)
    choice = replace(selection_for(files, FORMATS["jsonl"]), filters=filters)
    choice = replace(choice, fields=names_in(opts.fields) or choice.fields)
    with open_records(files) as (_, table):
        if not opts.fields:  # when it was fetched comes last: there may be no room for all
            names = [name for name in choice.plan(table).sources if name != "fetched_at"]
            choice = replace(choice, fields=(*names, "fetched_at"))
        plan = choice.plan(table)
        notes: list[str] = []
        read = read_rows(table, plan, filters=filters, tell=notes.append)
        rows = list(islice(chain.from_iterable(read), opts.limit + 1))
    for note in notes:
        print(note, file=sys.stderr)
    if opts.json:
        print_json([as_json(plan.columns, row) for row in rows[: opts.limit]])
    elif rows:
        out, more = console(), len(rows) > opts.limit
        out.print(records_table_of(plan, rows[: opts.limit], width=out.width, more=more))
    return bool(rows)
