"""The engine over real databases, folders and archives: every page once, whatever ends it."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.items import Lease, Page, PageKind, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.page.strip import strip_tags
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.stripping.engine import (
    EngineOptions,
    PageKey,
    PageSource,
    PageTarget,
    StopWatch,
    StripOutcome,
    StrippedPage,
    Strippers,
    WaitingPage,
    strip_page,
    strip_pages,
)
from gwc_crawler.store.stripping.locations import check_apart, file_of, open_source, open_target
from tests.small_disk import small_disk

SMALL = EngineOptions(read_rows=10, block_pages=4, blocks=5)


def html(number: int, edition: int = 1) -> str:
    return f"<title>t</title><script>s</script><p>Page {number} 第{edition}版 <b>x</b></p>"


def make_crawl(path: Path, numbers: Sequence[int], edition: int = 1) -> str:
    """Write a crawl's database with so many pages; one of ten has no HTML, one is a file."""
    with CrawlDatabase(path) as database:
        for keep in (KeepHtml.ALL, KeepHtml.NONE):
            sink = SqliteSink(database, site="shop", keep_html=keep)
            sink.write([visit(one, edition) for one in numbers if (one % 10 == 7) == (keep is KeepHtml.NONE)])
    return f"sqlite:{path}"


def visit(number: int, edition: int) -> Visit:
    url = f"http://shop.example/{number}"
    kind = PageKind.BINARY if number % 10 == 8 else PageKind.TARGET
    page = Page(url, 200, html(number, edition).encode("gbk"), "text/html; charset=gbk", "gbk", kind, True)
    return Visit(Lease(url, number, 0, 0, 1, "w", number, 0.0), page, None, 0, float(edition))


def wanted(numbers: Sequence[int], edition: int = 1) -> dict[str, str]:
    return {f"http://shop.example/{one}": strip_tags(html(one, edition)) for one in numbers if one % 10 not in (7, 8)}


def rows(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT url, content FROM stripped").fetchall()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(found) == len(dict(found))
    return dict(found)


def strip(
    source: str, target: str, strippers: Strippers | None = None, *, table: str | None = None, **how: Any
) -> StripOutcome:
    watch = StopWatch()
    reader, writer = open_source(source, table, watch), open_target(target, None, watch)
    try:
        return strip_pages(reader, writer, strippers or Strippers(1), watch, how.pop("options", SMALL), **how)
    finally:
        reader.close()
        writer.close()


@pytest.mark.parametrize("processes", [1, 2])
def test_every_page_is_stripped_once_and_a_second_run_finds_them_done(tmp_path: Path, processes: int) -> None:
    strippers = Strippers(processes)
    numbers = range(60)
    source, target = make_crawl(tmp_path / "crawl.db", numbers), f"sqlite:{tmp_path / 'out.db'}"
    told: list[int] = []
    done = strip(source, target, strippers, advance=told.append)
    assert rows(tmp_path / "out.db") == wanted(numbers)
    assert (done.pages, done.problems, sum(told)) == (48, 0, 48)
    again = strip(source, target, strippers)
    assert (again.pages, again.done_before) == (0, 48)
    strippers.close()


def test_what_is_new_or_has_changed_is_stripped_by_the_next_run(tmp_path: Path) -> None:
    source, target = make_crawl(tmp_path / "crawl.db", range(30)), f"sqlite:{tmp_path / 'out.db'}"
    strip(source, target)
    make_crawl(tmp_path / "crawl.db", [3, 4], edition=2)
    make_crawl(tmp_path / "crawl.db", range(30, 35))
    done = strip(source, target)
    assert (done.pages, done.done_before) == (7, 22)
    assert rows(tmp_path / "out.db") == wanted(range(35)) | wanted([3, 4], edition=2)


def test_source_and_target_may_be_one_file(tmp_path: Path) -> None:
    source = make_crawl(tmp_path / "crawl.db", range(20))
    strip(source, source)
    assert rows(tmp_path / "crawl.db") == wanted(range(20))
    CrawlDatabase(tmp_path / "crawl.db").close()


@pytest.mark.parametrize("kind", ["rows", "without rowid", "view"])
def test_any_table_with_a_url_and_a_content_is_a_source(tmp_path: Path, kind: str) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        end = "WITHOUT ROWID" if kind == "without rowid" else ""
        connection.execute(f"CREATE TABLE documents (URL TEXT PRIMARY KEY, Html) {end}")
        contents = [html(one) if one % 2 else html(one).encode() for one in range(25)]
        urls = [f"http://shop.example/{Random(one).random()}" for one in range(25)]
        connection.executemany("INSERT INTO documents VALUES (?, ?)", zip(urls, contents, strict=True))
        connection.execute("CREATE VIEW seen AS SELECT * FROM documents")
        connection.commit()
    table = "seen" if kind == "view" else "documents"
    done = strip(f"sqlite:{tmp_path / 'other.db'}", f"sqlite:{tmp_path / 'out.db'}", table=table)
    assert done.pages == 25
    assert rows(tmp_path / "out.db") == {url: strip_tags(html(one)) for one, url in enumerate(urls)}


def test_folders_are_read_and_written(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "a" / "b").mkdir(parents=True)
    for name in ("index.html", "a/x.htm", "a/b/no-extension", "a/picture.png"):
        (site / name).write_text(html(1))
    (site / "a" / "b" / "data").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    done = strip(f"dir:{site}", f"dir:{tmp_path / 'out'}")
    assert (done.pages, done.left_out) == (3, 1)
    for name in ("index.html", "a/x.htm", "a/b/no-extension"):
        assert (tmp_path / "out" / name).read_text() == strip_tags(html(1))
    assert strip(f"dir:{site}", f"dir:{tmp_path / 'out'}").done_before == 3
    (site / "index.html").write_text(html(2))
    os.utime(site / "index.html", (2e9, 2e9))
    assert strip(f"dir:{site}", f"dir:{tmp_path / 'out'}").pages == 1
    assert (tmp_path / "out" / "index.html").read_text() == strip_tags(html(2))


def write_warc(path: Path, answers: Sequence[tuple[str, str, bytes, str]]) -> None:
    with path.open("wb") as stream:
        for url, date, body, kind in answers:
            packed = gzip.compress(body)
            status = "404 Not Found" if url.endswith("gone") else "200 OK"
            head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Encoding: gzip\r\n"
            block = f"{head}Content-Length: {len(packed)}\r\n\r\n".encode() + packed
            record = (
                (
                    f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid4()}>\r\nWARC-Date: {date}\r\n"
                    f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
                    f"Content-Length: {len(block)}\r\n\r\n"
                ).encode()
                + block
                + b"\r\n\r\n"
            )
            stream.write(gzip.compress(record) if path.suffix == ".gz" else record)


