"""Files of earlier releases: opened, written to and read; and what happens when that can't be."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.sqlite import SqliteFrontier
from gwc_crawler.items import Done, Page, PageKind, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store import CrawlDatabase, SqliteSink, read_records, read_stored_pages
from gwc_crawler.store.lock import take_lock
from gwc_crawler.store.sqlite import migrations
from gwc_crawler.store.sqlite.database import APPLICATION_ID, KINDS, SCHEMA_VERSION
from gwc_crawler.store.sqlite.migrations import MIGRATIONS, Migration, add_column, latest_version

SCHEMAS = Path(__file__).with_name("schemas")
"""A dump of a small crawl's file for each numbering that was released: its start page, one target of three links."""

FIRST_TABLES = frozenset(
    {"urls", "queues", "held_links", "frontier_values", "pages", "link_ids", "exceptions", "sites", "records_shop"}
)
"""Those of the very first release; what came later under the same number stands in a file from when it was needed."""

released = pytest.mark.parametrize("number", [int(file.stem) for file in SCHEMAS.glob("*.sql")])
filled = pytest.mark.parametrize("tables", ["all", "first"])


def make_old(path: Path, number: int = 1, tables: str = "all") -> Path:
    """Make a crawl's file as an earlier release left it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SCHEMAS / f"{number}.sql").read_text())
        mark = KINDS["crawl.db"][0] if tables == "all" else APPLICATION_ID
        connection.execute(f"PRAGMA application_id = {mark}")
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("PRAGMA journal_mode = WAL")
        if tables == "first":
            named = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            for (name,) in named:
                if name not in FIRST_TABLES:
                    connection.execute(f"DROP TABLE {name}")
        connection.commit()
    return path


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_every_numbering_that_was_released_has_its_dump() -> None:
    numbers = [migrations.FIRST_VERSION, *(step.number for step in MIGRATIONS)]
    assert numbers == list(range(1, SCHEMA_VERSION + 1))
    assert sorted(int(file.stem) for file in SCHEMAS.glob("*.sql")) == numbers[: max(1, len(numbers) - 1)]


@released
@filled
def test_a_crawl_goes_on_in_a_file_of_an_earlier_release(tmp_path: Path, number: int, tables: str) -> None:
    path = make_old(tmp_path / "crawl.db", number, tables)
    with CrawlDatabase(path) as database:
        frontier = SqliteFrontier(database, clock=lambda: 2000.0)
        sink = SqliteSink(database, site="shop", fields=["title"], keep_html=KeepHtml.ALL)
        (lease,) = frontier.lease(5, "worker")
        page = Page(lease.url, 200, b"<p>new", "text/html", "utf-8", PageKind.INFORMATION, False, text="new")
        with database.transaction():
            sink.write([Visit(lease, page, None, 1, 2000.0)])
            frontier.complete([Done(lease, lease.url, page.kind, False, ())])
        assert frontier.counts().complete == 3
        assert [one.html for one in read_stored_pages(database)] == [
            b"<html><title>Start</title><p>Text Start",
            "<html><title>Thör</title><p>Text Thör".encode(),
            b"<p>new",
        ]
        assert [record["title"] for record in read_records(database, "shop")] == ["Thör"]
        assert database.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert version_of(path) == SCHEMA_VERSION


@released
@filled
def test_a_file_of_an_earlier_release_is_looked_at_as_it_is(tmp_path: Path, number: int, tables: str) -> None:
    path = make_old(tmp_path / "crawl.db", number, tables)
    with CrawlDatabase(path, read_only=True) as database:
        assert len(list(read_stored_pages(database))) == 2
        assert database.urls.find("http://shop.example/2") == 3
    assert version_of(path) == number


@released
def test_a_migrated_file_has_the_tables_of_a_new_one(tmp_path: Path, number: int) -> None:
    CrawlDatabase(make_old(tmp_path / "old.db", number)).close()
    shapes = []
    for name in ("old.db", "new.db"):
        with CrawlDatabase(tmp_path / name) as database:
            SqliteFrontier(database, exclusive=False)
            SqliteSink(database, site="shop")
            names = database.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            info = {one: database.connection.execute(f"PRAGMA table_info({one})").fetchall() for (one,) in names}
            shapes.append({one: sorted(row[1:] for row in info[one]) for one in info if not one.startswith("records_")})
    old, new = shapes
    assert {name: old[name] for name in new} == new


# --- steps that are not there yet -------------------------------------------------------------------------------------

NEXT = latest_version(MIGRATIONS) + 1


def use(monkeypatch: pytest.MonkeyPatch, *steps: Migration) -> None:
    monkeypatch.setattr("gwc_crawler.store.sqlite.database.MIGRATIONS", (*MIGRATIONS, *steps))
    monkeypatch.setattr("gwc_crawler.store.sqlite.database.SCHEMA_VERSION", latest_version(steps))


def add_mood(connection: sqlite3.Connection) -> None:
    add_column(connection, "pages", "mood", "TEXT NOT NULL DEFAULT 'calm'")
    add_column(connection, "pages", "mood", "TEXT")
    add_column(connection, "not_there", "mood", "TEXT")


def fail(connection: sqlite3.Connection) -> None:
    connection.execute("SELECT * FROM nowhere")


def test_steps_are_done_in_order_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_old(tmp_path / "crawl.db")

    def cheer(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE pages SET mood = mood || '!'")

    use(monkeypatch, Migration(NEXT, add_mood), Migration(NEXT + 1, cheer))
    for _ in range(2):
        with CrawlDatabase(path) as database:
            assert database.connection.execute("SELECT DISTINCT mood FROM pages").fetchall() == [("calm!",)]
    assert version_of(path) == NEXT + 1


def test_steps_are_all_done_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_old(tmp_path / "crawl.db")
    use(monkeypatch, Migration(NEXT, add_mood), Migration(NEXT + 1, fail))
    with pytest.raises(StoreError, match=r"crawl\.db: no such table: nowhere"):
        CrawlDatabase(path)
    assert version_of(path) == 1
    monkeypatch.undo()
    with CrawlDatabase(path) as database:
        assert "mood" not in {row[1] for row in database.connection.execute("PRAGMA table_info(pages)")}


def test_a_process_killed_between_two_steps_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_old(tmp_path / "crawl.db")
    use(monkeypatch, Migration(NEXT, add_mood), Migration(NEXT + 1, lambda _: os.kill(os.getpid(), signal.SIGKILL)))
    child = os.fork()
    if not child:
        CrawlDatabase(path)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert version_of(path) == 1
    use(monkeypatch, Migration(NEXT, add_mood))
    with CrawlDatabase(path) as database:
        assert database.connection.execute("SELECT DISTINCT mood FROM pages").fetchall() == [("calm",)]
        assert database.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_no_file_is_migrated_under_a_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_old(tmp_path / "crawl.db")
    use(monkeypatch, Migration(NEXT, add_mood))
    lock = take_lock(path, "worker 7")
    assert lock is not None
    with pytest.raises(StoreError, match=r"crawl\.db is being crawled by worker 7, of an earlier release; wait"):
        CrawlDatabase(path)
    CrawlDatabase(path, read_only=True).close()
    lock.close()
    CrawlDatabase(path).close()
    assert version_of(path) == NEXT


def test_a_file_that_readers_no_longer_understand_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_old(tmp_path / "crawl.db")
    use(monkeypatch, Migration(NEXT, add_mood, readable=False))
    with pytest.raises(StoreError, match=r"schema version 1 of an earlier release.*`scrapy crawl`"):
        CrawlDatabase(path, read_only=True)
    CrawlDatabase(path).close()
    CrawlDatabase(path, read_only=True).close()
