"""Records with types: values, what stands beside them, and what is not of its type."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from gwc_crawler.extract.fields import convert_fields
from gwc_crawler.extract.record import extract_record, extract_target
from gwc_crawler.field_types.numbers import ValueContext
from gwc_crawler.items import FieldProblem, Page, PageKind, Record
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from gwc_crawler.page.reader import read_page

BASE = "http://shop.example"
FETCHED = datetime(2026, 3, 1, 12, 0, tzinfo=UTC).timestamp()
CONTEXT = ValueContext(f"{BASE}/p/1", FETCHED)


def test_a_record_keeps_raw_texts_beside_typed_values_and_reports_what_does_not_fit() -> None:
    fields: dict[str, Any] = {
        "title": "Thor",
        "price": "$11.48",
        "old_price": "on request",
        "absent": None,
        "sizes": ["12", "about", "14"],
        "reviews": [{"date": "June 2010", "text": "x"}, {"text": "y"}, {"date": "soon"}],
    }
    types = {"price": "price", "old_price": "price", "absent": "number", "sizes": "number", "reviews.date": "date"}
    typed = convert_fields(fields, types, CONTEXT)
    assert typed.values == {
        "title": "Thor",
        "price": 11.48,
        "price_currency": "$",
        "price_raw": "$11.48",
        "old_price": None,
        "old_price_currency": None,
        "old_price_raw": "on request",
        "absent": None,
        "absent_raw": None,
        "sizes": [12, None, 14],
        "sizes_raw": ["12", "about", "14"],
        "reviews": [
            {"date": "2010-06", "date_raw": "June 2010", "text": "x"},
            {"text": "y"},
            {"date": None, "date_raw": "soon"},
        ],
    }
    assert list(typed.values)[:4] == ["title", "price", "price_currency", "price_raw"]
    assert typed.problems == (
        FieldProblem("old_price", "no amount in 'on request'", "on request"),
        FieldProblem("sizes", "no number in 'about'", "about"),
        FieldProblem("reviews.date", "no date in 'soon'", "soon"),
    )


@pytest.mark.parametrize(
    ("value", "type_name", "typed"),
    [
        (" a \n b ", "text", {"x": "a b"}),
        ("a, b", "list", {"x": ["a", "b"]}),
        (["a, b"], "list", {"x": ["a, b"]}),
        ([], "price", {"x": [], "x_currency": [], "x_raw": []}),
        (["$2", "3 €"], "price", {"x": [2, 3], "x_currency": ["$", "EUR"], "x_raw": ["$2", "3 €"]}),
        (["/a"], "url", {"x": [f"{BASE}/a"], "x_raw": ["/a"]}),
        ("yesterday", "date", {"x": "2026-02-28", "x_raw": "yesterday"}),
        (None, "text", {"x": None}),
    ],
)
def test_each_type_has_its_own_beside_it(value: Any, type_name: str, typed: dict[str, Any]) -> None:
    assert convert_fields({"x": value}, {"x": type_name}, CONTEXT).values == typed


def product(number: int, price: str = "") -> str:
    reviews = "".join(
        f"<li class='review'><b>author {one}</b><i>{one + 1} days ago</i><p>Text <em>no {one}</em>.</p></li>"
        for one in range(number)
    )
    return (
        f"<html><body><h1>Thing {number}</h1><span class='price'>{price or f'$ {number}.50'}</span>"
        f"<div class='about'><script>x()</script>All of <b>thing {number}</b><!-- no -->, it is 1 &lt; 2.</div>"
        f"<ul>{reviews}</ul></body></html>"
    )


def fields_of(number: int) -> dict[str, Any]:
    return {
        "price": f"$ {number}.50",
        "about": f"All of thing {number}, it is 1 < 2.",
        "reviews": [
            {"author": f"author {one}", "date": f"{one + 1} days ago", "text": f"Text no {one}."}
            for one in range(number)
        ],
    }


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    wrapper = learn_wrapper([Sample(f"{BASE}/p/{n}", product(n), fields_of(n)) for n in (2, 3)])
    types = {"price": "price", "about": "html", "reviews.date": "date", "reviews.text": "html"}
    return Knowledge("shop", "best", (UrlClass(f"{BASE}/p/[0-9]+"),), (), 1, wrapper=wrapper.to_json(), types=types)


def page(html: str, knowledge: Knowledge) -> Page:
    return read_page(f"{BASE}/p/4", html.encode(), "text/html; charset=utf-8", knowledge)


def extracted(html: str, knowledge: Knowledge, fetched_at: float | None = FETCHED) -> Record:
    return extract_record(page(html, knowledge), knowledge, fetched_at)


def test_extraction_gives_typed_values(knowledge: Knowledge) -> None:
    record = extracted(product(4), knowledge)
    assert record.problems == ()
    assert record.fields["price"] == 4.5
    assert record.fields["price_raw"] == "$ 4.50"
    assert record.fields["reviews"][0]["date"] == "2026-02-28"  # type: ignore[index]
    assert record.fields["reviews"][0]["date_raw"] == "1 days ago"  # type: ignore[index]


def test_html_is_what_stands_inside_without_scripts_and_comments(knowledge: Knowledge) -> None:
    record = extracted(product(4), knowledge)
    assert record.fields["about"] == "All of <b>thing 4</b>, it is 1 &lt; 2."
    assert record.fields["reviews"][1]["text"] == "Text <em>no 1</em>."  # type: ignore[index]
    assert "about_raw" not in record.fields


def test_what_is_not_of_its_type_is_an_exception(knowledge: Knowledge) -> None:
    record = extracted(product(4, price="call us"), knowledge)
    assert record.fields["price"] is None
    assert record.fields["price_raw"] == "call us"
    assert record.problems == (FieldProblem("price", "no amount in 'call us'", "call us"),)


def test_an_absent_field_is_one_exception(knowledge: Knowledge) -> None:
    record = extracted(product(4).replace("price", "prize"), knowledge)
    assert record.fields["price_raw"] is None
    assert [problem.field for problem in record.problems] == ["price"]


def test_a_relative_date_without_a_time_of_fetching_is_an_exception(knowledge: Knowledge) -> None:
    record = extracted(product(1), knowledge, None)
    assert record.fields["reviews"][0]["date"] is None  # type: ignore[index]
    assert "when the page was fetched is not known" in record.problems[0].reason


def test_without_types_everything_is_text(knowledge: Knowledge) -> None:
    plain = Knowledge("shop", "best", knowledge.targets, (), 1, wrapper=knowledge.wrapper)
    record = extract_target(page(product(4), plain), plain)
    assert record is not None
    assert record.fields == fields_of(4)
    shape = plain.record_shape(["price", "about"])
    assert (shape.columns, shape.numbers, shape.paged) == (("price", "about"), frozenset(), {})


def test_kinds_other_than_target_give_no_record(knowledge: Knowledge) -> None:
    other = page(product(4), knowledge)
    other.kind = PageKind.INDEX
    assert extract_target(other, knowledge) is None


def test_heavy_libraries_are_only_loaded_for_their_types() -> None:
    code = (
        "import sys; from gwc_crawler.extract.fields import convert_fields as c; "
        "from gwc_crawler.field_types.numbers import ValueContext; c({'x': '1'}, {'x': 'number'}, ValueContext()); "
        "print('dateparser' in sys.modules); c({'x': 'June 2010'}, {'x': 'date'}, ValueContext()); "
        "print('dateparser' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