@pytest.mark.parametrize("suffix", [".warc", ".warc.gz"])
def test_of_archives_the_newest_answer_of_each_url_stays(tmp_path: Path, suffix: str) -> None:
    page, chinese = "http://a.example/1", "http://a.example/2"
    old, new = "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"
    (tmp_path / "warc").mkdir()
    write_warc(
        tmp_path / "warc" / f"1{suffix}",
        [
            (page, new, html(2).encode(), "text/html"),
            (page, old, html(1).encode(), "text/html"),
            ("http://a.example/gone", new, html(3).encode(), "text/html"),
            ("http://a.example/x.png", new, b"\x89PNG\r\n\x1a\n" + bytes(99), "image/png"),
        ],
    )
    write_warc(tmp_path / "warc" / f"2{suffix}", [(chinese, old, html(4).encode("gbk"), "text/html; charset=gbk")])
    for where, done_before in ((tmp_path / "warc" / f"1{suffix}", 0), (tmp_path / "warc", 2)):
        done = strip(f"warc:{where}", f"sqlite:{tmp_path / 'out.db'}")
        assert (done.problems, done.done_before) == (0, done_before)
    assert rows(tmp_path / "out.db") == {page: strip_tags(html(2)), chinese: strip_tags(html(4))}


@pytest.mark.parametrize("name", ["../up.html", "/etc/x.html", "http://a.example/x.html", "", ".parts/x.html", "x.db"])
def test_no_name_leads_out_of_the_target_folder(name: str) -> None:
    path = Path("/out") / file_of(name)
    assert path.resolve().is_relative_to("/out/html")


def test_a_page_that_kills_its_process_is_left_with_its_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(page: WaitingPage, options: Any) -> StrippedPage:
        if page.url.endswith(("/5", "/42")):
            os.kill(os.getpid(), signal.SIGKILL)
        return strip_page(page, options)

    monkeypatch.setattr("gwc_crawler.store.stripping.engine.strip_page", deadly)
    strippers = Strippers(2)
    done = strip(make_crawl(tmp_path / "crawl.db", range(60)), f"sqlite:{tmp_path / 'out.db'}", strippers)
    strippers.close()
    lost = {"http://shop.example/5": None, "http://shop.example/42": None}
    assert rows(tmp_path / "out.db") == wanted(range(60)) | lost
    assert sorted(done.examples) == [(url, "a process died at it (SIGKILL)") for url in sorted(lost)]
    assert done.problems == 2


def test_told_to_stop_it_finishes_what_is_at_work(tmp_path: Path) -> None:
    asked = iter([False, False, True])
    source, target = make_crawl(tmp_path / "crawl.db", range(60)), f"sqlite:{tmp_path / 'out.db'}"
    done = strip(source, target, stops=lambda: next(asked, True))
    assert done.stopped
    assert 0 < done.pages < 48
    assert len(rows(tmp_path / "out.db")) == done.pages
    rest = strip(source, target)
    assert (rest.pages, rest.done_before) == (48 - done.pages, done.pages)


