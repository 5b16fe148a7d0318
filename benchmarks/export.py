"""`python -m benchmarks.export`: records out of the store in each format: in how much CPU time and memory.

A store of so many records is made, with types, lists and Chinese texts; each export runs in a process of its own,
beside one of a tenth of the records. Memory that does not grow with the records is the point: the last column.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gwc_crawler.export import FORMATS, Selection, Target, export_file, format_named
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.store import CrawlDatabase, SqliteSink
from gwc_crawler.store.outlet import record_table

SHAPE = RecordShape(("title", "price", "pages", "born", "tags", "text"), frozenset({"price", "pages"}))
COLUMNS = "url, fetched_at, title, price, pages, born, tags, text"


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--formats", default=",".join(FORMATS), help="some of them")
    parser.add_argument("--child", nargs=2, metavar=("DATABASE", "FORMAT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(export_one(Path(options.child[0]), options.child[1])))
        return
    with tempfile.TemporaryDirectory() as directory:
        small, large = Path(directory) / "small" / "crawl.db", Path(directory) / "large" / "crawl.db"
        make_store(small, options.records // 10)
        make_store(large, options.records)
        print(f"{'format':<9}{'rows':>10}{'CPU s':>9}{'rows/s':>9}{'MB':>7}{'peak MB':>9}{'at a tenth':>12}")
        for name in options.formats.split(","):
            few, many = measured(small, name), measured(large, name)
            print(
                f"{name:<9}{many['rows']:>10,}{many['seconds']:>9.1f}{many['rows'] / many['seconds']:>9,.0f}"
                f"{many['bytes'] / 1e6:>7,.0f}{many['peak']:>9,.0f}{few['peak']:>12,.0f}",
                flush=True,
            )


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


def measured(database: Path, name: str) -> dict[str, float]:
    """Export in a process of its own; return rows, CPU seconds, bytes, and its peak memory in MB."""
    command = [sys.executable, "-m", "benchmarks.export", "--child", str(database), name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def export_one(path: Path, name: str) -> dict[str, float]:
    """Export a store into one format."""
    began = time.process_time()
    with CrawlDatabase(path, read_only=True) as database:
        table = record_table(database, "shop")
        assert table is not None
        target = Target(path.with_name(f"out.{name}"), overwrites=True, book=path.with_name("book.json"))
        written = export_file(table, Selection(format_named(name)), target)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = target.path.stat().st_size
    target.path.unlink()
    return {"rows": written.rows, "seconds": seconds, "bytes": size, "peak": peak}


if __name__ == "__main__":
    main()
