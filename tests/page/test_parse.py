"""The one parser: an html root whatever comes, in bounded time, with nothing depending on comments or declarations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import TOO_DEEP, PageReader
from gwc_crawler.page.strip import strip_tree
from gwc_crawler.page.text import text_outside_links, visible_text

MANY = 100_000

HOSTILE = {
    "nested divs": b"<div>" * MANY + b"x",
    "nested divs with an end": b"<div>" * MANY + b"x" + b"</div>" * MANY,
    "formatting never closed": b"<font><b><i>" * MANY,
    "links never closed": b"<a href=x>" * MANY,
    "tables in tables": b"<table><tr><td>" * (MANY // 2),
    "very many attributes": b"<p "
    + b" ".join(b"a%d=1" % number for number in range(4 * MANY))
    + b">x",  # minutes, where it is quadratic
    "voids without end": b"<wbr>x" + b"<source " * MANY + b'"' + b"x" * 2_000_000,
    "voids with quotes": b"<wbr>x" + b"<source '\"a" * MANY,
    "comments without end": b"<wbr>x" + b"<!--" * MANY,
    "scripts without end": b"<wbr>x" + b"<script " * MANY,
    "an endless tag name": b"<" + b"n" * 2_000_000,
    "endless tag names": (b"<" + b"n" * 1_000 + b" a='<b>' ") * 2_000,
    "quoted values without end": b"<a " + b'"<a " ' * 300_000,
    "deep and wide": b"<div>" * 1500 + b"<b>x</b>y" * 50_000,
    "open brackets": b"<" * 2_000_000,
    "tags cut off": b"<a" * 1_000_000,
    "quotes cut off": b'<a "' * 500_000,
    "comments cut off": b"<!--" * 1_000_000,
    "entities cut off": b"&" * 2_000_000,
    "NULs": b"a\0b<p\0>" * 200_000,
    "10 MB of text": b"<p>" + b"x " * 5_000_000,
    "one run of Chinese": "中文".encode("gbk") * 1_000_000,
    "100,000 links": b"".join(b'<a href="/p%d">y</a>' % number for number in range(MANY)),
}


@pytest.mark.dear
@pytest.mark.timeout(120)
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_input_costs_bounded_time(body: bytes) -> None:
    tree = parse_html(body, "utf-8")
    visible_text(tree), text_outside_links(tree)
    strip_tree(tree)
    PageReader(None).read("http://a.example/", body, "text/html")


@pytest.mark.parametrize(
    "body", [b"", b" ", b"\0\1\2", b"<!-- -->", b"<!doctype html>", b"<?xml version='1.0'?>", "", "\ud800"]
)
def test_there_is_always_an_html_root(body: bytes | str) -> None:
    assert parse_html(body).tag == "html"


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=100))
def test_anything_parses_strips_and_has_text(body: bytes | str) -> None:
    tree = parse_html(body)
    assert tree.tag == "html"
    assert isinstance(visible_text(tree), str)
    assert isinstance(strip_tree(tree), str)


LINK = b"<a href='/found'>found</a>"


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 5_000 + LINK + b"</div>" * 5_000,
        b"<div class='a b' id=x>" * 5_000 + LINK,
        b"<ul><li>" * 5_000 + LINK,
        b"<font><b>" * 5_000 + LINK,
        b"<table><tr><td>" * 2_000 + LINK,
        b"<svg>" + b"<g>" * 5_000 + LINK,
        b"<a href=/x>" * 5_000 + LINK,
        b"<p>" + b"x" * 11_000_000 + LINK,
        b"<p title='" + b"x" * 11_000_000 + b"'>" + LINK,
        b"<" + b"n" * 11_000_000 + b">" + LINK,
        b"<script>" + b"x" * 11_000_000 + b"</script>" + LINK,
        b"&foo;" * 1_000_000 + LINK,
        b"<a %s href='/found'>found</a>" % b" ".join(b"a%d=1" % number for number in range(30_000)),
    ],
    ids=lambda body: repr(body[:20]),
)
def test_no_limit_of_the_parser_loses_a_link(body: bytes) -> None:
    page = PageReader(None).read("http://a.example/", body + b"<p>end <a href=/after>after</a>", "text/html")
    assert {"http://a.example/found", "http://a.example/after"} <= set(page.links)
    assert page.text.endswith("after")
    assert page.flaws == ()


def test_where_the_parser_stops_all_the_same_the_page_says_so() -> None:
    body = b"<p>begin" + b"<div title='<'>" * 5_000 + LINK
    page = PageReader(None).read("http://a.example/", body, "text/html")
    assert page.links == ()
    assert page.flaws == (TOO_DEEP,)


def test_a_deep_page_keeps_its_depth_as_long_as_it_can_be_read() -> None:
    tree = parse_html(b"<div>" * 2_000 + LINK)
    assert len(list(tree.find(".//a").iterancestors())) == 2_002


def test_a_declaration_inside_decoded_text_is_ignored() -> None:
    page = '<?xml version="1.0" encoding="gb2312"?><html><head><meta charset="big5"></head><body>书</body></html>'
    assert visible_text(parse_html(page)) == "书"


def test_the_given_charset_beats_declarations_in_bytes() -> None:
    page = '<meta charset="big5"><p>书</p>'.encode("gbk")
    assert visible_text(parse_html(page, "gb18030")) == "书"


def test_comments_split_no_text_and_change_no_path() -> None:
    tree = parse_html("<body><!-- a --><p>1<!-- b -->2<?pi?>3</p></body>")
    assert tree.xpath("/html/body/*[1]/text()") == ["123"]


def test_broken_bytes_become_replacement_characters() -> None:
    assert visible_text(parse_html(b"caf\xe9 \xe4\xbd\xa0", "utf-8")) == "caf� 你"


def test_an_unknown_charset_falls_back_to_utf8() -> None:
    assert visible_text(parse_html("书".encode(), "x-no-such-charset")) == "书"


def test_framesets_keep_their_frames() -> None:
    tree = parse_html("<html><frameset cols='1,2'><frame src='a.html'><frame src='b.html'></frameset></html>")
    assert tree.xpath("//frame/@src") == ["a.html", "b.html"]


def test_what_stands_after_the_end_of_html_belongs_to_the_body() -> None:
    page = "<html><body><p>1</p></body></html>\n<a href=x>2</a> 3 <html><body><p>4</p></body></html><p>5"
    tree = parse_html(page)
    assert tree.getnext() is None
    assert [element.tag for element in tree.find("body")] == ["p", "a", "p", "p"]
    assert visible_text(tree) == "1 2 3 4 5"


def test_links_after_the_end_of_html_are_found() -> None:
    page = PageReader(None).read("http://a.example/", b"<head></head></html><a href=/x>x</a>", "text/html")
    assert page.links == ("http://a.example/x",)


def test_xhtml_is_read_as_html() -> None:
    page = (
        b'<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "">'
        b'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>one<br/>two</p></body></html>'
    )
    assert strip_tree(parse_html(page)).endswith("<body><p>onetwo</p></body></html>")


@pytest.mark.parametrize(
    ("markup", "path"),
    [
        ("<p>std::<wbr>vec::<WBR><a>Vec</a></p>", "body/p/a"),
        ("<p>std::<wbr/>vec::<wbr /><a>Vec</a></p>", "body/p/a"),
        (
            '<picture><source srcset=/a/><source media="(width > 9px)"><a>Vec</a></picture>',
            "body/picture/a",
        ),
        ("<video><track src='a.vtt'><a>Vec</a></video>", "body/video/a"),
        ("<p><embed src=a.swf><a>Vec</a></p>", "body/p/a"),
        ("<!--it's a <wbr>--><title>a <wbr> b</title><p><wbr><a>Vec</a></p>", "body/p/a"),
    ],
)
def test_elements_that_hold_nothing_take_nothing_in(markup: str, path: str) -> None:
    assert parse_html(markup).findtext(path) == "Vec"


def test_what_only_looks_like_an_element_that_holds_nothing_stays() -> None:
    tree = parse_html("<script>x = '<source>'</script><style>/*<wbr>*/</style><p>a<wbr>b<wbrs>c</wbrs><embed x='")
    assert tree.xpath("string(//script)") == "x = '<source>'"
    assert tree.xpath("string(//style)") == "/*<wbr>*/"
    assert tree.findtext("body/p/wbrs") == "c"


@pytest.mark.parametrize("earlier", ["<p>no such element</p>", "<p>a<wbr>b</p>"])
@pytest.mark.parametrize(
    "markup",
    [
        "<p title='a<wbr>b' lang=en>a<wbr>b<a>c</a></p>",
        "<p title='a<wbr>b'>c</p>",
        "<p>a < b<wbr><a>c</a></p>",
        "<video><source src=a></video><embed src=b></embed>c",
        "<p>no such element</p>",
    ],
)
def test_what_earlier_pages_held_changes_no_page(monkeypatch: pytest.MonkeyPatch, earlier: str, markup: str) -> None:
    monkeypatch.setattr("gwc_crawler.page.parse._habits.closes_voids", False)
    alone = parse_html(markup)
    parse_html(earlier)
    again = parse_html(markup)
    assert etree.tostring(again) == etree.tostring(alone)
    assert {one.get("title") for one in again.iter("p")} <= {None, "a<wbr>b"}
    assert all(len(one) == 0 and not one.text for one in again.iter("wbr", "source", "embed"))


def test_a_long_name_in_many_parts_is_not_deep() -> None:
    tree = parse_html("<p>" + "part::<wbr>" * 10_000 + "<a>end</a></p>")
    assert tree.findtext("body/p/a") == "end"
