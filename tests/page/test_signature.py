"""What counts as a change of a page, and what does not."""

from __future__ import annotations

from typing import Any

from gwc_crawler.items import Page, PageKind, Record
from gwc_crawler.page.text import content_signature

URL = "http://shop.example/item/1"
OF_OLD = [5081092412559911305, -8311324427509348875, -1970711489451281740]


def page(kind: PageKind, *, text: str = "", body: bytes = b"", links: tuple[str, ...] = ()) -> Page:
    return Page(URL, 200, body, "text/html", "utf-8", kind, True, text=text, admitted=links)


def of_record(**fields: Any) -> int:
    return content_signature(page(PageKind.TARGET, text="whatever"), Record(URL, fields))


def test_a_record_is_its_values() -> None:
    one = content_signature(page(PageKind.TARGET, text="now cheaper"), Record(URL, {"title": "Tea", "price": "$3"}))
    assert one == of_record(price="$3", title="Tea")
    assert one != of_record(price="$4", title="Tea")
    assert one != of_record(price=None, title="Tea")


def test_a_typed_value_counts_and_not_how_it_was_said() -> None:
    was = of_record(posted="2026-11-01", posted_raw="3 days ago", reviews=[{"date": "2026-10-30", "date_raw": "5 d"}])
    assert was == of_record(
        posted="2026-11-01", posted_raw="4 days ago", reviews=[{"date": "2026-10-30", "date_raw": "6 d"}]
    )
    assert was != of_record(
        posted="2026-11-02", posted_raw="3 days ago", reviews=[{"date": "2026-10-30", "date_raw": "5 d"}]
    )
    assert of_record(posted=None, posted_raw="soon") != of_record(posted=None, posted_raw="late")


def test_a_directory_is_the_set_of_its_links() -> None:
    was = content_signature(page(PageKind.DIRECTORY, text="12 hits", links=("a", "b")))
    assert was == content_signature(page(PageKind.DIRECTORY, text="13 hits", links=("b", "a")))
    assert was != content_signature(page(PageKind.DIRECTORY, text="12 hits", links=("a", "b", "c")))


def test_another_page_is_its_text_without_dates_and_counters() -> None:
    was = content_signature(page(PageKind.INFORMATION, text="Open 10:15, 3 online", links=("a",)))
    assert was == content_signature(page(PageKind.INFORMATION, text="Open 11:40, 27 online", links=("b",)))
    assert was != content_signature(page(PageKind.INFORMATION, text="Closed"))


def test_what_is_not_html_is_its_bytes() -> None:
    assert content_signature(page(PageKind.BINARY, body=b"a")) != content_signature(page(PageKind.BINARY, body=b"b"))


def test_a_signature_has_64_bits_and_takes_any_text() -> None:
    assert -(2**63) <= content_signature(page(PageKind.INFORMATION, text="\ud800")) < 2**63
    assert -(2**63) <= of_record(title="\ud800 汉") < 2**63


def test_numbers_of_earlier_crawls_hold() -> None:
    """What is in the databases of others: digits of ASCII are left out, those of other scripts count."""
    texts = ("2026-11-01 seen by 17", "价格 42 元，评论 ٣ \ud800", "")
    assert [content_signature(page(PageKind.INFORMATION, text=text)) for text in texts] == OF_OLD
