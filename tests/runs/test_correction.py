"""What a correction takes: which samples it corrects with the page that it is about."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from gwc_crawler import settings as ours
from gwc_crawler.items import FieldValue, Lease, Page, PageKind, Visit
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from gwc_crawler.modes import KeepHtml
from gwc_crawler.runs.comparison import compare
from gwc_crawler.runs.correction import correct
from gwc_crawler.runs.lookup import Servers, SiteFiles, SiteLocation
from gwc_crawler.sites.site_files import load_site
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.conftest import Project

URL = "http://shop.example/item"
LACKING = 2
"""The page that has no price of today."""
CLOSED = 6
"""The page that is no book's."""


def html_of(number: int) -> str:
    if number == CLOSED:
        return "<html><body><p>We are closed in August.</p></body></html>"
    now = "" if number == LACKING else f" now <b class='now'>${number}.50</b>"
    return f"<html><body><h2>Book {number}</h2><p>Was <s class='old'>${number + 20}.00</s>{now}</p></body></html>"


def with_the_price_first(number: int) -> str:
    now = "" if number % 2 == 0 else f"<span class='sale'>${number}.50</span>"
    return f"<html><body><h1>Book {number}</h1>{now}<span class='price'>${number + 20}.00</span></body></html>"


def shop(directory: Path, *prices: str, html: Callable[[int], str] = html_of, read: str = "$21.00") -> SiteFiles:
    """A stored shop whose samples, from the first page on, have these prices; of the first one this is *read*."""
    project = Project(directory)
    said = [{"title": f"Book {number}", "price": price} for number, price in enumerate(prices, 1)]
    lines = "\n".join(
        f'[[samples]]\nurl = "{URL}/{number}"\nfields = {{ title = "{one["title"]}", price = "{one["price"]}" }}'
        for number, one in enumerate(said, 1)
    )
    path = project.write_site("shop", f'entry = ["{URL}/"]\n{lines}\n')
    wrong: dict[str, FieldValue] = {"title": "Book 1", "price": read}
    wrapper = learn_wrapper([Sample(f"{URL}/1", html(1), wrong)]).to_json()
    project.write_knowledge("shop", targets=(f"{URL}/[0-9]+",), wrapper=wrapper, keywords="")
    with CrawlDatabase(directory / "data" / "shop" / "crawl.db") as database:
        SqliteSink(database, site="shop", fields=["title", "price"], keep_html=KeepHtml.ALL).write(
            [visit(number, html(number)) for number in range(1, 7)]
        )
    values = {name: value for name, value in vars(ours).items() if name.isupper()}
    return SiteFiles("shop", Settings({**values, "GWC_DATA_DIR": str(directory / "data")}), load_site(path))


def visit(number: int, html: str) -> Visit:
    url = f"{URL}/{number}"
    page = Page(url, 200, html.encode(), "text/html", "utf-8", kind=PageKind.TARGET, relevant=True)
    return Visit(Lease(url, 1, 0, 1, 1, "w", 1, 0.0), page, None, 0, time.time(), "", "")


@pytest.mark.parametrize(
    ("prices", "corrected"),
    [
        (("$21.00", "$22.00"), {1: "$1.50", 2: None}),
        (("$21.00", "$2.50"), {1: "$1.50", 2: None}),
        (("$1.50", "$22.00"), {}),
        (("$21.00", "$22.00", "$23.00"), {1: "$1.50", 2: None, 3: "$3.50"}),
    ],
    ids=["both say what the books did cost", "one says what is nowhere", "one says what is right", "three"],
)
def test_a_sample_whose_page_has_no_such_value_is_corrected_as_those_that_are_wrong_alike(
    tmp_path: Path, prices: tuple[str, ...], corrected: dict[int, str | None]
) -> None:
    found = correct(shop(tmp_path, *prices), f"{URL}/5", {"price": "$5.50"})
    assert found is not None
    others = {f"{URL}/{number}": {"price": price} for number, price in corrected.items()}
    assert {url: fields for url, fields in found.samples.items() if url != f"{URL}/5"} == others


def test_a_value_that_is_cut_otherwise_leaves_samples_that_have_nothing_to_cut(tmp_path: Path) -> None:
    files = shop(tmp_path, "$1.50", "$22.00", html=with_the_price_first, read="$1.50")
    found = correct(files, f"{URL}/5", {"price": "5.50"})
    assert found is not None
    assert found.samples[f"{URL}/1"] == {"price": "1.50"}
    assert f"{URL}/2" not in found.samples


def test_pages_that_neither_of_two_reads_are_not_counted(tmp_path: Path) -> None:
    files = shop(tmp_path, "$21.00", "$22.00")
    place = SiteLocation("shop", files.settings)
    known = files.knowledge()
    right: dict[str, FieldValue] = {"title": "Book 1", "price": "$1.50"}
    after = replace(known, wrapper=learn_wrapper([Sample(f"{URL}/1", html_of(1), right)]).to_json())
    with ExitStack() as stack:
        found = compare(place, Servers(stack), known, after)
    price = found.fields[0]
    assert (found.pages, price.name, price.other, price.lost) == (5, "price", 4, 1)


def test_one_item_for_a_list_and_a_part_of_a_text_are_doubted(tmp_path: Path) -> None:
    found = correct(shop(tmp_path, "$21.00", "$22.00"), f"{URL}/5", {"price": "5.50"})
    assert found is not None
    part = "field 'price': '5.50' is a part of a longer text: '$5.50'"
    assert list(found.doubts(())) == [part]
    assert not list(found.doubts(["'5.50' is a part of '$5.50'; give the whole of it"]))
    one = replace(found, given={"price": ["$5.50"]}, read={"price": ["$5.50", "$25.00"]})
    assert list(one.doubts(())) == ["field 'price': a list of 2 is read today, you gave one"]


@pytest.mark.parametrize(("number", "price"), [(3, "$23.00"), (2, None)])
def test_a_sample_that_says_what_is_nowhere_is_corrected_though_its_page_is_read_right(
    tmp_path: Path, number: int, price: str | None
) -> None:
    """Its value was mistyped since."""
    files = shop(tmp_path, "$21.00", "$22.50", "$99.00")
    if price is None:
        right: dict[str, FieldValue] = {"title": "Book 1", "price": "$1.50"}
        wrapper = learn_wrapper([Sample(f"{URL}/1", html_of(1), right)]).to_json()
        replace(files.knowledge(), wrapper=wrapper).save(files.directory / "knowledge.json")
    found = correct(files, f"{URL}/{number}", {"price": price}, keep_samples=True)
    assert found is not None
    assert found.samples == {f"{URL}/{number}": {"price": price}}
