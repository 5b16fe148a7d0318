"""Stored HTML: packed by a dictionary of the site's own, and read however it was packed."""

from __future__ import annotations

import gzip
import random
import zlib
from pathlib import Path

import pytest
from backports import zstd

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Lease, Page, PageKind, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.sqlite.bodies import EVERY, SAMPLES, dictionary_of, unpacked
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.stats import read_kept_pages

FIRST = SAMPLES * EVERY
"""Pages until there is a dictionary."""
TEMPLATE = "".join(
    f'<div class="menu-{number}"><a href="/section/{number}">Section {number}</a></div>' for number in range(90)
)


def page(number: int) -> bytes:
    dice = random.Random(number)
    words = " ".join(f"{dice.randrange(10**9):x}" for _ in range(30))
    return f"<html><title>Page {number}</title>{TEMPLATE}<p>{words}</p>".encode()


def visits(numbers: range) -> list[Visit]:
    return [
        Visit(
            Lease(f"http://a.example/{one}", one, 0, 0, 1, "w", one, 0.0),
            Page(f"http://a.example/{one}", 200, page(one), "text/html", "utf-8", PageKind.TARGET, True),
            None,
            0,
            1.0,
        )
        for one in numbers
    ]


def write(database: CrawlDatabase, numbers: range) -> None:
    SqliteSink(database, site="shop", keep_html=KeepHtml.ALL).write(visits(numbers))


def stored_bytes(database: CrawlDatabase, numbers: range) -> list[bytes]:
    urls = [f"http://a.example/{one}" for one in numbers]
    return [database.connection.execute("SELECT html FROM pages WHERE url = ?", (url,)).fetchone()[0] for url in urls]


def test_pages_are_packed_by_a_dictionary_once_there_is_one(tmp_path: Path) -> None:
    first, then = range(FIRST), range(FIRST, FIRST + 10)
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        write(database, first)
        write(database, then)
        deflated, packed = stored_bytes(database, first), stored_bytes(database, then)
        assert all(zlib.decompress(one) == page(number) for number, one in zip(first, deflated, strict=True))
        assert sum(map(len, packed)) / len(packed) < 0.6 * sum(map(len, deflated)) / len(deflated)
    with CrawlDatabase(tmp_path / "crawl.db", read_only=True) as database:
        kept = [one.html for batch in read_kept_pages(database) for one in batch]
        assert kept == [page(number) for number in range(FIRST + 10)]
        one = SqliteReader(database, "shop").stored_page(f"http://a.example/{FIRST}")
        assert one is not None
        assert one.html == page(FIRST)


def test_the_next_run_goes_on_with_the_same_dictionary(tmp_path: Path) -> None:
    for numbers in (range(FIRST), range(FIRST, FIRST + 2), range(FIRST + 2, FIRST + 4)):
        with CrawlDatabase(tmp_path / "crawl.db") as database:
            write(database, numbers)
            write(database, numbers[-1:])
            assert database.connection.execute("SELECT count(*) FROM dictionaries").fetchone() == (1,)
            assert {zstd.get_frame_info(one).dictionary_id for one in stored_bytes(database, numbers[-1:])} == {
                database.connection.execute("SELECT id FROM dictionaries").fetchone()[0]
            }


def test_a_rollback_takes_the_dictionary_along_and_it_comes_again(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        write(database, range(FIRST))
        with pytest.raises(KeyError), database.transaction():
            write(database, range(FIRST, FIRST + 1))
            raise KeyError
        assert database.connection.execute("SELECT count(*) FROM dictionaries").fetchone() == (0,)
        write(database, range(FIRST, FIRST + 3))
        kept = [one.html for batch in read_kept_pages(database) for one in batch]
        assert kept == [page(number) for number in range(FIRST + 3)]


def test_pages_with_nothing_to_learn_from_stay_deflated(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        assert dictionary_of([b"x"] * SAMPLES) is None
        assert dictionary_of([page(1)]) is None
        assert database.bodies.unpack(database.bodies.pack(b"x")) == b"x"


def test_what_cannot_be_unpacked_says_what_helps(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        write(database, range(FIRST))
        write(database, range(FIRST, FIRST + 1))
        (packed,) = stored_bytes(database, range(FIRST, FIRST + 1))
        (deflated,) = stored_bytes(database, range(1))
        for damaged in (packed[:-9], deflated[:9] + b"?" * 40, b"no packed page"):
            with pytest.raises(StoreError, match=r"a stored page is damaged .*recrawl=all"):
                database.bodies.unpack(damaged)
        database.connection.execute("DELETE FROM dictionaries")
    with CrawlDatabase(tmp_path / "crawl.db", read_only=True) as database, pytest.raises(StoreError, match="is gone"):
        list(read_kept_pages(database))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zlib.compress, zstd.compress])
def test_bytes_of_others_are_unpacked_by_their_own_sign(pack) -> None:  # type: ignore[no-untyped-def]
    assert unpacked(pack(page(1))) == page(1)


@pytest.mark.parametrize("data", [b"", b"x\x9cno", b"\x1f\x8b", b"(\xb5/\xfd"])
def test_bytes_that_only_look_packed_stay_as_they_are(data: bytes) -> None:
    assert unpacked(data) == data
