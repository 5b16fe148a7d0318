"""Hostile pages: no exception, no quadratic blow-up, in extraction as in learning."""

from __future__ import annotations

import random

import pytest

from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import URL, more, product, reviews, samples, word

BIG = 2_000_000
PAGES = {
    "empty": b"",
    "blank": b" \n ",
    "nul": b"\0" * 5000,
    "nul inside": product(3).replace("<p", "<p\0").encode(),
    "binary": random.Random(1).randbytes(200_000),
    "nested": b"<div class='name'><b>ISBN-13:</b>" * 100_000,
    "nested lists": b"<ol class='reviews'><li><b>Reader x</b>" * 50_000,
    "unclosed": b"<li class='even'><b>Reader x</b><p>y" * 20_000,
    "many names": b"<h1 class='name' id='main'>x</h1>" * 40_000,
    "big text": b"<h1 class='name'>" + b"x " * (BIG // 2),
    "big page": b"<p>ISBN-13: <b>Our price:</b> <b>$1</b></p>" * (BIG // 40),
    "long attribute": b"<h1 class='" + b"name " * 100_000 + b"'>x</h1>",
    "frameset": b"<html><frameset><frame src='a.html'></frameset></html>",
    "xhtml": b"<?xml version='1.0' encoding='utf-16'?><html xmlns='http://www.w3.org/1999/xhtml'><body><h1/></body></html>",
    "wrong encoding": "<h1 class='name'>\u4e66\u540d</h1>".encode("gb18030"),
    "json bomb": b"<script type='application/ld+json'>" + b"[" * 100_000 + b"</script>",
    "bad address": b"<img class='cover' src='http://[::1/x'><base href='http://[bad'>",
    "odd tags": b"<o:p><h1<ul></a:b><\xc3\xa9l\xc3\xa9ment><svg:g/><1>x</1></o:p>",
}


@pytest.fixture(scope="module", params=["best", "paper"])
def wrapper(request):
    found = [
        {
            "title": f"Book {word(n)}",
            "isbn": f"978000000000{n}",
            "cover": f"http://shop.example/img/{n}.jpg",
            "authors": ["A. Writer"],
            "reviews": reviews(n, 4),
        }
        for n in (1, 2)
    ]
    if request.param == "paper":
        found = [{name: one[name] for name in ("title", "cover", "authors")} for one in found]
    return learn_wrapper(samples(*found, reviews=4), more(), mode=request.param)


@pytest.mark.dear
@pytest.mark.timeout(120)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_extraction_gives_every_field_from_any_page_in_bounded_time(wrapper, page):
    fields = wrapper.extract(page, "http://shop.example/x")
    assert set(fields) == set(wrapper.fields)


@pytest.mark.dear
@pytest.mark.timeout(240)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_learning_with_hostile_further_pages_gives_the_same_fields(page):
    found = [{"title": f"Book {word(n)}", "reviews": reviews(n, 4)} for n in (1, 2)]
    wrapper = learn_wrapper(samples(*found, reviews=4), [("http://shop.example/x", page)])
    assert wrapper.extract(product(9, reviews=3), URL.format(9)) == {
        "title": f"Book {word(9)}",
        "reviews": reviews(9, 3),
    }


@pytest.mark.dear
@pytest.mark.timeout(120)
def test_a_page_of_thousands_of_products_is_read(wrapper):
    page = "<html><body>" + "".join(product(n, reviews=4) for n in range(5_000)) + "</body></html>"
    assert set(wrapper.extract(page, "http://shop.example/x")) == set(wrapper.fields)


@pytest.mark.timeout(120)
def test_a_sample_page_may_be_hostile_too():
    page = product(1) + "<div><b>x:</b>" * 5_000
    pages = [
        Sample(URL.format(1), page, {"title": f"Book {word(1)}"}),
        Sample(URL.format(2), product(2), {"title": f"Book {word(2)}"}),
    ]
    assert learn_wrapper(pages).extract(product(5)) == {"title": f"Book {word(5)}"}
