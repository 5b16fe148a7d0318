"""Typed values: what each type reads, what it refuses, and that nothing is lost."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler.errors import SiteFileError
from gwc_crawler.extract.fields import convert_fields
from gwc_crawler.field_types.numbers import NotOfType, ValueContext, chinese_number
from gwc_crawler.field_types.table import FIELD_TYPES, FieldType
from gwc_crawler.items import Lease, Page, PageKind, Record, Visit
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.sites.site_files import load_site
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink, read_records
from tests.docs.field_types_page import row

FETCHED = datetime(2026, 3, 1, 12, 0, tzinfo=UTC).timestamp()
URL = "http://shop.example/p/1"
CONTEXT = ValueContext("http://example.com/shop/p/1", FETCHED)


def convert(text: str, type_name: str, context: ValueContext | None = None) -> object:
    return FIELD_TYPES[type_name].read(text, context or ValueContext())


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("192", 192),
        ("1,234", 1234),
        ("1.234,5", 1234.5),
        ("1 234,50", 1234.5),
        ("0.5", 0.5),
        ("-7", -7),
        ("－７", -7),
        ("２３，０００", 23000),
        ("1.2万", 12000),
        ("3.5亿", 350_000_000),
        ("2千万", 20_000_000),
        ("1.2k", 1200),
        ("5 M", 5_000_000),
        ("192 pages", 192),
        ("4.5 out of 5 stars", 4.5),
        ("A-5", 5),
        ("45%", 45),
        ("三百二十", 320),
        ("共十二页", 12),
    ],
)
def test_a_number_is_read(text: str, number: float) -> None:
    value = convert(text, "number")
    assert value == number
    assert isinstance(value, type(number))


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("$11.48", 11.48, "$"),
        ("Our price: $7", 7, "$"),
        ("￥1,299.00", 1299, "¥"),
        ("¥12.50元", 12.5, "CNY"),
        ("1.2万元", 12000, "CNY"),
        ("RMB 30", 30, "CNY"),
        ("EUR 1.234,56", 1234.56, "EUR"),
        ("12 €", 12, "EUR"),
        ("NT$300", 300, "NT$"),
        ("-$5", -5, "$"),
    ],
)
def test_a_price_is_read(text: str, amount: float, currency: str) -> None:
    assert convert(text, "price") == {"amount": amount, "currency": currency}


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("June 2010", "2010-06"),
        ("2010年6月", "2010-06"),
        ("2010.6", "2010-06"),
        ("2010年6月3日 08:30", "2010-06-03T08:30:00"),
        ("2010年06月12日 星期六 下午3:20", "2010-06-12T15:20:00"),
        ("二〇一〇年六月十二日", "2010-06-12"),
        ("民國99年6月3日", "2010-06-03"),
        ("November 2, 2006 at 12:21 am", "2006-11-02T00:21:00"),
        ("14. März 1999", "1999-03-14"),
        ("2010-06-12T08:30:00+08:00", "2010-06-12T08:30:00+08:00"),
        ("03/04/2010", "2010-03-04"),
        ("1999", "1999"),
        ("1999年", "1999"),
        ("8小时前", "2026-03-01T04:00:00+00:00"),
        ("半小时前", "2026-03-01T11:30:00+00:00"),
        ("刚刚", "2026-03-01T12:00:00+00:00"),
        ("5 minutes ago", "2026-03-01T11:55:00+00:00"),
        ("3天前", "2026-02-26"),
        ("2 months ago", "2026-01"),
        ("yesterday", "2026-02-28"),
        ("昨天 12:30", "2026-02-28T12:30:00"),
        ("06-12", "2025-06-12"),
        ("6月3日", "2025-06-03"),
    ],
)
def test_a_date_is_as_exact_as_its_text(text: str, date: str) -> None:
    assert convert(text, "date", CONTEXT) == date


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("/img/1.jpg", "http://example.com/img/1.jpg"),
        ("2?x=1#top", "http://example.com/shop/p/2?x=1"),
        (" HTTP://Other.com ", "http://other.com/"),
    ],
)
def test_a_url_is_made_absolute(text: str, url: str) -> None:
    assert convert(text, "url", CONTEXT) == url


def test_text_list_and_html() -> None:
    assert convert(" a \n b ", "text") == "a b"
    assert convert("a, b、c\nd,", "list") == ["a", "b", "c", "d"]
    assert convert("<p> a </p>", "html") == "<p> a </p>"


@pytest.mark.parametrize(
    ("type_name", "text"),
    [
        ("number", "none"),
        ("number", ""),
        ("number", "9" * 300),
        ("price", "call us"),
        ("date", "Paperback"),
        ("date", "12"),
        ("date", "ISBN 978"),
        ("date", "x" * 300),
        ("url", "javascript:void(0)"),
        ("url", ""),
    ],
)
def test_what_is_not_of_the_type_is_refused_with_a_reason(type_name: str, text: str) -> None:
    with pytest.raises(NotOfType, match=r"\w"):
        convert(text, type_name, CONTEXT)


def test_a_relative_date_needs_the_fetch_time() -> None:
    for text in ("8小时前", "yesterday", "06-12"):
        with pytest.raises(NotOfType, match="fetched"):
            convert(text, "date")


@given(st.integers(min_value=0, max_value=99_999_999))
def test_chinese_numerals_are_read_back(number: int) -> None:
    assert chinese_number(in_chinese(number)) == number


def in_chinese(number: int) -> str:
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        return in_chinese(high) + "万" + (("零" if low < 1000 else "") + in_chinese(low) if low else "")
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十")):
        if number >= unit:
            high, low = divmod(number, unit)
            return in_chinese(high) + sign + (("零" if low < unit // 10 else "") + in_chinese(low) if low else "")
    return "零一二三四五六七八九"[number]


@settings(max_examples=120, deadline=None)
@given(st.text(max_size=40) | st.from_regex(r"[0-9年月日前/:., -]{0,20}"), st.sampled_from(sorted(FIELD_TYPES)))
def test_any_text_gives_a_value_or_a_reason(text: str, type_name: str) -> None:
    try:
        convert(text, type_name, CONTEXT)
    except NotOfType as error:
        assert str(error)


# --- a new type is one entry of the table

PHONE = FieldType(
    lambda text, context: {"digits": "".join(filter(str.isdigit, text)), "country": text.strip()[:3]},
    "digits alone, and the country's code",
    "+49 30 123",
    {"": "digits", "_country": "country"},
    keeps_raw=True,
    is_number=True,
)

SITE = """entry = ["http://shop.example/"]
[[samples]]
url = "http://shop.example/p/1"
fields = { fax = "+49 30 123" }
[[samples]]
url = "http://shop.example/p/2"
fields = { fax = "+86 10 456" }
[types]
fax = "made_up"
"""


def test_a_type_of_the_table_goes_from_the_site_file_to_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file := tmp_path / "shop.toml").write_text(SITE)
    with pytest.raises(SiteFileError, match="unknown type 'made_up'"):
        load_site(file)
    monkeypatch.setitem(FIELD_TYPES, "made_up", PHONE)
    site = load_site(file)
    written = Knowledge("shop", "best", (), (), 4, types=site.types)
    written.save(tmp_path / "knowledge.json")
    knowledge = Knowledge.load(tmp_path / "knowledge.json")
    typed = convert_fields({"fax": "+49 30 123"}, knowledge.types, CONTEXT)
    assert (typed.values, typed.problems) == ({"fax": "4930123", "fax_country": "+49", "fax_raw": "+49 30 123"}, ())
    page = Page(URL, 200, b"", "text/html", "utf-8", kind=PageKind.TARGET, relevant=True)
    visit = Visit(Lease(URL, 1, 0, 0, 1, "worker", 1, 0.0), page, Record(URL, typed.values), 0, FETCHED)
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        SqliteSink(database, site="shop", fields=knowledge.record_shape(site.field_names)).write([visit])
        (stored,) = read_records(database, "shop")
    assert stored == {"url": URL, "fetched_at": FETCHED, "fax": 4930123, "fax_country": "+49", "fax_raw": "+49 30 123"}
    assert row("made_up").startswith("| `made_up` | digits alone, and the country's code |")
