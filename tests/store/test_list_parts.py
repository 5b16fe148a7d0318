"""Lists that go over several pages: the record has all of it, whichever page comes first, and again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.items import PageKind, Record, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.history import merge_parts
from gwc_crawler.store.sink import Revision
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.store.test_sqlite import visit

PARENT = "http://shop.example/item/5"
SHAPE = RecordShape(("title", "reviews"), paged={"reviews": ("reviews",)})
ALL = [{"text": f"review {n}"} for n in range(1, 9)]


def page_visit(number: int, items: Sequence[Any] | None = None, title: str = "Thor") -> Visit:
    """Page 1 is the target page itself; each page has two reviews."""
    shown = list(ALL[2 * number - 2 : 2 * number] if items is None else items)
    if number == 1:
        return visit(PARENT, Record(PARENT, {"title": title, "reviews": shown}), kind=PageKind.TARGET)
    url = f"{PARENT}?page={number}"
    record = Record(url, {"reviews": shown}, parent=PARENT, number=number)
    return visit(url, record, kind=PageKind.CONTINUATION)


def reviews(database: CrawlDatabase) -> Any:
    rows = database.connection.execute("SELECT url, title, reviews FROM records_shop").fetchall()
    assert [row[:2] for row in rows] == [(PARENT, "Thor")]
    return json.loads(rows[0][2])


@pytest.mark.parametrize("order", list(permutations((1, 2, 3, 4))), ids=str)
def test_the_order_of_arrival_does_not_matter(tmp_path: Path, order: Sequence[int]) -> None:
    for number in order:  # a crawl that is restarted after each page
        with CrawlDatabase(tmp_path / "crawl.db") as database:
            SqliteSink(database, site="shop", fields=SHAPE).write([page_visit(number)])
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        assert reviews(database) == ALL
    with CrawlDatabase(tmp_path / "other.db") as database:
        SqliteSink(database, site="shop", fields=SHAPE).write([page_visit(number) for number in order])
        assert reviews(database) == ALL


def test_without_its_target_page_there_is_no_record(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        SqliteSink(database, site="shop", fields=SHAPE).write([page_visit(2)])
        assert database.connection.execute("SELECT count(*) FROM records_shop").fetchone() == (0,)


def test_a_page_fetched_again_replaces_its_part(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        sink = SqliteSink(database, site="shop", fields=SHAPE)
        sink.write([page_visit(number) for number in (1, 2, 3)])
        sink.write([page_visit(3, [*ALL[4:6], {"text": "new"}])])
        assert reviews(database) == [*ALL[:6], {"text": "new"}]
        sink.write([page_visit(1)])
        assert reviews(database) == [*ALL[:6], {"text": "new"}]
        sink.revise([Revision(page_visit(3).page, page_visit(3, []).record, 1.0)])
        assert reviews(database) == ALL[:4]


@pytest.mark.parametrize("moved", [True, False])
def test_a_page_that_is_none_any_more_takes_its_part_along(tmp_path: Path, moved: bool) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        sink = SqliteSink(database, site="shop", fields=SHAPE)
        sink.write([page_visit(number) for number in (1, 2)])
        url = f"{PARENT}?page=2"
        sink.write([visit("http://shop.example/", requested=url) if moved else visit(url, kind=PageKind.MISSING)])
        assert reviews(database) == ALL[:2]


def test_typed_lists_keep_their_columns_in_step(tmp_path: Path) -> None:
    shape = RecordShape(("prices", "prices_raw"), paged={"prices": ("prices", "prices_raw")})

    def shown(url: str, texts: Sequence[str], **more: Any) -> Visit:
        values = [int(text.strip("$")) if text.startswith("$") else None for text in texts]
        return visit(url, Record(url, {"prices": values, "prices_raw": list(texts)}, **more))

    with CrawlDatabase(tmp_path / "crawl.db") as database:
        sink = SqliteSink(database, site="shop", fields=shape)
        sink.write([shown(f"{PARENT}/2", ["$3", "none", "$4"], parent=PARENT, number=2), shown(PARENT, ["$1", "$3"])])
        row = database.connection.execute("SELECT prices, prices_raw FROM records_shop").fetchone()
        assert row == ("[1, 3, null, 4]", '["$1", "$3", "none", "$4"]')


def test_what_was_told_from_a_date_does_not_make_two_of_one_item() -> None:
    first = [[{"text": "x", "date": "2026-03-01", "date_raw": "today"}]]
    second = [[{"text": "x", "date": "2026-03-02", "date_raw": "today"}]]
    assert merge_parts([(None, first), (2, second)]) == first


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((None, 2, 3), "abc"),  # /item, ?page=2, ?page=3
        ((None, 1, 2), "bca"),  # the newest stand on the target page, the oldest on comment-page-1
        ((0, 1, 2), "abc"),
        ((None, 10, 20), "abc"),
    ],
)
def test_the_target_page_takes_the_number_that_is_free(numbers: Sequence[int | None], expected: str) -> None:
    parts = [(number, [[item]]) for number, item in zip(numbers, "abc", strict=True)]
    assert "".join(row[0] for row in merge_parts(parts)) == expected


@given(st.lists(st.sampled_from("abcdef"), max_size=12), st.lists(st.integers(0, 12), max_size=4), st.randoms())
def test_pages_put_together_are_the_list_whatever_their_order(items: list[str], cuts: list[int], rng: Any) -> None:
    """Items that differ: `a0`, `a1` … are the first, second … a."""
    names = [f"{item}{items[:place].count(item)}" for place, item in enumerate(items)]
    edges = [0, *sorted(min(cut, len(names)) for cut in cuts), len(names)]
    pages = [
        (number, [[name] for name in names[max(0, start - 1) : end]])  # each page begins with the last one's last
        for number, (start, end) in enumerate(pairwise(edges), 1)
    ]
    rng.shuffle(pages)
    assert [row[0] for row in merge_parts(pages)] == names


def test_numbers_are_stored_as_numbers_and_old_texts_become_the_raw_ones(tmp_path: Path) -> None:
    typed = RecordShape(("price", "price_currency", "price_raw", "isbn"), numbers=frozenset({"price"}))
    record = Record(PARENT, {"price": 11.5, "price_currency": "$", "price_raw": "$11.50", "isbn": "0316"})
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        old = Record(f"{PARENT}0", {"price": "$7", "isbn": "0441"})
        SqliteSink(database, site="shop", fields=["price", "isbn"]).write([visit(old.url, old)])
        SqliteSink(database, site="shop", fields=typed).write([visit(PARENT, record)])
        query = "SELECT price, typeof(price), price_raw, isbn FROM records_shop ORDER BY isbn"
        assert database.connection.execute(query).fetchall() == [
            (11.5, "real", "$11.50", "0316"),
            (None, "null", "$7", "0441"),
        ]
        assert database.connection.execute("SELECT count(*) FROM records_shop WHERE price > 11").fetchone() == (1,)
        SqliteSink(database, site="shop", fields=["price", "isbn"])
        query = "SELECT price, typeof(price) FROM records_shop ORDER BY isbn"
        assert database.connection.execute(query).fetchall() == [("$11.50", "text"), ("$7", "text")]
