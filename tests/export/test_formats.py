"""Every format, written by the export and read back by a library of somebody else's: equal to what is stored."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet
import pytest
from openpyxl.utils.escape import unescape

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.export.columns import Column, ColumnKind, plan_columns
from gwc_crawler.export.formats import Style, format_of
from gwc_crawler.export.job import ExportFile, Selection, export_file, export_stream
from gwc_crawler.export.writers import LONG_TEXTS, MAX_CHARACTERS, XlsxWriter
from gwc_crawler.items import Lease, Page, PageKind, Record, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader, SqliteRecords
from gwc_crawler.store.sqlite.sink import SqliteSink

MOMENT = 1_276_336_800.125
SHAPE = RecordShape(("title", "price", "pages", "born", "tags", "mixed", "reviews"), frozenset({"price", "pages"}))

RECORDS: list[dict[str, Any]] = [
    {"title": "Thor", "price": 11.48, "pages": 320, "born": "2010-06-12", "tags": ["a", "b,c"], "mixed": "one"},
    {"title": "=1+1", "price": -3, "pages": None, "born": None, "tags": [], "mixed": ["x", "y"]},
    {"title": '"quoted", 漢字 😀\nsecond line', "price": None, "pages": 2**60, "born": "1850-01-31", "tags": None},
    {
        "title": "a\0b\x01c",
        "price": 1e300,
        "pages": 0,
        "born": "2024-02-29",
        "tags": ["\ud800 alone"],
        "mixed": "[sic]",
    },
    {"title": None, "price": 0.1, "pages": -1, "born": None, "tags": ["x"], "mixed": None, "reviews": []},
    {
        "title": "reviewed",
        "reviews": [{"author": "李", "stars": 5}, {"author": "Bob", "stars": 4, "text": "thin\tplot"}],
    },
]


def visit(url: str, fields: dict[str, Any]) -> Visit:
    page = Page(url, 200, b"<p>", "text/html", "utf-8", kind=PageKind.TARGET, relevant=True)
    return Visit(Lease(url, 1, 0, 1, 1, "w", 1, 0.0), page, Record(url, fields), 0, MOMENT, "", "")


def store(database: CrawlDatabase, records: list[dict[str, Any]]) -> SqliteRecords:
    sink = SqliteSink(database, site="shop", fields=SHAPE)
    sink.write([visit(f"http://shop.example/{number:03}", fields) for number, fields in enumerate(records)])
    table = SqliteReader(database, "shop").records()
    assert table is not None
    return table


@pytest.fixture
def database(tmp_path: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        yield database


@pytest.fixture
def table(database: CrawlDatabase) -> SqliteRecords:
    return store(database, RECORDS)


def write(table: SqliteRecords, name: str, directory: Path, **rest: Any) -> Path:
    kind, is_compressed = format_of(name)
    path = directory / name
    choice = Selection(kind, is_compressed, known=SHAPE.columns, texts=frozenset({"title"}), **rest)
    export_file(table, choice, ExportFile(path, overwrites=False, book=directory / "book.json"))
    return path


def stored(database: CrawlDatabase) -> list[dict[str, Any]]:
    """The rows by SQLite itself."""
    names = ", ".join(("url", *SHAPE.columns))
    rows = database.connection.execute(f"SELECT {names} FROM records_shop ORDER BY url").fetchall()  # noqa: S608  # constants
    return [dict(zip(("url", *SHAPE.columns), row, strict=True)) for row in rows]


def from_csv(path: Path, delimiter: str = ",") -> list[dict[str, Any]]:
    body = path.read_bytes()
    text = (gzip.decompress(body) if path.suffix == ".gz" else body).decode()
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [{k: v or None for k, v in row.items()} for row in rows]


def from_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def from_parquet(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def from_xlsx(path: Path, sheet: str = "records") -> list[dict[str, Any]]:
    with closing(openpyxl.load_workbook(path, read_only=True)) as book:
        names, *rows = book[sheet].iter_rows(values_only=True)
        told = [[unescape(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        return [dict(zip(names, row, strict=False)) for row in told]


def from_sqlite(path: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return [dict(row) for row in connection.execute("SELECT * FROM records")]


def test_csv_is_equal(table: SqliteRecords, database: CrawlDatabase, tmp_path: Path) -> None:
    for name, delimiter in (("a.csv", ","), ("a.tsv", "\t"), ("a.csv.gz", ",")):
        rows = from_csv(write(table, name, tmp_path), delimiter)
        assert [row.pop("fetched_at") for row in rows] == ["2010-06-12T10:00:00.125Z"] * len(RECORDS)
        assert rows == [{k: None if v is None else str(v) for k, v in row.items()} for row in stored(database)]


def test_json_is_equal_and_lists_are_lists(table: SqliteRecords, tmp_path: Path) -> None:
    rows = from_jsonl(write(table, "a.jsonl", tmp_path))
    assert rows == json.loads(write(table, "a.json", tmp_path).read_text(encoding="utf-8"))
    for row, fields in zip(rows, RECORDS, strict=True):
        wanted = {name: fields.get(name) for name in SHAPE.columns}
        wanted["tags"] = ["\ufffd alone"] if fields.get("tags") == ["\ud800 alone"] else wanted["tags"]
        assert {name: row[name] for name in SHAPE.columns} == wanted


def test_parquet_is_equal_and_typed(table: SqliteRecords, database: CrawlDatabase, tmp_path: Path) -> None:
    path = write(table, "a.parquet", tmp_path)
    types = {field.name: str(field.type) for field in pyarrow.parquet.read_schema(path)}
    assert types == {
        "url": "string",
        "fetched_at": "timestamp[ms, tz=UTC]",
        "title": "string",
        "price": "double",
        "pages": "int64",
        "born": "date32[day]",
        "tags": "string",
        "mixed": "string",
        "reviews": "string",
    }
    rows = from_parquet(path)
    assert {row.pop("fetched_at") for row in rows} == {datetime(2010, 6, 12, 10, 0, 0, 125_000, tzinfo=UTC)}
    wanted = stored(database)
    for row in wanted:
        row["born"] = row["born"] and date.fromisoformat(row["born"])
    assert rows == wanted


def test_xlsx_is_equal_and_no_text_becomes_a_formula(
    table: SqliteRecords, database: CrawlDatabase, tmp_path: Path
) -> None:
    rows = from_xlsx(write(table, "a.xlsx", tmp_path))
    assert {row.pop("fetched_at") for row in rows} == {datetime(2010, 6, 12, 10, 0, 0, 125_000)}
    for row, wanted in zip(rows, stored(database), strict=True):
        if wanted["born"] and wanted["born"] > "1900":
            wanted["born"] = datetime.fromisoformat(wanted["born"])
        wanted["pages"] = str(2**60) if wanted["pages"] == 2**60 else wanted["pages"]
        assert row == wanted


def test_sqlite_is_equal(table: SqliteRecords, database: CrawlDatabase, tmp_path: Path) -> None:
    rows = from_sqlite(write(table, "a.sqlite", tmp_path))
    assert {row.pop("fetched_at") for row in rows} == {"2010-06-12T10:00:00.125Z"}
    assert rows == stored(database)


@pytest.mark.parametrize(
    ("name", "read"),
    [("a.csv", from_csv), ("a.jsonl", from_jsonl), ("a.parquet", from_parquet), ("a.xlsx", from_xlsx)],
)
def test_a_list_gives_a_row_for_each_item(
    table: SqliteRecords, tmp_path: Path, name: str, read: Callable[[Path], list[dict[str, Any]]]
) -> None:
    rows = read(write(table, name, tmp_path, explode="reviews", fields=("url", "reviews")))
    assert len(rows) == len(RECORDS) + 1, "two rows of the record with two reviews, one of every other"
    assert list(rows[0]) == ["url", "reviews.position", "reviews.author", "reviews.stars", "reviews.text"]
    last = [[None if v is None else str(v) for v in row.values()] for row in rows[-2:]]
    url = f"http://shop.example/{len(RECORDS) - 1:03}"
    assert last == [[url, "1", "李", "5", None], [url, "2", "Bob", "4", "thin\tplot"]]


def test_items_without_parts_explode_too(table: SqliteRecords, tmp_path: Path) -> None:
    rows = from_jsonl(write(table, "a.jsonl", tmp_path, explode="tags", fields=("title", "tags")))
    assert [(row["tags.position"], row["tags"]) for row in rows[:3]] == [(1, "a"), (2, "b,c"), (None, None)]


def test_texts_too_long_for_a_cell_are_whole_on_a_sheet_of_their_own(database: CrawlDatabase, tmp_path: Path) -> None:
    long = "漢😀" * MAX_CHARACTERS
    fits = "x" * MAX_CHARACTERS
    table = store(database, [{"title": long}, {"title": fits}])
    path = write(table, "a.xlsx", tmp_path)
    short, exact = (row["title"] for row in from_xlsx(path))
    assert f"{len(long):,} characters" in short
    assert exact == fits
    pieces = from_xlsx(path, LONG_TEXTS)
    assert "".join(piece["text"] for piece in pieces) == long
    assert {(piece["sheet"], piece["row"], piece["field"]) for piece in pieces} == {("records", 2, "title")}
    assert max(len(piece["text"].encode("utf-16-le")) for piece in pieces) <= 2 * MAX_CHARACTERS


def test_a_full_sheet_is_followed_by_another(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with path.open("wb") as file:
        writer = XlsxWriter(file, [Column("n", ColumnKind.INTEGER, "n")], Style(), max_rows=3)
        writer.write([(number,) for number in range(5)])
        assert "3 sheets" in writer.close()[0]
    sheets = ["records", "records 2", "records 3"]
    assert [row["n"] for sheet in sheets for row in from_xlsx(path, sheet)] == list(range(5))


def test_cells_that_begin_like_a_formula_are_counted_and_guarded_on_request(table: SqliteRecords) -> None:
    for guards, first in ((False, "=1+1"), (True, "'=1+1")):
        kind, _ = format_of("a.csv")
        choice = Selection(kind, known=SHAPE.columns, style=Style(bom=True, guards_formulas=guards))
        file = io.BytesIO()
        notes = export_stream(table, choice, file).notes
        text = file.getvalue().decode("utf-8-sig")
        assert list(csv.DictReader(io.StringIO(text, newline="")))[1]["title"] == first
        assert notes[0].startswith("1 cells"), "the number -3 is none"


def test_a_column_that_a_crawl_widens_meanwhile_is_settled_anew(
    database: CrawlDatabase, table: SqliteRecords, tmp_path: Path
) -> None:
    kind, _ = format_of("a.parquet")
    sink = SqliteSink(database, site="shop", fields=SHAPE)

    def crawl_goes_on(rows: int) -> None:
        sink.write([visit("http://shop.example/9", {"title": "late", "pages": 0.5, "born": "2010"})])

    choice = Selection(kind, known=SHAPE.columns)
    target = ExportFile(tmp_path / "a.parquet", overwrites=False, book=tmp_path / "book.json")
    written = export_file(table, choice, target, advance=crawl_goes_on)
    rows = from_parquet(target.path)
    assert written.rows == len(rows) == len(RECORDS) + 1
    assert (rows[-1]["pages"], rows[-1]["born"], rows[0]["pages"]) == ("0.5", "2010", "320")


def test_a_table_that_grows_while_it_is_read_gives_each_record_once(database: CrawlDatabase, tmp_path: Path) -> None:
    table = store(database, [{"title": f"t{number}"} for number in range(450)])
    sink = SqliteSink(database, site="shop", fields=SHAPE)
    seen = []
    for batch in table.read(("url", "title")):
        seen += [url for url, _ in batch]
        sink.write([visit("http://shop.example/000", {"title": "again"}), visit("http://shop.example/449", {})])
    assert seen == sorted(set(seen))
    assert len(seen) == 450


def test_a_file_that_cannot_be_written_stays_as_it_was(table: SqliteRecords, tmp_path: Path) -> None:
    path = write(table, "a.csv", tmp_path)
    before = path.read_bytes()

    def fails(rows: int) -> None:
        raise OSError(28, "No space left on device")

    kind, _ = format_of("a.csv")
    target = ExportFile(path, overwrites=True, book=tmp_path / "book.json")
    with pytest.raises(StoreError, match="No space left"):
        export_file(table, Selection(kind), target, advance=fails)
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith(".")) == []


def test_a_device_is_not_replaced_and_a_link_stays_one(table: SqliteRecords, tmp_path: Path) -> None:
    book = tmp_path / "book.json"
    with pytest.raises(InputError, match="-o -"):
        ExportFile(Path("/dev/null"), overwrites=True, book=book).check()
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    write(table, "link.csv", tmp_path)
    assert (tmp_path / "link.csv").is_symlink()
    assert len(from_csv(tmp_path / "real.csv")) == len(RECORDS)


def test_a_missing_package_is_named(table: SqliteRecords, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, package in (("a.parquet", "pyarrow"), ("a.xlsx", "xlsxwriter")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(InputError, match=r"gwc-crawler\[export\]"):
            write(table, name, tmp_path)
        assert not (tmp_path / name).exists()


def test_two_exports_do_not_write_one_file(table: SqliteRecords, tmp_path: Path) -> None:
    target = ExportFile(tmp_path / "a.csv", overwrites=True, book=tmp_path / "book.json")
    with target.opened(), pytest.raises(StoreError, match="another process"), target.opened():
        pass


def test_columns_are_chosen_by_name_and_a_slip_is_corrected(table: SqliteRecords) -> None:
    plan = plan_columns(table, fields=("price", "url"))
    assert [(one.name, one.kind) for one in plan.columns] == [("price", ColumnKind.NUMBER), ("url", ColumnKind.TEXT)]
    with pytest.raises(Exception, match="did you mean price"):
        plan_columns(table, fields=("prise",))
