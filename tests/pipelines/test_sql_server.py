"""`SqlServerPipeline` in a project that has nothing else of ours: each item once, and safe before it goes on."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.pipelines.sql_server import item_key
from gwc_crawler.store.server.config import url_id
from gwc_crawler.store.server.schema import UnfitValue, for_column
from gwc_crawler.store.server.units import item_unit
from tests import started
from tests.conftest import ended
from tests.processes import wait_until
from tests.tds_server import Hook, TdsServer

SPIDER = """
import dataclasses, os, signal
import attr, scrapy

@dataclasses.dataclass
class Book:
    url: str
    title: str
    price: float | None = None

@attr.s(auto_attribs=True)
class Author:
    url: str
    names: list

class Shelf(scrapy.Item):
    url = scrapy.Field()
    Title = scrapy.Field()

class Books(scrapy.Spider):
    name = "books"
    custom_settings = {
        "ITEM_PIPELINES": {"gwc_crawler.pipelines.SqlServerPipeline": 300},
        "GWC_MSSQL_TYPES": {"price": "number"}, "GWC_COMMIT_SECONDS": 0.1, "GWC_COMMIT_PAGES": 7,
        "TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "INFO",
    }

    async def start(self):
        for number in range(20):
            yield {"url": f"https://b.example/{number}", "title": "黑" * number, "price": number / 4, "order": True}
        yield Book("https://b.example/book", "", 11.5)
        yield Author("https://b.example/author", ["Kafka", "Brod"])
        yield Shelf(url="https://b.example/shelf", Title="x\\0y")
        yield Shelf(url="https://b.example/shelf", Title="later")
        yield {"url": "https://b.example/unfit", "price": "ask us", "title": "x"}
        yield {"title": "without a key"}
        yield {"title": "without a key"}
"""


def start(directory: Path, *arguments: str, text: str = SPIDER) -> subprocess.Popen[str]:
    spider = directory / "spider.py"
    spider.write_text(text, encoding="utf-8")
    return started.start(
        "scrapy",
        "runspider",
        "spider.py",
        *arguments,
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "", "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def assert_all_there(tds: TdsServer) -> None:
    rows = tds.rows('SELECT url, title, price, "order", names, Title_2 FROM dbo.items_books')
    assert len(rows) == len({row[0] for row in rows}) == 25
    found = {row[0].rpartition("/")[2]: row[1:] for row in rows}
    assert found["3"] == ("黑黑黑", "0.7500000000", "1", None, None)
    assert found["0"][0] == ""
    assert found["book"][:2] == ("", "11.5000000000")
    assert found["author"][3] == '["Kafka", "Brod"]'
    assert found["shelf"][4] == "later"
    assert found["unfit"][:2] == ("x", None)
    told = tds.rows("SELECT url, field, closest FROM dbo.exceptions")
    assert told == [("https://b.example/unfit", "price", "ask us")]


def test_items_of_all_kinds_are_rows(tmp_path: Path, tds: TdsServer) -> None:
    outcome = ended(start(tmp_path))
    assert outcome.code == 0, outcome.err
    assert "'item_scraped_count': 27" in outcome.err, outcome.err
    assert_all_there(tds)


def test_what_a_killed_spider_had_handed_over_is_not_lost(tmp_path: Path, tds: TdsServer) -> None:
    tds.hook(Hook("silence", match="bulk rows", times=99))
    spider = start(tmp_path)
    folder = tmp_path / "data" / "mssql-items"
    wait_until(lambda: len(list(folder.glob("*/1/*.batch"))) >= 4, 30)
    spider.send_signal(signal.SIGKILL)
    ended(spider)
    tds.hook()
    outcome = ended(start(tmp_path))
    assert outcome.code == 0, outcome.err
    assert_all_there(tds)
    assert list(folder.glob("*/*/*.batch")) == []


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GWC_MSSQL_USER", "", "GWC_MSSQL_USER is empty"),
        ("GWC_MSSQL_PORT", "0x", "GWC_MSSQL_PORT is '0x'; it takes a number"),
        ("GWC_MSSQL_PORT", "99999", "GWC_MSSQL_PORT is '99999'; it takes a number, 1 to 65535"),
        ("GWC_MSSQL_ENCRYPTION", "yes", "it can be off, request, require"),
        ("GWC_MSSQL_PASSWORD", "not-this-one", "mend GWC_MSSQL_USER, GWC_MSSQL_PASSWORD"),
    ],
)
def test_a_setting_that_can_not_be_used_is_named(
    tmp_path: Path, tds: TdsServer, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    outcome = ended(start(tmp_path))
    assert outcome.code == 1
    assert words in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("GWC_COMMIT_PAGES=some", "setting GWC_COMMIT_PAGES is 'some'; it can be a whole number"),
        ("GWC_COMMIT_PAGES=0", "setting GWC_COMMIT_PAGES is '0'; it can be a whole number, 1 or more"),
        ("GWC_COMMIT_SECONDS=inf", "setting GWC_COMMIT_SECONDS is 'inf'; it takes a number, 0 or more"),
        ("GWC_COMMIT_SECONDS=-1", "setting GWC_COMMIT_SECONDS is '-1'; it can be a number, 0 or more"),
    ],
)
def test_a_number_that_can_not_be_used_is_told_in_a_line(
    tmp_path: Path, tds: TdsServer, setting: str, words: str
) -> None:
    outcome = ended(start(tmp_path, "-s", setting))
    assert outcome.code == 1
    assert words in outcome.err
    assert "Traceback" not in outcome.err


KEYS = [
    ("Red", "Hat Big"), ("Red Hat", "Big"), ("Red Hat ", "Big"), ("red hat", "Big"), ("Red Hat Big", "-"),
    ("NULL", "x"), ("None", "x"), ('["a", "b"]', "c"), ("a", 'b", "c'), ('a", "b', "c"), ("caf\u00e9", "x"),
    ("cafe\u0301", "x"), ("\uff32ed", "x"), ("l" * 5000, "x"), ("l" * 5001, "x"), ("a|b", "c"), ("a", "b|c"),
]  # fmt: skip
"""Each another key, also where joining them, or a server's collation, makes them one."""

