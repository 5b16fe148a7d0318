"""A crawl's file as a file: what its tables take, and that making it smaller loses nothing, whatever ends it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random

import pytest
from backports import zstd

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Lease, Page, PageKind, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.sqlite.bodies import dictionary_of
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.stats import read_kept_pages
from gwc_crawler.store.sqlite.upkeep import file_sizes, vacuum
from tests.small_disk import small_disk

TEMPLATE = "".join(f'<div class="menu-{one}"><a href="/section/{one}">Section {one}</a></div>' for one in range(90))


def html(number: int) -> bytes:
    dice = Random(number)
    return f"<title>{number}</title>{TEMPLATE}<p>{' '.join(f'{dice.randrange(10**9):x}' for _ in range(40))}".encode()


def make_crawl(path: Path, pages: int) -> Path:
    """Write a crawl's file whose pages are packed by deflate, as the first ones are; half of its rows are gone."""
    with CrawlDatabase(path) as database:
        sink = SqliteSink(database, site="shop", keep_html=KeepHtml.ALL)
        for start in range(0, 2 * pages, 50):
            sink.write([visit(number) for number in range(start, start + 50)])
            with database.transaction() as connection:
                packed = [(zlib.compress(html(number)), number) for number in range(start, start + 50)]
                connection.executemany("UPDATE pages SET html = ? WHERE depth = ?", packed)
        with database.transaction() as connection:
            connection.execute("DELETE FROM pages WHERE depth % 2")
            connection.execute("DELETE FROM dictionaries")
    return path


def visit(number: int) -> Visit:
    url = f"http://shop.example/{number}"
    page = Page(url, 200, html(number), "text/html", "utf-8", PageKind.TARGET, True, links=(f"{url}/a", f"{url}/b"))
    return Visit(Lease(url, number, 0, number, 1, "w", number, 0.0), page, None, 0, 1.0)


def kept(path: Path) -> dict[str, bytes]:
    with CrawlDatabase(path, read_only=True) as database:
        assert database.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {page.url: page.html for batch in read_kept_pages(database) for page in batch}


def wanted(pages: int) -> dict[str, bytes]:
    return {f"http://shop.example/{number}": html(number) for number in range(0, 2 * pages, 2)}


def test_pages_are_packed_anew_and_what_is_free_is_given_back(tmp_path: Path) -> None:
    path = make_crawl(tmp_path / "crawl.db", 700)
    told: list[tuple[str, int, int | None]] = []
    done = vacuum(path, lambda *step: told.append(step))
    assert kept(path) == wanted(700)
    assert done.repacked == 700
    assert done.bytes_after == path.stat().st_size < 0.6 * done.bytes_before
    assert [step for step, _, _ in told] == ["packing"] * 4 + ["writing anew"]
    assert told[3][1] == told[3][2], "the last batch is all there is"
    with CrawlDatabase(path) as database:
        assert database.connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        packed = [row[0] for row in database.connection.execute("SELECT html FROM pages")]
        assert len({zstd.get_frame_info(one).dictionary_id for one in packed}) == 1
    again = vacuum(path)
    assert (again.repacked, again.bytes_after) == (0, done.bytes_after), "a second time there is nothing to gain"


def test_a_better_dictionary_takes_the_place_of_a_worse_one(tmp_path: Path) -> None:
    path = make_crawl(tmp_path / "crawl.db", 200)
    with CrawlDatabase(path) as database, database.transaction():
        bodies = database.bodies
        bodies.keep(dictionary_of([f"{Random(one).random()} of another site ".encode() * 200 for one in range(50)]), 50)
        database.connection.execute("UPDATE pages SET html = ? WHERE id = 1", (bodies.pack(html(0)),))
    assert vacuum(path).repacked == 200
    assert kept(path) == wanted(200)


@pytest.mark.parametrize("pages", [0, 3])
def test_a_file_with_hardly_a_page_is_vacuumed_too(tmp_path: Path, pages: int) -> None:
    path = tmp_path / "crawl.db"
    with CrawlDatabase(path) as database:
        if pages:
            SqliteSink(database, site="shop", keep_html=KeepHtml.ALL).write([visit(2 * one) for one in range(pages)])
    assert vacuum(path).repacked == 0
    assert kept(path) == wanted(pages) if pages else True


