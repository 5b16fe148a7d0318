"""The tables of a crawl: what a visit leaves in them, and that writing it again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Done, FieldProblem, Lease, Link, Page, PageKind, Record, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink, read_records, records_table
from gwc_crawler.store.sqlite.stats import read_stored_pages

HOME = "http://shop.example/"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        yield database


def visit(url: str = HOME, record: Record | None = None, *, requested: str = "", **page: Any) -> Visit:
    values: dict[str, Any] = {"kind": PageKind.INDEX, "relevant": False, **page}
    lease = Lease(requested or url, 1, 0, 2, 1, "worker", 1, 0.0)
    body = values.pop("body", b"<p>hello")
    return Visit(lease, Page(url, 200, body, "text/html", "utf-8", **values), record, 3, 99.5, "<p>", "abs")


def rows(database: CrawlDatabase, query: str) -> list[tuple[Any, ...]]:
    return database.connection.execute(query).fetchall()


def test_a_page_is_stored_with_all_that_is_known_of_it(database: CrawlDatabase) -> None:
    SqliteSink(database, site="shop").write([visit(title="Héllo", text="body text", kind=PageKind.TARGET)])
    told = rows(database, "SELECT url, requested, title, kind, relevant, weight, depth, status, charset FROM pages")
    assert told == [(HOME, None, "Héllo", "target", 0, 3, 2, 200, "utf-8")]
    texts = rows(database, "SELECT fetched_at, abstract, body, stripped_html FROM pages")
    assert texts == [(99.5, "abs", "body text", "<p>")]


def test_writing_again_replaces(database: CrawlDatabase) -> None:
    sink = SqliteSink(database, site="shop", fields=["title"])
    link, other = f"{HOME}a", f"{HOME}b"
    sink.write([visit(links=(link, other), record=Record(HOME, {"title": "old"}))])
    again = visit(title="new", links=(other,), record=Record(HOME, {"title": "new"}, (FieldProblem("price", "gone"),)))
    sink.write([again])
    sink.write([again])
    assert rows(database, "SELECT title FROM pages") == [("new",)]
    assert rows(database, "SELECT src_url, dst_url, pruned FROM links") == [(HOME, other, 0)]
    assert rows(database, "SELECT title FROM records_shop") == [("new",)]
    assert rows(database, "SELECT url, field, reason FROM exceptions") == [(HOME, "price", "gone")]


@pytest.mark.parametrize(
    ("kind", "pruned"), [(PageKind.INFORMATION, 1), (PageKind.TARGET, 1), (PageKind.INDEX, 0), (PageKind.DIRECTORY, 0)]
)
def test_links_that_leave_content_pages_are_pruned(database: CrawlDatabase, kind: PageKind, pruned: int) -> None:
    SqliteSink(database, site="shop").write([visit(kind=kind, links=(f"{HOME}a",))])
    assert rows(database, "SELECT pruned FROM links") == [(pruned,)]


def test_a_record_has_a_column_for_each_field_and_lists_are_json(database: CrawlDatabase) -> None:
    reviews = [{"author": "李", "text": "好"}]
    sink = SqliteSink(database, site="shop", fields=["title", "authors", "reviews", "isbn"])
    sink.write([visit(record=Record(HOME, {"title": "Thor", "authors": ["A", "B"], "reviews": reviews, "isbn": None}))])
    (record,) = read_records(database, "shop")
    assert record == {
        "url": HOME,
        "fetched_at": 99.5,
        "title": "Thor",
        "authors": '["A", "B"]',
        "reviews": json.dumps(reviews, ensure_ascii=False),
        "isbn": None,
    }


def test_any_text_is_safe_as_the_name_of_a_field(database: CrawlDatabase) -> None:
    fields = ['a"b', "select", "价格", "x; DROP TABLE urls", "URL", "fetched_at", "Title", "title"]
    sink = SqliteSink(database, site="my-shop.example", fields=fields)
    sink.write([visit(record=Record(HOME, {name: f"value of {name}" for name in fields}))])
    (record,) = read_records(database, "my-shop.example")
    assert records_table("my-shop.example") == "records_my_shop_example"
    assert list(record.values()) == [HOME, 99.5, *(f"value of {name}" for name in fields)]


def test_new_fields_get_columns_in_an_old_table(database: CrawlDatabase) -> None:
    SqliteSink(database, site="shop", fields=["title"]).write([visit(record=Record(HOME, {"title": "x"}))])
    SqliteSink(database, site="shop", fields=["price", "title"]).write(
        [visit(f"{HOME}2", record=Record(f"{HOME}2", {"title": "y", "price": "1"}))]
    )
    assert rows(database, "SELECT title, price FROM records_shop") == [("x", None), ("y", "1")]


@pytest.mark.parametrize("now", [None, Record(HOME, {"title": "x"}, rejected="of another category")])
def test_a_page_that_is_no_record_any_more_loses_its_row(database: CrawlDatabase, now: Record | None) -> None:
    sink = SqliteSink(database, site="shop", fields=["title"])
    sink.write([visit(record=Record(HOME, {"title": "x"}, (FieldProblem("price", "gone"),)))])
    sink.write([visit(record=now)])
    assert read_records(database, "shop") == []
    expected = [] if now is None else [(HOME, "", "of another category")]
    assert rows(database, "SELECT url, field, reason FROM exceptions") == expected


def test_a_url_that_became_a_redirect_loses_page_and_record(database: CrawlDatabase) -> None:
    sink = SqliteSink(database, site="shop", fields=["title"])
    sink.write([visit(record=Record(HOME, {"title": "x"}))])
    sink.write([visit(f"{HOME}new", Record(f"{HOME}new", {"title": "y"}), requested=HOME)])
    assert rows(database, "SELECT url, requested FROM pages") == [(f"{HOME}new", HOME)]
    assert [record["url"] for record in read_records(database, "shop")] == [f"{HOME}new"]


def test_new_sites_are_counted(database: CrawlDatabase) -> None:
    sink = SqliteSink(database, site="shop")
    sink.write(
        [
            visit(outside=("http://news.sina.com.cn/a", "http://finance.sina.com.cn/b")),
            visit(f"{HOME}2", outside=("http://www.example.org/",)),
        ]
    )
    sink.write([visit(f"{HOME}3", outside=("http://sports.sina.com.cn/",))])
    assert rows(database, "SELECT site, host, state, link_count, first_url FROM sites ORDER BY site") == [
        ("example.org", "www.example.org", "U", 1, "http://www.example.org/"),
        ("sina.com.cn", "news.sina.com.cn", "U", 3, "http://news.sina.com.cn/a"),
    ]


def test_a_page_that_is_fetched_again_counts_its_links_to_other_sites_once(database: CrawlDatabase) -> None:
    sink = SqliteSink(database, site="shop")
    first = visit(outside=("http://www.example.org/a", "http://www.example.org/b"))
    sink.write([first])
    sink.write([first, visit(f"{HOME}2", outside=("http://www.example.org/",))])
    sink.write([visit(outside=("http://www.example.org/a", "http://new.example/"))])
    assert rows(database, "SELECT site, link_count FROM sites ORDER BY site") == [
        ("example.org", 3),
        ("new.example", 0),
    ]


@pytest.mark.parametrize(("keep", "kept"), [("all", [HOME, f"{HOME}t"]), ("targets", [f"{HOME}t"]), ("none", [])])
def test_html_is_kept_as_told(database: CrawlDatabase, keep: Any, kept: list[str]) -> None:
    sink = SqliteSink(database, site="shop", keep_html=KeepHtml(keep))
    sink.write([visit(body=b"\xff\x00 any bytes"), visit(f"{HOME}t", kind=PageKind.TARGET, body=b"\xff\x00 any bytes")])
    assert [(page.url, page.html) for page in read_stored_pages(database)] == [
        (url, b"\xff\x00 any bytes") for url in kept
    ]


def test_stored_pages_come_back_for_learning(database: CrawlDatabase) -> None:
    sink = SqliteSink(database, site="shop", keep_html=KeepHtml.ALL)
    links = (f"{HOME}b", f"{HOME}a")
    sink.write([visit(links=links, relevant=True, requested="http://shop.example/old")])
    (page,) = read_stored_pages(database)
    assert (page.url, page.requested, page.links) == (HOME, "http://shop.example/old", links)
    assert (page.weight, page.depth, page.relevant, page.charset) == (3, 2, True, "utf-8")


def test_the_learner_sees_final_weights(database: CrawlDatabase) -> None:
    frontier = SqliteFrontier(database)
    sink = SqliteSink(database, site="shop", keep_html=KeepHtml.ALL)
    frontier.add([Link(HOME, 5, 5)])
    lease = frontier.lease(1, "w")[0]
    sink.write([Visit(lease, visit().page, None, 6, 0.0)])
    frontier.complete([Done(lease, HOME, PageKind.INDEX, False)])
    frontier.add([Link(HOME, 1, 5)])
    assert [page.weight for page in read_stored_pages(database)] == [2]


def test_odd_text_is_stored(database: CrawlDatabase) -> None:
    SqliteSink(database, site="shop").write([visit(title="a\ud800b", text="nul \0 stays")])
    assert rows(database, "SELECT title, body FROM pages") == [("a\ufffdb", "nul \0 stays")]


def test_an_empty_batch_is_no_work(database: CrawlDatabase) -> None:
    SqliteSink(database, site="shop").write([])
    assert rows(database, "SELECT count(*) FROM pages") == [(0,)]
