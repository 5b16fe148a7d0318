"""JSON as a page: what is shown of it, and what is left as it is."""

from __future__ import annotations

import json

import pytest

from gwc_crawler.page.json_page import is_json, json_page
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import PageReader, is_html


def body_of(value: object) -> str:
    page = json_page(json.dumps(value).encode())
    assert page is not None
    return page.partition(b"<body>")[2].removesuffix(b"</body></html>").decode()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"a": "x", "b": 1.50, "c": True, "d": None}, '<p class="a">x</p><p class="b">1.5</p><p class="c">true</p>'),
        ({"a": {"b": "x"}}, '<div class="a"><p class="b">x</p></div>'),
        ({"a": ["x", "y"]}, '<ul class="a"><li>x</li><li>y</li></ul>'),
        ({"a": [{"b": "x"}]}, '<ul class="a"><li><p class="b">x</p></li></ul>'),
        (["x"], '<ul class="items"><li>x</li></ul>'),
        ({"at": "https://a.example/?b=1&c"}, '<a class="at" href="https://a.example/?b=1&amp;c">https://a.example/?b=1&amp;c</a>'),
        ({"next": "?page=2", "unit": "/month"}, '<a class="next" href="?page=2">?page=2</a><p class="unit">/month</p>'),
        ({"imageUrl": "/a.jpg"}, '<a class="imageUrl" href="/a.jpg">/a.jpg</a>'),
        ({"a": "1 < 2 &amp; 3"}, '<p class="a">1 &lt; 2 &amp; 3</p>'),
        ({"a": "<p>x <b>y</p><script>z</script>"}, '<div class="a"><p>x <b>y</b></p></div>'),
        ({"a": "x<br>y</div><p>z"}, '<div class="a"><div>x<br>y</div><p>z</p></div>'),
        ({"a": "x <i>y</i>"}, '<div class="a">x <i>y</i></div>'),
        ({'a" b': "x"}, '<p class="a&quot;_b">x</p>'),
        ({}, ""),
    ],
    ids=str,
)  # fmt: skip
def test_a_value_is_shown_as_a_reader_would_see_it(value: object, shown: str) -> None:
    assert body_of(value) == shown


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"{a: 1}", b"<p>{}</p>", b'"text"', b"12", b"[" * 100_000, b'{"a":' * 5_000, b"{% if x %}<p>y</p>"],
    ids=lambda data: repr(data[:10]),
)
def test_what_is_no_json_stays_what_it_is(data: bytes) -> None:
    assert json_page(data) is None


def test_what_stands_in_a_script_can_not_end_it() -> None:
    tree = parse_html(b'{"a": "</script><h1>x</h1><!-- <script>"}')
    assert json.loads(tree.findtext(".//script")) == {"a": "</script><h1>x</h1><!-- <script>"}


def test_an_answer_in_json_is_a_page_with_links() -> None:
    body = '\ufeff{"name": "Thor", "next": "/p/2", "more": ["https://a.example/p/3"]}'.encode()
    assert is_json("application/vnd.api+json; charset=utf-8")
    assert not is_html(body, "application/json")
    page = PageReader(None).read("https://a.example/p/1", body, "application/json")
    assert page.links == ("https://a.example/p/2", "https://a.example/p/3")
    assert (page.title, page.body) == ("Thor", body)


NEXT = '<div id="app"></div><script type="application/json">{"a": [1, 2]}</script>'
STATE = '<div id="app"></div><script>window["__STATE__"] = {"a": [1, 2]}; f()</script>'


@pytest.mark.parametrize("shell", [NEXT, STATE, STATE.replace('["__STATE__"] =', ".__STATE__=")])
def test_data_of_an_empty_shell_are_shown_behind_it(shell: str) -> None:
    tree = parse_html(f"<html><body>{shell}</body></html>")
    assert tree.xpath('//ul[@class="a"]/li/text()') == ["1", "2"]


@pytest.mark.parametrize("said", [f"<p>{'word ' * 200}</p>", "<h1>Thor &amp; Co</h1><nav>Home</nav>"])
def test_a_page_that_says_much_or_its_data_itself_is_left_as_it_is(said: str) -> None:
    shell = NEXT.replace("[1, 2]", '["Thor & Co", "Other"]')
    assert not parse_html(f"<html><body>{said}{shell}</body></html>").xpath("//ul")
    assert parse_html(f"<html><body><nav>Home</nav>{shell}</body></html>").xpath("//ul")