def test_it_refuses_while_a_crawl_runs_and_readers_go_on(tmp_path: Path) -> None:
    path = make_crawl(tmp_path / "crawl.db", 100)
    with CrawlDatabase(path) as crawl:
        crawl.lock("worker 3")
        with pytest.raises(StoreError, match=r"crawl\.db is being crawled by worker 3; wait for it or stop it"):
            vacuum(path)
    with CrawlDatabase(path, read_only=True) as reader:
        rows = reader.connection.execute("SELECT url FROM pages ORDER BY id")
        first = rows.fetchone()
        vacuum(path, lambda *_: reader.connection.execute("SELECT count(*) FROM pages").fetchone())
        assert [first, *rows] == [(url,) for url in wanted(100)]


VACUUM = """
import sys
from pathlib import Path
from gwc_crawler.store.sqlite.upkeep import vacuum
print("begins", flush=True)
vacuum(Path(sys.argv[1]))
"""


def test_killed_again_and_again_it_loses_nothing(tmp_path: Path) -> None:
    path = make_crawl(tmp_path / "crawl.db", 400)
    dice, deaths = Random(5), 0
    for turn in count():
        with subprocess.Popen([sys.executable, "-c", VACUUM, path], stdout=subprocess.PIPE) as worker:
            assert worker.stdout is not None
            worker.stdout.readline()
            if turn < 4:
                time.sleep(dice.uniform(0.0, 0.2))
                worker.kill()
            if worker.wait(60) == 0 and turn >= 4:
                break
            deaths += 1
        assert kept(path) == wanted(400)
    assert deaths >= 2
    assert kept(path) == wanted(400)


def test_ctrl_c_ends_it_and_the_file_is_as_before(tmp_path: Path) -> None:
    path = make_crawl(tmp_path / "crawl.db", 100)

    def interrupt(step: str, done: int, of: int | None) -> None:
        if step == "writing anew":
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            vacuum(path, interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert kept(path) == wanted(100)
    vacuum(path)


def leave(disk: Path, free: int) -> None:
    """Fill a disk up to so many bytes."""
    room = os.statvfs(disk)
    (disk / "else").write_bytes(bytes(max(0, room.f_bavail * room.f_frsize - free)))


def test_a_disk_with_too_little_room_is_told_before(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 4) as mounted:
        if not mounted:
            pytest.skip("a small disk takes root")
        make_crawl(disk / "crawl.db", 100)
        leave(disk, 300_000)
        with pytest.raises(StoreError, match=r"for a while, and the disk has .* MB; free some space|full; free some"):
            vacuum(disk / "crawl.db")
        assert kept(disk / "crawl.db") == wanted(100)
        (disk / "else").unlink()
        vacuum(disk / "crawl.db")
        assert kept(disk / "crawl.db") == wanted(100)


def test_a_disk_that_fills_up_meanwhile_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gwc_crawler.store.sqlite.upkeep._require_room", lambda _: None)
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 3) as mounted:
        if not mounted:
            pytest.skip("a small disk takes root")
        make_crawl(disk / "crawl.db", 100)

        def fill(step: str, done: int, of: int | None) -> None:
            if step == "writing anew":
                leave(disk, 100_000)

        with pytest.raises(StoreError, match=r"full|disk failed"):
            vacuum(disk / "crawl.db", fill)
        (disk / "else").unlink()
        assert kept(disk / "crawl.db") == wanted(100)


def test_tables_add_up_to_the_file(tmp_path: Path) -> None:
    path = make_crawl(tmp_path / "crawl.db", 100)
    assert file_sizes(tmp_path / "no.db") is None
    sizes = file_sizes(path)
    assert sizes is not None
    assert sizes.file == path.stat().st_size
    assert sizes.free > 0
    if not sizes.tables:
        pytest.skip("this SQLite is built without dbstat")
    assert sum(sizes.tables.values()) == sizes.file - sizes.free
    assert next(iter(sizes.tables)) == "pages"
    assert {"urls", "link_ids"} <= set(sizes.tables)
    with closing(sqlite3.connect(path)) as connection:
        (walked,) = connection.execute("SELECT sum(pgsize) FROM dbstat WHERE name IN ('pages')").fetchone()
        (index,) = connection.execute(
            "SELECT sum(pgsize) FROM dbstat WHERE name = 'sqlite_autoindex_pages_1'"
        ).fetchone()
    assert sizes.tables["pages"] == walked + index


def test_tables_that_there_is_no_time_for_are_told_as_one(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        SqliteSink(database, site="shop")
        with database.transaction():
            database.urls.ids([f"http://a.example/{'x' * 500}/{number}" for number in range(10_000)])
    clock = count(step=10)
    sizes = file_sizes(tmp_path / "crawl.db", clock=lambda: float(next(clock)))
    assert sizes is not None
    if sizes.tables:
        assert "urls" not in sizes.tables
        assert sizes.tables["rest"] > 5_000_000
        assert sum(sizes.tables.values()) == sizes.file - sizes.free
