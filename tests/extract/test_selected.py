"""Fields by hand: what each kind of selector reads of a page, and how several go together."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import ValueShape

PAGE = """<html><head><title>Thor &amp; Co</title><base href="https://shop.example/de/">
<script type="application/ld+json">{"@type": "Organization", "name": "Shop"}</script>
<script type="application/ld+json">
  {"@type": "Product", "name": "Thor", "offers": [{"price": 11.50, "in": true}, {"price": 9, "in": false}],}
</script>
<script id="__NEXT_DATA__" type="application/json">{"props": {"items": [{"n": "one", "tags": ["a", "b"]},
  {"n": "two"}], "html": "<b>bold</b> text"}}</script>
<script>window.state = {"sku": "AB-12"}; var price = "EUR&nbsp;7";</script></head>
<body><h1>
   Thor<br>the God </h1>
<p class="price">   </p><p class="price"> $ 11.48 <i>net</i></p>
<a id="more" href="../thor?a=1&amp;b=2">more</a><img id="pic" srcset="/s.jpg 1x, /l.jpg 2x" data-json='{"w": 300}'>
<ul><li>red</li><li> </li><li>blue <b>green</b></li></ul>
<div class="review"><b class="who">Ann</b><p>Fine.</p><div class="review"><b class="who">Bob</b></div></div>
<div class="review"><p> </p></div>
<p>{}</p></body></html>""".replace("{}", "It says a lot besides. " * 40)


def read(shape: str = "text", parts: dict[str, Any] | None = None, types: str = "", **kinds: str) -> Any:
    return read_ways([kinds], shape, parts, types)


def read_ways(ways: list[dict[str, str]], shape: str = "text", parts: Any = None, types: str = "") -> Any:
    rule = {"kind": "selected", "shape": shape, "ways": ways, **({"parts": parts} if parts else {})}
    wrapper = Wrapper.from_json({"version": 1, "fields": {"x": rule}}).with_html({"x": types} if types else {})
    assert Wrapper.from_json(wrapper.to_json()).to_json() == wrapper.to_json()
    return wrapper.extract(PAGE, "https://shop.example/p/1")["x"]


def part(**kinds: str) -> dict[str, Any]:
    return {"kind": "selected", "shape": "text", "ways": [kinds]}


@pytest.mark.parametrize(
    ("kinds", "value"),
    [
        ({"css": "h1"}, "Thor the God"),
        ({"css": "h1::text"}, "Thor"),
        ({"css": ".price::text"}, "$ 11.48"),
        ({"css": ".price"}, "$ 11.48 net"),
        ({"css": "#more::attr(href)"}, "https://shop.example/thor?a=1&b=2"),
        ({"xpath": "//a[@id='more']/@href"}, "https://shop.example/thor?a=1&b=2"),
        ({"css": "#pic::attr(srcset)"}, "https://shop.example/l.jpg"),
        ({"css": "#more::attr(id)"}, "more"),
        ({"xpath": "normalize-space(//h1)"}, "Thorthe God"),
        ({"xpath": "count(//li)"}, "3"),
        ({"xpath": "count(//li) div 2"}, "1.5"),
        ({"xpath": "boolean(//li)"}, "true"),
        ({"xpath": "//p[has-class('price')][2]/text()"}, "$ 11.48"),
        ({"xpath": "//p[re:test(., '[0-9]')]/text()"}, "$ 11.48"),
        ({"jmespath": "offers[0].price"}, "11.50"),
        ({"jmespath": "offers[?price < `10`].price"}, "9"),
        ({"jmespath": "max_by(offers, &price).price"}, "11.50"),
        ({"jmespath": "offers[1].\"in\""}, "false"),
        ({"jmespath": "\"@type\" == 'Product' && name"}, "false"),
        ({"jmespath": "[@][?\"@type\" == 'Product'].name"}, "Thor"),
        ({"jmespath": "props.items[1].n"}, "two"),
        ({"jmespath": "props.items[1]"}, '{"n": "two"}'),
        ({"jmespath": "length(nowhere)"}, None),
        ({"css": "#__NEXT_DATA__::text", "jmespath": "props.items[0].n"}, "one"),
        ({"css": "#pic::attr(data-json)", "jmespath": "w"}, "300"),
        ({"xpath": "//script[contains(., 'window.state')]", "jmespath": "sku"}, "AB-12"),
        ({"jmespath": "offers[0].price", "regex": r"\d+"}, "11"),
        ({"regex": r'price = "([^"]+)"'}, "EUR 7"),
        ({"css": ".price", "regex": r"[\d.]+"}, "11.48"),
        ({"css": ".price", "regex": r"(\$) ([\d.]+)"}, "$"),
        ({"css": ".price", "regex": r"\$ (?P<extract>[\d.]+)"}, "11.48"),
        ({"xpath": "//p[has-class(1)]"}, None),
        ({"css": ".nothing"}, None),
        ({"xpath": "//nothing"}, None),
        ({"regex": "nothing"}, None),
    ],
    ids=str,
)  # fmt: skip
def test_a_text_is_the_first_value_that_is_not_blank(kinds: dict[str, str], value: str | None) -> None:
    assert read(**kinds) == value


@pytest.mark.parametrize(
    ("kinds", "values"),
    [
        ({"css": "li"}, ["red", "blue green"]),
        ({"css": "li::text"}, ["red", "blue"]),
        ({"xpath": "//li/descendant-or-self::*"}, ["red", "blue green", "green"]),
        ({"jmespath": "props.items[].tags[]"}, ["a", "b"]),
        ({"jmespath": "name"}, ["Shop", "Thor"]),
        ({"css": "li", "regex": "[a-z]e"}, ["re", "ue", "re"]),
        ({"css": ".nothing"}, []),
    ],
    ids=str,
)
def test_a_list_is_all_that_is_selected(kinds: dict[str, str], values: list[str]) -> None:
    assert read("list", **kinds) == values


def test_the_first_selector_that_gives_something_counts() -> None:
    ways = [{"css": ".nothing"}, {"css": "p.price:first-of-type"}, {"jmespath": "name"}, {"css": "h1"}]
    assert read_ways(ways) == "Shop"
    assert read_ways(ways, "list") == ["Shop", "Thor"]


def test_records_are_rows_with_parts_those_without_any_left_out() -> None:
    parts = {"who": part(css=".who::text"), "text": part(xpath="./p"), "all": {**part(css=".who"), "shape": "list"}}
    assert read("records", parts, css=".review") == [
        {"who": "Ann", "text": "Fine.", "all": ["Ann", "Bob"]},
        {"who": "Bob", "all": ["Bob"]},
    ]


def test_records_of_json() -> None:
    parts = {"n": part(jmespath="n"), "tag": part(jmespath="tags[0]")}
    assert read("records", parts, jmespath="props.items") == [{"n": "one", "tag": "a"}, {"n": "two"}]


def test_a_part_may_be_cut_out_of_its_row() -> None:
    assert read("records", {"who": part(regex="B.b")}, css=".review") == [{"who": "Bob"}, {"who": "Bob"}]


def test_html_is_what_stands_inside() -> None:
    assert read(types="html", css="li:last-child") == "blue <b>green</b>"
    assert read(types="html", css="li:last-child::text") == "blue"
    parts = {"text": part(css="p")}
    rule = {"kind": "selected", "shape": "records", "ways": [{"css": ".review"}], "parts": parts}
    wrapper = Wrapper.from_json({"version": 1, "fields": {"x": rule}}).with_html({"x.text": "html"})
    page = "<div class=review><p>A <b>fine</b> one</p></div>"
    assert wrapper.extract(page)["x"] == [{"text": "A <b>fine</b> one"}]


def test_a_page_without_such_fields_makes_no_selector() -> None:
    from gwc_crawler.extract.page_view import PageView

    page = PageView.parse(PAGE)
    Wrapper.from_json({"version": 1, "fields": {}}).extract_view(page)
    assert "selector" not in vars(page)


def test_it_says_how_a_value_is_read_and_what_was_nearly_read() -> None:
    from gwc_crawler.extract.page_view import PageView

    ways = [{"css": ".price", "regex": "EUR.*"}, {"css": "h1::text"}]
    rule = Wrapper.from_json(
        {"version": 1, "fields": {"x": {"kind": "selected", "shape": "text", "ways": ways}}}
    ).rules["x"]
    assert rule.source(PageView.parse(PAGE)) == "by hand: css h1::text (selector 2 of 2)"
    assert rule.closest(PageView.parse("<p class=price>USD 3</p>")) == "USD 3"
    assert rule.count(PageView.parse("<h1>a</h1><h1>b</h1><h1>a</h1>")) == 2


def test_css_can_be_said_in_the_published_form() -> None:
    fields = {
        "price": {"kind": "selected", "shape": "text", "ways": [{"css": "p.price::text"}]},
        "link": {"kind": "selected", "shape": "text", "ways": [{"css": "a::attr(href)"}]},
        "reviews": {
            "kind": "selected",
            "shape": "records",
            "ways": [{"css": ".review"}],
            "parts": {"who": part(css=".who")},
        },
        "name": {"kind": "selected", "shape": "text", "ways": [{"jmespath": "name"}]},
    }
    form = Wrapper.from_json({"version": 1, "fields": fields}).paper_form
    assert form == {"price#text": "p.price", "link#href": "a", "reviews.who#text": ".review .who"}


def test_a_large_script_or_source_is_read_to_its_bound() -> None:
    huge = f'<script type="application/json">{{"a": "{"x" * 2_000_000}"}}</script><p>{"y" * 2_000_000}</p>END'
    rule = {"kind": "selected", "shape": ValueShape.TEXT.value, "ways": [{"jmespath": "a"}, {"regex": "END"}]}
    assert Wrapper.from_json({"version": 1, "fields": {"x": rule}}).extract(huge) == {"x": None}
