"""The benchmark of learning measures the stages that learning has, and its copies are pages of their own."""

from __future__ import annotations

from benchmarks.learn import STAGES, _copy, measure
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.targets.task import LearnTask

HOST = "http://shop.example"


def page(path: str, body: str, *links: str) -> StoredPage:
    listed = "".join(f"<a href='{link}'>to {link}</a>" for link in links)
    html = f"<html><body>{body}{listed}</body></html>".encode()
    found = tuple(HOST + link for link in links)
    return StoredPage(HOST + path, HOST + path, html, "text/html", "utf-8", 0, int(path != "/"), True, found)


def product(number: int) -> StoredPage:
    text = f"All that there is to say about thing {'abcdefghij'[number % 10]} {number} is said in this long paragraph"
    return page(f"/thing/{number}.html", f"<h1 class='title'>Thing {number}</h1><p>{text}.</p>", "/")


def test_every_stage_of_learning_is_measured() -> None:
    products = [product(number) for number in range(1, 31)]
    stored = [page("/", "<h1>All</h1>", *(one.url.removeprefix(HOST) for one in products)), *products]
    samples = tuple((products[n].url, {"title": f"Thing {n + 1}"}) for n in (2, 7))
    times = measure(LearnTask("shop", (f"{HOST}/",), samples=samples), stored)
    assert set(times.wall) == {"all", *STAGES}
    assert sum(times.cpu[stage] for stage in STAGES) <= times.cpu["all"]


def test_a_copy_is_a_page_of_the_same_form_with_other_texts() -> None:
    copy = _copy(product(7), 2)
    assert copy.url == copy.requested == f"{HOST}/thing/72.html"
    assert b"<h1 class='title'>Thing 7</h1>" in copy.html
    assert b"long paragraph" not in copy.html
    assert len(copy.html) == len(product(7).html)
    assert len({_copy(product(7), number).html for number in range(1, 100)}) == 99
