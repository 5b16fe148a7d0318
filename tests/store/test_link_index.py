"""The index of links by their ends: made by who asks, the answers stay the same, a crawl that runs is left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from gwc_crawler.items import Lease, Page, PageKind, Visit
from gwc_crawler.store.sqlite import stats
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.stats import (
    drop_link_index,
    has_link_index,
    index_links,
    least_depth_of_linking,
)

HOME = "http://shop.example/"


@pytest.fixture
def crawled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CrawlDatabase]:
    """A crawl's file with 40 pages of 5 links each."""
    monkeypatch.setattr(stats, "LEAST_LINKS", 200)
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        SqliteSink(database, site="shop").write([visit(number) for number in range(40)])
        yield database


def visit(number: int) -> Visit:
    url = f"{HOME}{number}"
    links = tuple(f"{HOME}{(number * step) % 97}" for step in (1, 2, 3, 5, 7)) if number else (HOME,) * 5
    page = Page(url, 200, b"", "text/html", "utf-8", PageKind.INDEX, relevant=False, links=links)
    return Visit(Lease(url, 1, 0, 1, 1, "worker", 1, 0.0), page, None, number, 0.0, "", "")


def answers(database: CrawlDatabase) -> list[object]:
    return [sorted(SqliteReader(database, "").linking_to(f"{HOME}{number}", 100)) for number in range(97)]


def plan(database: CrawlDatabase) -> str:
    rows = database.connection.execute("EXPLAIN QUERY PLAN SELECT src FROM link_ids WHERE dst = 3").fetchall()
    return " ".join(row[-1] for row in rows)


def test_who_asks_makes_the_index_once_and_gets_the_same_answers(
    crawled: CrawlDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stats, "LEAST_LINKS", 190)
    notes: list[str] = []
    expected = answers(crawled)
    assert any(expected)
    assert plan(crawled) == "SCAN link_ids"
    with CrawlDatabase(crawled.path, read_only=True) as looking:
        index_links(looking, notes.append)
        index_links(looking, notes.append)
        assert plan(looking) == "SEARCH link_ids USING COVERING INDEX links_by_end (dst=?)"
        assert answers(looking) == expected
        least_depth_of_linking(looking, f"{HOME}3")
    assert [note.partition(": ")[0] for note in notes] == [str(crawled.path)]
    drop_link_index(crawled)
    assert plan(crawled) == "SCAN link_ids"
    assert answers(crawled) == expected


def test_few_links_are_scanned(crawled: CrawlDatabase) -> None:
    index_links(crawled, pytest.fail)
    assert not has_link_index(crawled)


def test_a_running_crawl_is_left_alone(crawled: CrawlDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "LEAST_LINKS", 10)
    crawled.lock()
    with CrawlDatabase(crawled.path, read_only=True) as looking:
        index_links(looking, pytest.fail)
    assert not has_link_index(crawled)


def test_a_crawl_that_starts_meanwhile_is_told_who_keeps_it_off(
    crawled: CrawlDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stats, "LEAST_LINKS", 10)
    seen: list[str] = []

    def crawl_starts(_: str) -> None:
        with pytest.raises(stats.StoreError) as refused:
            crawled.lock()
        seen.append(str(refused.value))

    index_links(crawled, crawl_starts)
    assert "which indexes its links" in seen[0]
    crawled.lock()  # it is free again


def test_ctrl_c_ends_it_and_leaves_the_file_as_it_was(crawled: CrawlDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "LEAST_LINKS", 10)

    class Interrupted(sqlite3.Connection):
        def set_progress_handler(self, handler: object, n: int) -> None:
            """As if the signal came at once."""

            def interrupt() -> int:
                raise KeyboardInterrupt

            super().set_progress_handler(interrupt, 1)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: connect(*args, **more, factory=Interrupted))
    with pytest.raises(KeyboardInterrupt):
        index_links(crawled, lambda _: None)
    assert not has_link_index(crawled)
    crawled.lock()