class Counting:
    """A source or target that counts pages on their way; `wait` blocks what was written, to see what is buffered."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.read = self.written = self.most = 0

    def count(self) -> int:
        return self.pages

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        first = after.place + 1 if after else 0
        return [PageKey(one, f"http://a.example/{one}") for one in range(first, min(self.pages, first + limit))]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        self.read += len(keys)
        self.most = max(self.most, self.read - self.written)
        return [WaitingPage(key.url, "", b"<p>x") for key in keys]

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        return ()

    def write(self, pages: Sequence[StrippedPage]) -> None:
        self.written += len(pages)

    def close(self) -> None:
        pass


def test_no_more_is_buffered_than_the_formula_says() -> None:
    both = Counting(400)
    source, target = both, both
    assert isinstance(source, Counting)
    strippers = Strippers(2)
    reads: PageSource = source
    writes: PageTarget = target
    done = strip_pages(reads, writes, strippers, StopWatch(), SMALL)
    strippers.close()
    assert (both.read, both.written, done.pages) == (400, 400, 400)
    assert both.most <= SMALL.buffer_pages
    assert done.buffer_bytes(SMALL) == SMALL.buffer_pages * (4 * 400 + done.url_characters) // 400


def test_times_inside_and_outside_add_up() -> None:
    now = iter(range(100))
    watch = StopWatch(clock=lambda: next(now))
    with watch.operation("read") as one:
        one.pages += 5
        with watch.inside():
            pass
    with watch.operation("read"), watch.inside(), watch.inside():
        pass
    told = watch.operations["read"]
    assert (told.times, told.pages, told.inside, told.outside) == (2, 5, 2, 4)


KILLED = """
import sys, json
from gwc_crawler.store.stripping.engine import EngineOptions, Strippers, strip_pages
from gwc_crawler.store.stripping.locations import open_source, open_target
from gwc_crawler.store.stripping.engine import StopWatch
strippers = Strippers(2)
watch = StopWatch()
source, target = open_source(sys.argv[1], None, watch), open_target(sys.argv[2], None, watch)
print(json.dumps([one.pid for one in strippers.processes]), flush=True)
strip_pages(source, target, strippers, watch, EngineOptions(20, 10, 5))
strippers.close()
"""


def test_killed_again_and_again_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    numbers = range(1500)
    source, target = make_crawl(tmp_path / "crawl.db", numbers), tmp_path / "out.db"
    dice, deaths, helpers = Random(3), 0, []
    seen = 0
    while True:
        command = [sys.executable, "-c", KILLED, source, f"sqlite:{target}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout is not None
            helpers += json.loads(worker.stdout.readline())
            if deaths < 4:
                time.sleep(dice.uniform(0.0, 0.05))
                worker.kill()
            if worker.wait(60) == 0:
                break
            deaths += 1
        found = len(rows(target)) if target.exists() and target.stat().st_size else seen
        assert found >= seen, "what was written stays"
        seen = found
    assert deaths >= 2
    assert rows(target) == wanted(numbers)
    deadline = time.monotonic() + 20
    while alive := [one for one in helpers if is_running(one)]:
        assert time.monotonic() < deadline, f"processes {alive} outlive the one that started them"
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    source = make_crawl(tmp_path / "crawl.db", range(3000))
    (tmp_path / "small").mkdir()
    with small_disk(tmp_path / "small", 1) as mounted:
        if not mounted:
            pytest.skip("a small disk takes root")
        with pytest.raises(StoreError, match="full; free some space"):
            strip(source, f"sqlite:{tmp_path / 'small' / 'out.db'}", options=EngineOptions())
        subprocess.run(["mount", "-o", "remount,size=16m", str(tmp_path / "small")], check=True)
        strip(source, f"sqlite:{tmp_path / 'small' / 'out.db'}", options=EngineOptions())
        assert rows(tmp_path / "small" / "out.db") == wanted(range(3000))


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("sqlit:x", "sqlite:o.db", r"--from sqlit:x: takes .*; did you mean sqlite:x\?"),
        ("crawl.db", "sqlite:o.db", r"--from crawl\.db: takes sqlite:PATH"),
        ("sqlite:no.db", "sqlite:o.db", r"no\.db: there is no such database"),
        ("warc:no.warc", "sqlite:o.db", r"no\.warc: there is no WARC file"),
        ("dir:no", "sqlite:o.db", "no: there is no such folder"),
        ("dir:.", "warc:o", "--to warc:o: takes sqlite:PATH, mssql:, postgres:, dir:PATH"),
        ("dir:.", "dir:./deeper", "lies in dir:., and would be read again"),
        ("sqlite:other.db", "sqlite:o.db", "no table 'pages'; --table takes one of those that are there: names"),
        ("sqlite:other.db|names", "sqlite:o.db", "'names' has no column url, only name"),
        ("dir:.|pages", "sqlite:o.db", r"--table names a table of a database; dir:\. has none"),
        ("dir:.", "sqlite:other.db|names", "'names' is there and lacks url, version"),
        ("dir:.", "dir:/proc/no", "/proc/no: .*; name another folder"),
    ],
)
def test_what_cannot_be_used_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, target: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("other.db")) as connection:
        connection.execute("CREATE TABLE names (name)")
    (where, _, table), (place, _, to_table) = source.partition("|"), target.partition("|")
    with pytest.raises((InputError, StoreError), match=message):
        check_apart(where, table or None, place, to_table or None)
        open_source(where, table or None, StopWatch())
        open_target(place, to_table or None, StopWatch())