ODD = """
import scrapy

KEYS = %r

class Odd(scrapy.Spider):
    name = "odd"
    custom_settings = {
        "ITEM_PIPELINES": {"gwc_crawler.pipelines.SqlServerPipeline": 300}, "TELNETCONSOLE_ENABLED": False,
        "GWC_MSSQL_KEY": ["shop", "number"], "GWC_MSSQL_TYPES": {"size": "number"}, "LOG_LEVEL": "INFO",
    }

    async def start(self):
        for number in (1, 2, 2):
            yield {"shop": "a", "number": number, "url": "https://b.example/"}
        for shop, number in KEYS:
            yield {"shop": shop, "number": number, "size": 1.1 * 1.1}
            yield {"shop": shop, "number": number, "size": 1.1 * 1.1}
        around = {"shop": "b", "number": 1}
        around["again"] = [around]
        yield around
"""


def test_keys_can_be_a_list_and_an_item_that_holds_itself_is_dropped(tmp_path: Path, tds: TdsServer) -> None:
    outcome = ended(start(tmp_path, text=ODD % (KEYS,)))
    assert outcome.code == 0, outcome.err
    rows = tds.rows("SELECT shop, number, size FROM dbo.items_odd")
    assert sorted(row[:2] for row in rows) == sorted([*KEYS, ("a", "1"), ("a", "2")])
    assert {str(row[2]) for row in rows} == {"1.2100000000", "None"}
    assert "can't be stored: it is nested too deep, or holds itself" in outcome.err
    assert "Traceback" not in outcome.err


PARTS = st.one_of(st.text(), st.sampled_from(['"', '", "', " ", "|", "a", "\\", "\ud800", "\ufffd", "\0"]))


@given(*[st.lists(PARTS, min_size=2, max_size=2)] * 2)
def test_two_keys_are_two_rows_and_one_key_is_one(one: list[str], other: list[str]) -> None:
    texts = [[f"x{part}" for part in key] for key in (one, other)]  # blanks alone are no key
    ids = [url_id("s", item_key(dict(zip("ab", key, strict=True)), ("a", "b"), {})) for key in texts]
    assert (ids[0] == ids[1]) is (one == other)


@pytest.mark.parametrize(
    ("kind", "same", "others"),
    [
        ("text", [1, "1", True], [1.0, "1.00", " 1", "\uff11"]),
        ("text", ["\u00e9"], ["e\u0301", "E", "e", "e "]),
        ("number", [1, "1", 1.0, "1.00", True], ["1.5", 10, "one"]),
        ("number", [1.1 * 1.1, "1.21", 1.21], [1.2, "1.2100000001"]),
        ("int", [7, "7", "007", 7.0], [70, "7a"]),
        ("date", ["2010-06", "2010-06-01"], ["2010", "June"]),
    ],
)
def test_values_of_keys_are_the_same_where_their_columns_hold_the_same(
    kind: str, same: list[object], others: list[object]
) -> None:
    def key(value: object) -> str:
        return item_key({"a": value, "b": "x"}, ("a", "b"), {"a": kind})

    assert len(set(map(key, same))) == 1
    assert len(set(map(key, [same[0], *others]))) == 1 + len(others)


def test_what_lacks_a_part_of_its_key_is_told_by_all_of_it() -> None:
    items = [{"a": "x", "b": one, "c": other} for one in (None, "", " ") for other in (1, 2)]
    assert len({item_key(item, ("a", "b"), {}) for item in items}) == len(items)
    assert item_key({"a": "x", "b": "NULL", "c": 1}, ("a", "b"), {}) == '["x", "NULL"]'


def test_a_dict_of_an_item_stays_one_and_a_list_a_list() -> None:
    unit = item_unit("k", {"size": {"width": 1, "of": {"x": [2]}}, "tags": [{"a": {"b": 1}}]}, 0.0)
    assert unit["record"] == {"size": {"width": 1, "of": {"x": [2]}}, "tags": [{"a": {"b": 1}}]}
    assert for_column(unit["record"]["size"], "NVARCHAR(MAX)") == '{"width": 1, "of": {"x": [2]}}'
    with pytest.raises(UnfitValue, match="a dict in a column of type BIGINT"):
        for_column(unit["record"]["size"], "BIGINT")
