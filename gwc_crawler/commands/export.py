"""`scrapy export SITE -o FILE`: the stored records as a file, in any form, at any time."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json, add_where, names_in, tell_part
from gwc_crawler.errors import InputError

if TYPE_CHECKING:
    from gwc_crawler.export.formats import Format
    from gwc_crawler.export.job import Selection
    from gwc_crawler.runs.lookup import SiteFiles
    from gwc_crawler.store.reading import Exportable

HELP = """
    Reads the records of the store, sorted by URL, and writes them to FILE, also while a crawl of the site runs, which
    is not held up. The ending of FILE says the format: csv, tsv, jsonl, json, parquet, xlsx or sqlite; .gz behind a
    text format compresses it. FILE `-` is standard output (jsonl, unless --format says another). Parquet and xlsx need
    `pip install 'gwc-crawler[export]'`.

    FILE is written whole or not at all: killed or interrupted, what was there before is still there. -o replaces what
    an earlier `export` wrote there, and refuses a file of somebody else's, or one that was changed since; -O overwrites
    any. Beside FILE, datapackage.json says what its columns are (Frictionless Data Package); --no-schema leaves it out.

    --since TIME    only records that are new or have changed since: 2026-03-01, 2026-03-01T12:30Z, or 90m, 2h, 3d, 1w
                    ago
    --fields A,B    only these columns, in this order; else url, fetched_at and the fields of the site file
    --explode FIELD a row for each item of this list: FIELD.position (from 1), FIELD, and FIELD.PART for lists of
                    records. Else lists are JSON (in jsonl and json: lists)
    --where COND    only records for which it holds; may be given again: FIELD=VALUE, FIELD~TEXT (holds it), and != !~ <
                    <= > >=, which compare numbers, dates (2010-06-12) and texts with their like; what can't be compared
                    is left out and told, and a condition that no record could pass is refused

    --merge DIR     of a crawl that several machines share: also the records in DIR, which is another one's data
                    directory, copied or mounted, or its crawl.db; may be given again. Of a URL that two have, what was
                    fetched last counts

    --json keys: site, file, format, rows, columns [{name, kind (text, integer, number, day, moment, list, mixed)}],
    schema (where the data package is, or null), seconds, notes [sentences]. Keys are added, never renamed.

    Exit codes: 0 written; 2 no such site or field, not crawled yet, its records are elsewhere (it says where), no
    record could pass --where, FILE is another's, a package is missing; 5 the database can't be read or FILE not be
    written; 7 written, and of a shared crawl the rest is on other machines; 130 interrupted.

    Examples:
      scrapy export books -o books.csv
      scrapy export books -O books.parquet --since 1d
      scrapy export books -o reviews.xlsx --fields url,title --explode reviews
      scrapy export books -o - --where 'price<10' | jq .title
