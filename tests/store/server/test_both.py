"""One behaviour, three sinks: what SQLite's tables have after a crawl's batches, those of the servers have, too."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gwc_crawler.items import KeptFile, PageKind, Record, UrlState, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.server.sink import ServerSink
from gwc_crawler.store.sink import Revision, Standing
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import mark_sites
from tests.postgres_server import PostgresServer
from tests.store.server.conftest import SHAPE, url_of, visit_of
from tests.tds_server import TdsServer

AnyServer = TdsServer | PostgresServer
TABLES = {
    "pages": "SELECT url, requested, title, kind, page_kind, relevant, weight, depth, status, abstract, body, "
    "stripped_html FROM {}",
    "links": "SELECT src_url, dst_url, pruned FROM {}",
    "records_books": "SELECT url, title, tags FROM {}",
    "exceptions": "SELECT url, field, reason, closest FROM {}",
    "sites": "SELECT site, host, name, state, link_count, first_url FROM {} WHERE state = 'U'",
}


def in_ascii(visit: Visit) -> Visit:
    """A page without any other character, which a SQL Server is given in ASCII."""
    return replace(visit, page=replace(visit.page, text="O'Neill; \\ \n end "), stripped_html="<p>O'Neill")


CASES: dict[str, list[list[Visit]]] = {
    "pages with and without records": [[visit_of(1, title="a", tags=["x"]), visit_of(2)], [visit_of(3, title="")]],
    "a page that is looked at again": [[visit_of(1, title="a")], [visit_of(1, at=8.0, title="b", tags=[])]],
    "a record that is gone": [[visit_of(1, title="a")], [visit_of(1, at=8.0)]],
    "a page that has moved": [[visit_of(1, title="a")], [visit_of(2, at=8.0, requested=url_of(1), title="b")]],
    "a batch that comes twice": [[visit_of(1, title="a")], [visit_of(1, title="a")]],
    "a page twice in a batch": [[visit_of(1, title="a"), visit_of(1, at=8.0, title="b")]],
    "a page of ASCII alone, and others": [[in_ascii(visit_of(1)), visit_of(2)], [visit_of(1, at=8.0)]],
    "a page that is ASCII later": [[visit_of(1)], [in_ascii(visit_of(1, at=8.0))]],
    "texts of many kinds": [[visit_of(1, title="黑🙂\ud800' % \\ \n end ", tags=["[", {"k": "v"}])]],
}


@pytest.mark.parametrize("batches", CASES.values(), ids=list(CASES))
def test_both_have_the_same(
    batches: list[list[Visit]], tmp_path: Path, open_sink: Callable[..., ServerSink], any_server: AnyServer
) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        own = SqliteSink(database, site="books", fields=SHAPE, keep_html=KeepHtml.RAW)
        server = open_sink()
        for batch in batches:
            server.write([replace(visit) for visit in batch]).result(30)
            own.write(batch)
        server.close()
        for table, query in TABLES.items():
            here = database.connection.execute(query.format(table)).fetchall()
            assert sorted(map(repr, any_server.rows(query.format(f"dbo.{table}")))) == sorted(map(repr, here)), table


JOINED = RecordShape(
    ("title", "tags", "reviews", "cover", "cover_file"),
    paged={"reviews": ("reviews",)},
    files=("cover", "reviews.photo"),
)
COVER, PHOTO = "https://shop.example/cover.png", "https://shop.example/photo.png"


def goes_on(number: int, *reviews: object, at: float = 7.0) -> Visit:
    """A page that goes on with the reviews of page 1."""
    visit = visit_of(number, at=at)
    record = Record(visit.page.url, {"reviews": list(reviews)}, parent=url_of(1), number=number)
    return replace(visit, page=replace(visit.page, kind=PageKind.CONTINUATION), record=record)


def kept(url: str, path: str, requested: str = "", at: float = 7.0) -> Visit:
    """A file that was kept."""
    visit = visit_of(90, requested=requested or url, at=at)
    page = replace(visit.page, url=url, kind=PageKind.BINARY, body=b"", links=(), outside=())
    return replace(visit, page=page, file=KeptFile(path, "image/png", 3, "a" * 64, "bild.png"))


def with_photo(text: str) -> dict[str, str]:
    return {"text": text, "photo": PHOTO}


OWN = visit_of(1, title="a", cover=COVER, reviews=[with_photo("one"), "two"])
PAGES = [
    [OWN],
    [goes_on(2, "two", "三 \ud800\0' %s \\\n", ""), goes_on(3, "four ", "four ")],
    [kept(COVER, "full/黑.png", requested="https://shop.example/old.png"), kept(PHOTO, "full/p.png")],
]
JOINED_CASES: dict[str, list[list[Visit]]] = {
    "the record, then the rest": PAGES,
    "the record last": PAGES[::-1],
    "all in one batch": [[visit for batch in PAGES[::-1] for visit in batch]],
    "each batch twice": [batch for batch in PAGES for _ in range(2)],
    "a page that goes on with less": [*PAGES, [goes_on(2, at=8.0)]],
    "a page that goes on no more": [*PAGES, [visit_of(3, at=8.0)]],
    "a page that goes on elsewhere": [*PAGES, [visit_of(5, at=8.0, requested=url_of(3))]],
    "a record that is read again": [*PAGES, [visit_of(1, at=8.0, title="b", cover="", reviews=["new"])]],
    "a record that is gone": [*PAGES, [visit_of(1, at=8.0)], [goes_on(2, "x", at=9.0)]],
    "another file": [*PAGES, [kept(COVER, "full/new.png", at=8.0)]],
}
JOINED_TABLES = {
    "records_books": "SELECT url, title, tags, reviews, cover, cover_file FROM {}",
    "record_parts": "SELECT page_url, field, number, items FROM {}",
    "files": "SELECT url, path, type, size, sha256, name FROM {}",
    "exceptions": "SELECT url, field, reason, closest FROM {}",
}


@pytest.mark.parametrize(
    ("any_server", "lists"),
    [
        ("mssql", "tables"),
        ("postgres", "json"),
        pytest.param("mssql", "json", marks=pytest.mark.slow),
        pytest.param("postgres", "tables", marks=pytest.mark.slow),
    ],
    indirect=["any_server"],
)
@pytest.mark.parametrize("batches", JOINED_CASES.values(), ids=list(JOINED_CASES))
def test_both_join_what_comes_with_other_pages(
    batches: list[list[Visit]], lists: str, tmp_path: Path, open_sink: Callable[..., ServerSink], any_server: AnyServer
) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        own = SqliteSink(database, site="books", fields=JOINED, keep_html=KeepHtml.RAW)
        server = open_sink(shape=JOINED, GWC_MSSQL_LISTS=lists)
        for batch in batches:
            server.write([replace(visit) for visit in batch]).result(30)
            own.write(batch)
        server.close()
        for table, query in JOINED_TABLES.items():
            here = [tuple(map(without_nul, row)) for row in database.connection.execute(query.format(table))]
            assert sorted(map(repr, any_server.rows(query.format(f"dbo.{table}")))) == sorted(map(repr, here)), table
        reviews = database.connection.execute(
            "SELECT reviews FROM records_books WHERE url = ?", (url_of(1),)
        ).fetchone()
    items = any_server.rows("SELECT position, part, value FROM dbo.list_items WHERE field = 'reviews' ORDER BY 1, 2")
    wanted = json.loads(str(without_nul(reviews[0]))) if reviews and lists == "tables" else []
    assert items == sorted(
        (place, part, value or "")
        for place, one in enumerate(wanted, 1)
        for part, value in (one.items() if isinstance(one, dict) else [("", one)])
    )


def without_nul(value: object) -> object:
    """SQLite keeps NUL, which stands as an escape in JSON; no SQL Server does."""
    return value.replace("\\u0000", "\ufffd").replace("\0", "\ufffd") if isinstance(value, str) else value


ENTRY = "https://shop.example/"
LEFT = [
    (ENTRY, "C", None, 1, 0, 0),
    (url_of(1), "E", "404 \u9519\u8bef", 3, 1, 1),
    (url_of(7), "U", None, 0, 2, 1),
]


def test_a_server_has_the_states_of_site_and_urls(open_sink: Callable[..., ServerSink], any_server: AnyServer) -> None:
    sites = "SELECT site, host, name, state, link_count FROM dbo.sites WHERE name = 'books'"
    server = open_sink()
    server.write([visit_of(1, title="a"), visit_of(2)]).result(30)
    assert server.outlet.is_empty_within(30)
    assert any_server.rows(sites) == [("shop.example", "shop.example", "books", "R", 4)]
    urls = "SELECT url, state, reason, attempts, hits FROM dbo.urls WHERE url LIKE '%{}'"
    assert any_server.rows(urls.format("/1")) == [(url_of(1), "C", None, 1, 1)]
    server.write([visit_of(1, at=8.0)]).result(30)
    for state, at in (("U", 9.0), ("E", 5.0)):  # what comes late counts of the site alone
        left = LEFT if state == "U" else LEFT[1:2]
        server.tell(Standing(ENTRY, state, at, lambda left=left: left))  # type: ignore[misc]
    server.close()
    assert any_server.rows(sites) == [("shop.example", "shop.example", "books", "E", 4)]
    assert any_server.rows(urls.format("/1")) == [(url_of(1), "E", "404 \u9519\u8bef", 3, 2)]
    assert any_server.rows(urls.format("/7")) == [(url_of(7), "U", None, 0, 0)]
    assert any_server.rows(urls.format(".example/")) == [(ENTRY, "C", None, 1, 0)]


def test_sqlite_counts_links_within_the_site(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        own = SqliteSink(database, site="books", fields=SHAPE)
        mark_sites(database, "books", ["shop.example"], [ENTRY], UrlState.RUNNING, 1.0)
        own.write([visit_of(1, title="a"), visit_of(2)])
        own.write([visit_of(1, at=8.0, title="a")])
        rows = database.connection.execute("SELECT site, name, state, link_count FROM sites ORDER BY site").fetchall()
        assert rows == [("else.example", "else.example", "U", 2), ("shop.example", "books", "R", 4)]


def revision(visit: Visit, **changes: object) -> Revision:
    """What a stored page gives when it is read again."""
    assert visit.record is not None
    return Revision(visit.page, replace(visit.record, **changes), visit.fetched_at)  # type: ignore[arg-type]


REVISED: dict[str, list[Revision]] = {
    "another value": [revision(OWN, fields={"title": "z", "tags": ["t"], "cover": COVER, "reviews": ["one"]})],
    "a list that goes on with more": [revision(PAGES[1][0], fields={"reviews": ["two", "more"]})],
    "no target any more": [Revision(replace(OWN.page, kind=PageKind.INDEX), None, OWN.fetched_at)],
    "one that is not there": [revision(visit_of(77, title="x"))],
    "of an older page": [revision(replace(OWN, fetched_at=1.0), fields={"title": "old"})],
    "nothing": [],
}


@pytest.mark.parametrize("revisions", REVISED.values(), ids=list(REVISED))
def test_both_have_the_same_when_pages_were_read_again(
    revisions: list[Revision], tmp_path: Path, open_sink: Callable[..., ServerSink], any_server: AnyServer
) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        own = SqliteSink(database, site="books", fields=JOINED, keep_html=KeepHtml.RAW)
        server = open_sink(shape=JOINED)
        for batch in PAGES:
            server.write([replace(visit) for visit in batch]).result(30)
            own.write(batch)
        server.revise(revisions).result(30)
        server.close()
        known = [one for one in revisions if one.page.url != url_of(77) and one.fetched_at > 1.0]
        own.revise(known)
        queries = {**JOINED_TABLES, "pages": "SELECT url, title, kind, body FROM {}", "links": TABLES["links"]}
        for table, query in queries.items():
            here = [tuple(map(without_nul, row)) for row in database.connection.execute(query.format(table))]
            assert sorted(map(repr, any_server.rows(query.format(f"dbo.{table}")))) == sorted(map(repr, here)), table
