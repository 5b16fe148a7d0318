"""A column of dates has one order: its values that tell decide, from labelled pages to records."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, date, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gwc_crawler.extract.record import extract_record
from gwc_crawler.field_types.dates import date_orders, to_date
from gwc_crawler.field_types.numbers import NotOfType, ValueContext
from gwc_crawler.field_types.table import FIELD_TYPES, type_of, vote
from gwc_crawler.items import Page, PageKind
from gwc_crawler.learn.site import learn_site
from gwc_crawler.page.parse import parse_html
from tests.learn.test_site import SHOP, listing, stored, task

CONTEXT = ValueContext("", datetime(2026, 3, 1, 12, 0, tzinfo=UTC).timestamp())

FORMS = {
    "dmy": ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d. %m. %Y", "%d.%m.%y", "%d/%m/%y", "%d-%m-%y", "%d %m %Y"),
    "mdy": ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y", "%m-%d-%y", "%m %d %Y"),
    "ymd": ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%y-%m-%d", "%y/%m/%d", "%Y. %m. %d.", "%Y%m%d", "%Y年%m月%d日"),
}
"""Order → forms of `strftime`."""

TELLS = date(1999, 12, 31)
"""A day that only one order makes of what is written."""


def in_column(texts: list[str]) -> list[str]:
    """Read texts in the order that they decide."""
    notations = FIELD_TYPES["date"].notations
    assert notations is not None
    order = vote(texts, notations).chosen
    return [to_date(text, CONTEXT, order) for text in texts]


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([form for forms in FORMS.values() for form in forms]),
    st.lists(st.dates(date(1970, 1, 1), date(2040, 12, 31)), max_size=6),
    st.booleans(),
)
def test_beside_one_value_that_tells_every_date_is_read_back(form: str, days: list[date], has_zeros: bool) -> None:
    column = [TELLS, *days]
    texts = [day.strftime(form) for day in column]
    if not has_zeros and "%y" not in form and form not in ("%Y%m%d", "%d %m %Y", "%m %d %Y"):
        texts = [re.sub(r"0", "", text) for text in texts]
    assert in_column(texts) == [day.isoformat() for day in column]


@pytest.mark.parametrize(
    ("texts", "read"),
    [
        (["17.03.2024", "12.04.2024"], ["2024-03-17", "2024-04-12"]),
        (["12.04.2024"], ["2024-04-12"]),
        (["13/04/2024", "03/04/2024"], ["2024-04-13", "2024-04-03"]),
        (["04/13/2024", "03/04/2024"], ["2024-04-13", "2024-03-04"]),
        (["03/04/2024", "05/06/2024"], ["2024-03-04", "2024-05-06"]),
        (
            ["13/04/2024", "14/04/2024", "04/15/2024", "03/04/2024"],
            ["2024-04-13", "2024-04-14", "2024-04-15", "2024-04-03"],
        ),
        (["04/13/2024", "12.04.2024"], ["2024-04-13", "2024-04-12"]),
        (["04.13.2024", "04.14.2024", "03.04.2024"], ["2024-04-13", "2024-04-14", "2024-03-04"]),
        (["13/04/2024", "2024-03-04", "3 May 2024"], ["2024-04-13", "2024-03-04", "2024-05-03"]),
        (["99/03/12", "24/03/12"], ["1999-03-12", "2024-03-12"]),
        (["31-12-99", "24-03-12"], ["1999-12-31", "2012-03-24"]),
        (["13/04 10:30", "03/04 11:30"], ["2025-04-13T10:30:00", "2025-04-03T11:30:00"]),
    ],
)
def test_the_values_that_tell_decide_for_the_others(texts: list[str], read: list[str]) -> None:
    assert in_column(texts) == read


@pytest.mark.parametrize(
    "text", ["2024-03-04", "3 May 2024", "2024年3月4日", "05/05/2024", "3 days ago", "none", "31.02.2024", ""]
)
def test_what_no_order_changes_does_not_vote(text: str) -> None:
    assert date_orders(text) == frozenset()


def test_an_order_of_the_site_file_holds_for_dots_too() -> None:
    assert type_of('date(order="mdy")').read("03.04.2024", CONTEXT) == "2024-03-04"
    assert type_of('date(order="mdy")').read("17.04.2024", CONTEXT) == "2024-04-17"
    assert type_of('date(order="ymd")').read("24/03/12", CONTEXT) == "2024-03-12"


@settings(max_examples=600, deadline=None)
@given(st.from_regex(r"[0-9]{1,4}([-/. ][0-9]{1,4}){1,3}", fullmatch=True), st.sampled_from(["", "dmy", "mdy", "ymd"]))
@example("24-03-12", "")
@example("1.2.2024", "ymd")
def test_a_date_in_digits_has_just_the_numbers_of_its_text(text: str, order: str) -> None:
    assert date_orders(text) <= {"dmy", "mdy", "ymd"}
    try:
        read = to_date(text, CONTEXT, order)
    except NotOfType as error:
        assert str(error)
        return
    year, month, day = ([int(part) for part in read.split("-")] + [0, 0])[:3]
    years = {year, year % 100, year - 1911, year + 543}
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    assert len(numbers) == 2 or any(not Counter([one, month, day]) - Counter(numbers) for one in years)


# --- from labelled pages to records


def day_of_item(number: int) -> str:
    return f"{number % 12 + 1:02}/{number % 9 + 1:02}/2024" if number < 20 else f"{number % 9 + 19}/03/2024"


def item(number: int) -> str:
    return (
        f"<html><body><h1>Thing {number}</h1><p>Seen: <b class='day'>{day_of_item(number)}</b></p>"
        f"<p>Number {number * 7}</p><a href='/'>home</a></body></html>"
    )


def test_a_column_is_read_in_one_order_from_the_samples_to_the_records() -> None:
    urls = tuple(f"{SHOP}/item/{number}" for number in range(1, 41))
    pages = [stored(f"{SHOP}/", listing(urls), urls, 1, 0)]
    pages += [stored(url, item(number), (f"{SHOP}/",), 0) for number, url in enumerate(urls, 1)]
    samples = tuple((f"{SHOP}/item/{n}", {"name": f"Thing {n}", "day": day_of_item(n)}) for n in (4, 25))
    knowledge = learn_site(task("best", samples=samples, types={"day": "date"}), pages)
    assert knowledge.types == {"day": 'date(order="dmy")'}
    url, body = (
        f"{SHOP}/item/77",
        b"<html><body><h1>Thing 77</h1><p>Seen: <b class='day'>03/04/2024</b></p></body></html>",
    )
    page = Page(
        url, 200, body, "text/html", "utf-8", kind=PageKind.TARGET, relevant=True, tree=parse_html(body.decode())
    )
    assert extract_record(page, knowledge, 0.0).fields["day"] == "2024-04-03"
