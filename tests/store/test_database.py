"""The file: what opening refuses and in which words, transactions, and the numbers of URLs."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.store.sqlite.database import PAGE_BYTES, SCHEMA_VERSION, CrawlDatabase, explain


def test_a_new_file_is_made_with_its_directories(tmp_path: Path) -> None:
    path = tmp_path / "data" / "a site" / "crawl.db"
    with CrawlDatabase(path) as database:
        assert database.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert database.connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    CrawlDatabase(path).close()


def test_a_new_file_has_large_pages_and_an_older_one_keeps_its_own(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "new.db") as database:
        assert database.connection.execute("PRAGMA page_size").fetchone() == (PAGE_BYTES,)
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("VACUUM")
    with CrawlDatabase(tmp_path / "old.db") as database:
        assert database.connection.execute("PRAGMA page_size").fetchone() == (4096,)
    CrawlDatabase(tmp_path / "old.db").close()


def test_a_file_that_another_process_is_just_making_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    CrawlDatabase(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other, ThreadPoolExecutor(1) as pool:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process keeps the file locked"):
            CrawlDatabase(path, busy_seconds=0.05)
        opened = pool.submit(CrawlDatabase, path, busy_seconds=60)
        with pytest.raises(TimeoutError):
            opened.result(timeout=0.1)
        other.execute("ROLLBACK")
        with opened.result(timeout=60) as database:
            assert database.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_looking_at_nothing_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no database .*crawl\.db; crawl or learn the site first"):
        CrawlDatabase(tmp_path / "site" / "crawl.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    path.write_text("a letter to my aunt " * 200)
    with pytest.raises(StoreError, match=r"crawl\.db: file is not a database: .*move it away"):
        CrawlDatabase(path)


def test_another_programs_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE aunts (name)")
    connection.close()
    with pytest.raises(StoreError, match=r"crawl\.db belongs to another program"):
        CrawlDatabase(path)


def test_a_reader_waits_for_a_file_that_is_just_made(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    empty = sqlite3.connect(path)
    empty.execute("PRAGMA journal_mode = WAL")
    maker = threading.Timer(0.2, lambda: CrawlDatabase(path).close())
    maker.start()
    CrawlDatabase(path, read_only=True).close()
    maker.join()
    empty.close()


def test_a_file_in_the_place_of_another_is_named(tmp_path: Path) -> None:
    for name in ("crawl.db", "samples.db"):
        CrawlDatabase(tmp_path / name).close()
    (tmp_path / "crawl.db").rename(tmp_path / "moved.db")
    CrawlDatabase(tmp_path / "moved.db", read_only=True).close()
    (tmp_path / "samples.db").rename(tmp_path / "crawl.db")
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"crawl\.db is a pre-crawl's database, not a crawl's"):
            CrawlDatabase(tmp_path / "crawl.db", read_only=read_only)
    (tmp_path / "moved.db").rename(tmp_path / "samples.db")
    with pytest.raises(StoreError, match=r"samples\.db is a crawl's database, not a pre-crawl's"):
        CrawlDatabase(tmp_path / "samples.db")


def test_who_waits_for_another_process_that_makes_the_tables_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CrawlDatabase, "_count_tables", lambda self: 0)  # both saw none
    with CrawlDatabase(tmp_path / "crawl.db") as first, CrawlDatabase(tmp_path / "crawl.db") as second:
        assert first.rows("SELECT count(*) FROM urls") == second.rows("SELECT count(*) FROM urls") == [(0,)]


@pytest.mark.parametrize(("step", "helps"), [(1, "update gwc-crawler"), (-1, "move it away")])
def test_another_schema_is_refused(tmp_path: Path, step: int, helps: str) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        database.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + step}")
    with pytest.raises(StoreError, match=f"schema version {SCHEMA_VERSION + step}.*{helps}"):
        CrawlDatabase(tmp_path / "crawl.db")


def test_a_path_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a directory should be")
    with pytest.raises(StoreError, match=r"data/crawl\.db can't be used: .*check its directory"):
        CrawlDatabase(tmp_path / "data" / "crawl.db")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    CrawlDatabase(tmp_path / "crawl.db").close()
    message = r"crawl\.db: attempt to write a readonly database: .*permissions"
    with (
        CrawlDatabase(tmp_path / "crawl.db", read_only=True) as database,
        pytest.raises(StoreError, match=message),
        database.transaction() as connection,
    ):
        connection.execute("DELETE FROM urls")


def test_a_file_locked_by_another_process_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gwc_crawler.store.sqlite.database.BUSY_SECONDS", 0.05)
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        other = sqlite3.connect(tmp_path / "crawl.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked: another process keeps the file locked"), database.transaction():
            pass
        other.close()
        with database.transaction() as connection:
            connection.execute("INSERT INTO urls (url, md5, host) VALUES ('u', 1, 'h')")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_directory_in_the_place_of_a_file_is_told_as_one(tmp_path: Path, read_only: bool) -> None:
    (tmp_path / "crawl.db").mkdir()
    with pytest.raises(StoreError, match=r"crawl\.db: this is a directory, not a database; move it away"):
        CrawlDatabase(tmp_path / "crawl.db", read_only=read_only)


def test_damage_is_found_and_a_file_too_large_to_be_read_in_time_is_not_called_whole(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    with CrawlDatabase(path) as database, database.transaction() as connection:
        connection.executemany(
            "INSERT INTO urls (url, md5, host) VALUES (?, ?, 'h')", ((f"u{n:0200}", n) for n in range(40_000))
        )
    with CrawlDatabase(path, read_only=True) as database:
        assert database.look_for_damage(60)
        assert not database.look_for_damage(0.0001)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // PAGE_BYTES * PAGE_BYTES)
        file.write(b"\xff" * PAGE_BYTES)
    with (
        CrawlDatabase(path, read_only=True) as database,
        pytest.raises(StoreError, match=r"crawl\.db: .*: the file is damaged; move it away"),
    ):
        database.look_for_damage(60)


def test_an_error_without_advice_is_told_as_it_is() -> None:
    assert explain(Path("x.db"), sqlite3.OperationalError("no such table: y")) == "x.db: no such table: y"


def test_inner_transactions_join_the_outer(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:

        def fail_late() -> None:
            with database.transaction():
                with database.transaction():
                    database.urls.ids(["http://a.example/"])
                raise ValueError

        with pytest.raises(ValueError):
            fail_late()
        assert database.urls.find("http://a.example/") is None
        with database.transaction():
            assert database.urls.ids(["http://b.example/"]) == [1]
        assert database.urls.find("http://b.example/") == 1


def test_urls_keep_their_numbers_when_the_cache_is_small(tmp_path: Path) -> None:
    urls = [f"http://a.example/{i}" for i in range(50)]
    with CrawlDatabase(tmp_path / "crawl.db", known_urls=10) as database:
        with database.transaction():
            assert database.urls.ids(urls) == list(range(1, 51))
            assert database.urls.ids([urls[3], urls[49], urls[3], "http://b.example/"]) == [4, 50, 4, 51]
            for start in range(0, 50, 7):
                assert database.urls.ids(urls[start : start + 7]) == list(range(start + 1, min(start + 8, 51)))
        hosts = database.connection.execute("SELECT DISTINCT host, state FROM urls").fetchall()
        assert hosts == [("a.example", None), ("b.example", None)]


def test_the_crawl_lock_ends_with_its_process(tmp_path: Path) -> None:
    code = (
        "import sys; from gwc_crawler.store.sqlite.database import CrawlDatabase as D; "
        "d = D(sys.argv[1]); d.lock(); print('locked'); "
    )
    with subprocess.Popen(
        [sys.executable, "-c", code + "sys.stdout.flush(); sys.stdin.read()", tmp_path / "crawl.db"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with CrawlDatabase(tmp_path / "crawl.db") as database:
            with pytest.raises(StoreError, match=f"is being crawled by process {other.pid}"):
                database.lock()
            other.kill()
            other.wait()
            database.lock()
            with pytest.raises(StoreError, match="already being crawled by this process"):
                database.lock()


def test_a_closed_database_says_so(tmp_path: Path) -> None:
    database = CrawlDatabase(tmp_path / "crawl.db")
    database.close()
    with pytest.raises(StoreError, match=r"crawl\.db: Cannot operate on a closed database"), database.transaction():
        pass
