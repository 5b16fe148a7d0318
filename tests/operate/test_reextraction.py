"""Re-extraction of pages that a test stored: kinds, links' marks, and a page that can't be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Done, Link, PageKind, Visit
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.modes import KeepHtml
from gwc_crawler.operate.reextraction import extract_again
from gwc_crawler.page.reader import PageReader
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink

BASE = "http://a.example"
SITE = Site("shop", Path("shop.toml"), (f"{BASE}/",))
PAGE = b"<html><body><h1>A page</h1><a href='/'>home</a><a href='/item/1'>one</a></body></html>"


def knowledge(target: str) -> Knowledge:
    return Knowledge("shop", "best", (UrlClass(BASE + target),), (UrlClass(f"{BASE}/.*"),), 2)


@pytest.fixture
def database(tmp_path: Path) -> CrawlDatabase:
    """A crawl of three pages under a filter that takes item pages; all HTML kept."""
    database = CrawlDatabase(tmp_path / "crawl.db")
    frontier = SqliteFrontier(database)
    sink = SqliteSink(database, site="shop", keep_html=KeepHtml.ALL)
    store = Batcher(frontier, sink, database.transaction, max_pages=100)
    reader = PageReader(knowledge("/item/[0-9]+"), SITE.sites)
    frontier.add([Link(f"{BASE}{path}") for path in ("/", "/item/1", "/item/2")])
    for lease in frontier.lease(3, "test"):
        page = reader.read(lease.url, PAGE, "text/html")
        page.tree = None
        done = Done(lease, page.url, page.kind, page.relevant, page.admitted)
        store.add(Visit(lease, page, None, 0, fetched_at=1.0), done)
    store.commit()
    return database


def kinds(database: CrawlDatabase, table: str = "pages") -> dict[str, str]:
    query = f"SELECT url, kind FROM {table} WHERE kind IS NOT NULL"  # noqa: S608  # constants
    return {url.removeprefix(BASE): kind for url, kind in database.connection.execute(query)}


@pytest.mark.parametrize("workers", [1, 2])
def test_kinds_follow_the_filters_in_pages_urls_and_links(database: CrawlDatabase, workers: int) -> None:
    target, directory = PageKind.TARGET.value, PageKind.DIRECTORY.value
    assert kinds(database) == {"/": directory, "/item/1": target, "/item/2": target}
    told: list[int] = []
    done = extract_again(database, SITE, knowledge("/item/1"), workers=workers, advance=told.append)
    assert (done.pages, done.changed, done.unreadable, told) == (3, 1, [], [3])
    expected = {"/": directory, "/item/1": target, "/item/2": directory}
    assert kinds(database) == kinds(database, "urls") == expected
    pruned = dict(database.connection.execute("SELECT src_url, max(pruned) FROM links GROUP BY src_url").fetchall())
    assert pruned == {f"{BASE}/": 0, f"{BASE}/item/1": 1, f"{BASE}/item/2": 0}
    assert extract_again(database, SITE, knowledge("/item/1")).changed == 0
    database.close()


def test_a_page_that_cannot_be_read_stays_as_it_was(database: CrawlDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    read = PageReader.read

    def failing(self: PageReader, url: str, *rest: object) -> object:
        if url.endswith("/item/2"):
            raise RuntimeError("a mistake in our own code")
        return read(self, url, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(PageReader, "read", failing)
    done = extract_again(database, SITE, knowledge("/nothing"))
    assert done.unreadable == [f"{BASE}/item/2"]
    assert kinds(database) == {"/": "directory", "/item/1": "directory", "/item/2": "target"}
    database.close()
