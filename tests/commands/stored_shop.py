"""A shop as a crawl leaves it, without a crawl: its pages and records in the store, its wrapper learned."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from gwc_crawler.items import Lease, Page, PageKind, Record, Visit
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.conftest import Project
from tests.shop_site import SAMPLES

URL = "http://shop.example"
TITLES = ("Thor", "From Dead to Worse", *(f"Book number {number}" for number in range(3, 9)))
PRICES = ("$11.48", "$7.19", *(f"${number}.50" for number in range(3, 9)))


def item(number: int) -> str:
    """The URL of an item, from 1 on."""
    return f"{URL}/item/{number}"


def html_of(title: str, price: str) -> bytes:
    """The page of an item."""
    text = f"<h2 class='t'>{title}</h2><p>Price: <b class='p'>{price}</b></p>"
    return f"<html><head><title>{title}</title></head><body>{text}</body></html>".encode()


def visit(number: int, title: str | None, price: str | None, *, at: float | None = None) -> Visit:
    """What a crawl hands to the store of an item; without a title, its page has no record any more."""
    url = item(number)
    kind = PageKind.LOOKALIKE if title is None else PageKind.TARGET
    body = html_of(title or "gone", price or "")
    page = Page(url, 200, body, "text/html", "utf-8", kind=kind, relevant=True, title=title or "")
    record = None if title is None else Record(url, {"title": title, "price": price})
    return Visit(Lease(url, 1, 0, 1, 1, "w", 1, 0.0), page, record, 0, time.time() if at is None else at, "", "")


@cache
def wrapper() -> dict[str, Any]:
    """What is learned of the two samples."""
    samples = [
        Sample(item(number), html_of(title, price), {"title": title, "price": price})
        for number, title, price in zip((1, 2), TITLES, PRICES, strict=False)
    ]
    return learn_wrapper(samples).to_json()


def store_shop(project: Project, *later: Visit) -> None:
    """Write site file, knowledge and store; with *later* visits, a history of what they change is kept."""
    project.write_site("shop", f'entry = ["{URL}/"]\n' + SAMPLES.format(url=URL))
    project.write_knowledge("shop", targets=(f"{URL}/item/[0-9]+",), wrapper=wrapper(), keywords="")
    with CrawlDatabase(project.directory / "data" / "shop" / "crawl.db") as database:
        sink = SqliteSink(
            database, site="shop", fields=["title", "price"], keep_html=KeepHtml.ALL, keep_history=bool(later)
        )
        sink.write([visit(number, *shown) for number, shown in enumerate(zip(TITLES, PRICES, strict=True), 1)])
        sink.write(later)