"""


@dataclass(frozen=True, slots=True)
class Output:
    """The destination of an export. `path` is None for standard output."""

    path: Path | None
    format: Format
    is_compressed: bool
    overwrites: bool


class Command(SiteCommand, ScrapyCommand):
    """Write the stored records to a file: CSV, JSON, Parquet, Excel, SQLite."""

    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("-o", "--output", metavar="FILE", help="write FILE; replaces only what export wrote there")
        parser.add_argument("-O", "--overwrite-output", metavar="FILE", help="write FILE, whatever is there")
        parser.add_argument("--format", metavar="FORMAT", help="the format, where FILE's ending does not say it")
        parser.add_argument("--since", metavar="TIME", help="only records that are new or have changed since")
        parser.add_argument("--fields", metavar="A,B", help="only these columns, in this order")
        parser.add_argument("--explode", metavar="FIELD", help="a row for each item of this list")
        add_where(parser)
        parser.add_argument("--bom", action="store_true", help="begin a CSV so that Excel knows that it is UTF-8")
        guard = "put an apostrophe before cells of a CSV that a spreadsheet would take for a formula"
        parser.add_argument("--guard-formulas", action="store_true", help=guard)
        parser.add_argument("--no-schema", action="store_true", help="write no datapackage.json")
        merge = "also the records in another machine's data directory (may be given again)"
        parser.add_argument("--merge", metavar="DIR", action="append", default=[], help=merge)
        add_json(parser, " of what was written (to stderr with -o -)")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.records import open_merged, open_records

        output, files = output_of(opts), self.site_files(args)
        began = time.monotonic()
        with ExitStack() as stack:
            if opts.merge:
                table: Exportable = stack.enter_context(open_merged(files, opts.merge))
            else:
                _, table = stack.enter_context(open_records(files))
            told = write(files, table, output, opts)
        told |= {"seconds": round(time.monotonic() - began, 3)}
        size = f"{output.path.stat().st_size:,} bytes" if output.path else ""
        line = f"{told['file']}: {told['rows']:,} rows, {size}, {told['seconds']:.1f} s" if size else ""
        if opts.json or size:
            self.answer(opts, told, line, to_stderr=not size)
        for note in () if opts.json else told["notes"]:
            print(note, file=sys.stderr)
        if not opts.merge:
            tell_part(self, files)


def output_of(opts: argparse.Namespace) -> Output:
    """Read from the command line where the export goes. Raises UsageError, InputError: nowhere, or no such format."""
    from gwc_crawler.export.formats import format_named, format_of

    name = opts.overwrite_output or opts.output
    if name is None or (opts.overwrite_output and opts.output):
        raise UsageError("say where: -o FILE, or -O FILE to overwrite one; `-o -` is standard output")
    if name == "-":
        chosen = format_named(opts.format or "jsonl")
        if not chosen.in_stream:
            raise InputError(f"{chosen.name} can't go to standard output; name a file")
        if not chosen.is_text and sys.stdout.isatty():
            raise InputError(f"{chosen.name} is nothing for a terminal; name a file, or send it through a pipe")
        return Output(None, chosen, is_compressed=False, overwrites=False)
    if opts.format:
        chosen, is_compressed = format_named(opts.format), name.endswith(".gz")
    else:
        chosen, is_compressed = format_of(name)
    return Output(Path(name), chosen, is_compressed, overwrites=bool(opts.overwrite_output))


def _choice_of(files: SiteFiles, output: Output, opts: argparse.Namespace) -> Selection:
    from gwc_crawler.export.filters import parse_filter, parse_moment
    from gwc_crawler.export.formats import Style
    from gwc_crawler.runs.records import selection_for

    choice = selection_for(files, output.format)
    return replace(
        choice,
        is_compressed=output.is_compressed,
        explode=opts.explode,
        style=Style(bom=opts.bom, guards_formulas=opts.guard_formulas),
        filters=tuple(parse_filter(text) for text in opts.where),
        since=parse_moment(opts.since, time.time()) if opts.since else None,
        fields=names_in(opts.fields) or choice.fields,
    )


def write(files: SiteFiles, table: Exportable, output: Output, opts: argparse.Namespace) -> dict[str, Any]:
    """Write the export and its description; return the stable form of `--json`."""
    from gwc_crawler.export.filters import moment_text
    from gwc_crawler.export.job import BOOK, ExportFile, describe_file, export_file, export_stream
    from gwc_crawler.runs.output import progress_bar

    choice, site, path = _choice_of(files, output, opts), files.site, output.path
    schema: Path | None = None
    notes: Sequence[str] = ()
    if path is None:
        written = export_stream(table, choice, sys.stdout.buffer)
    else:
        target = ExportFile(path, overwrites=output.overwrites, book=files.directory / BOOK)
        target.check()
        with progress_bar(files.settings, f"{site.name} rows", table.count) as advance:
            written = export_file(table, choice, target, advance=advance)
        if not opts.no_schema:
            schema, notes = describe_file(target, choice, written, site, moment_text(time.time()))
    return {
        "site": site.name,
        "file": str(path) if path else "-",
        "format": output.format.name,
        "rows": written.rows,
        "columns": [{"name": column.name, "kind": column.kind.value} for column in written.plan.columns],
        "schema": str(schema) if schema else None,
        "notes": [*written.notes, *notes],
    }
