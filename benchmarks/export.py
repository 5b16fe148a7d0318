"""`python -m benchmarks.export`: records out of the store in each format: in how much CPU time and memory.

A store of so many records is made, with types, lists and Chinese texts; each export runs in a process of its own,
beside one of a tenth of the records. Memory that does not grow with the records is the point: the last column.

`--verify` reads Parquet by pyarrow and XLSX by openpyxl again, and compares every value with the store's; exit code 1
where one differs.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

from gwc_crawler.export import FORMATS, ExportFile, Selection, export_file, format_named
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.store import CrawlDatabase, SqliteSink
from gwc_crawler.store.sqlite.outlet import record_table

SHAPE = RecordShape(("title", "price", "pages", "born", "tags", "text"), frozenset({"price", "pages"}))
COLUMNS = "url, fetched_at, title, price, pages, born, tags, text"


def main() -> int:
    """Measure, and print a table; 0 unless a value that was read again differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--formats", default=",".join(FORMATS), help="some of them")
    parser.add_argument("--verify", action="store_true", help="read Parquet and XLSX again, by libraries of others")
    parser.add_argument("--child", nargs=2, metavar=("DATABASE", "FORMAT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(export_one(Path(options.child[0]), options.child[1], verifies=options.verify)))
        return 0
    with tempfile.TemporaryDirectory() as directory:
        small, large = Path(directory) / "small" / "crawl.db", Path(directory) / "large" / "crawl.db"
        make_store(small, options.records // 10)
        make_store(large, options.records)
        print(f"{'format':<9}{'rows':>10}{'CPU s':>9}{'rows/s':>9}{'MB':>7}{'peak MB':>9}{'at a tenth':>12}")
        differing = 0
        for name in options.formats.split(","):
            few, many = measured(small, name), measured(large, name, verifies=options.verify)
            print(
                f"{name:<9}{many['rows']:>10,}{many['seconds']:>9.1f}{many['rows'] / many['seconds']:>9,.0f}"
                f"{many['bytes'] / 1e6:>7,.0f}{many['peak']:>9,.0f}{few['peak']:>12,.0f}",
                flush=True,
            )
            if "differing" in many:
                print(f"{'':<9}{many['compared']:>10,} values read again, {many['differing']} differ", flush=True)
                differing += int(many["differing"])
        return 1 if differing else 0


def make_store(path: Path, records: int) -> None:
    """Write a store with so many records."""
    with CrawlDatabase(path) as database:
        SqliteSink(database, site="shop", fields=SHAPE)
        rows = (
            (
                *(f"http://shop.example/item/{number:08}", 1.7e9 + number, f"商品 number {number}", number % 9999 / 4),
                *(number % 700, f"20{number % 25:02}-0{number % 9 + 1}-11", f'["a{number % 7}", "漢字"]'),
                "Eine Zeile Text mit 漢字, wie sie auf Seiten steht. " * (1 + number % 5),
            )
            for number in range(records)
        )
        with database.transaction() as connection:
            connection.executemany(
                f"INSERT INTO records_shop ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  # constants
                rows,
            )


def measured(database: Path, name: str, *, verifies: bool = False) -> dict[str, float]:
    """Export in a process of its own; return rows, CPU seconds, bytes, and its peak memory in MB."""
    command = [sys.executable, "-m", "benchmarks.export", "--child", str(database), name]
    command += ["--verify"] if verifies else []
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def export_one(path: Path, name: str, *, verifies: bool) -> dict[str, float]:
    """Export a store into one format, and compare what can be read again."""
    began = time.process_time()
    with CrawlDatabase(path, read_only=True) as database:
        table = record_table(database, "shop")
        assert table is not None
        target = ExportFile(path.with_name(f"out.{name}"), overwrites=True, book=path.with_name("book.json"))
        written = export_file(table, Selection(format_named(name)), target)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {"rows": written.rows, "seconds": seconds, "bytes": target.path.stat().st_size, "peak": peak}
    if verifies and name in READERS:
        figures |= compared(path, name, target.path)
    target.path.unlink()
    return figures


def compared(database: Path, name: str, file: Path) -> dict[str, float]:
    """Compare every value of a file with the store's; rows that one of both lacks count as differing."""
    values = differing = 0
    with CrawlDatabase(database, read_only=True) as store:
        rows = store.connection.execute(f"SELECT {COLUMNS} FROM records_shop ORDER BY url")  # noqa: S608  # constants
        for own, other in zip_longest(map(typed, rows), READERS[name](file), fillvalue=()):
            values += len(own)
            if own != other:
                differing += max(1, sum(one != two for one, two in zip(own, other, strict=False)))
    return {"compared": values, "differing": differing}


def typed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row of the store with its times as such."""
    url, fetched_at, title, price, pages, born, tags, text = row
    moment = datetime.fromtimestamp(fetched_at, UTC).replace(tzinfo=None)
    return url, moment, title, price, pages, date.fromisoformat(born), tags, text


def from_parquet(path: Path) -> Iterator[tuple[Any, ...]]:
    """Return the rows as pyarrow reads them."""
    import pyarrow.parquet

    names = COLUMNS.split(", ")
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(10_000, columns=names):
        for row in batch.to_pylist():
            row["fetched_at"] = row["fetched_at"].replace(tzinfo=None)
            yield tuple(row[name] for name in names)


def from_xlsx(path: Path) -> Iterator[tuple[Any, ...]]:
    """Return the rows of all sheets as openpyxl reads them."""
    openpyxl: Any = import_module("openpyxl")
    with closing(openpyxl.load_workbook(path, read_only=True)) as book:
        for sheet in book:
            rows = sheet.iter_rows(values_only=True)
            header = next(rows)
            places = [header.index(name) for name in COLUMNS.split(", ")]
            for row in rows:
                cells = [row[place] for place in places]
                cells[5] = cells[5].date()
                yield tuple(cells)


READERS = {"parquet": from_parquet, "xlsx": from_xlsx}


if __name__ == "__main__":
    raise SystemExit(main())
