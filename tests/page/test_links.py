"""Links: what counts as one, what it refers to, and what leads nowhere."""

from __future__ import annotations

import pytest

from gwc_crawler.page import parse_html
from gwc_crawler.page.links import forbids_following, hrefs_of, leads_to_binary, resolve_href

PAGE = "http://a.example/shop/list.html?page=2"


def test_anchors_come_in_page_order_then_the_next_page_areas_and_frames() -> None:
    tree = parse_html(
        "<head><link rel=next href=3><link rel=stylesheet href=s.css></head><body><a href=1></a>"
        "<map><area href=4></map><a name=x></a><a href=2></a><iframe src=5></iframe></body>"
    )
    assert hrefs_of(tree, PAGE) == (PAGE, ["1", "2", "3", "4", "5"])


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("item.html#top", "http://a.example/shop/item.html"),
        (" /x\n", "http://a.example/x"),
        ("?page=3", "http://a.example/shop/list.html?page=3"),
        ("..\\img\\a.html", "http://a.example/img/a.html"),
        ("\\\\b.example\\c", "http://b.example/c"),
        ("?back=\\x", "http://a.example/shop/list.html?back=%5Cx"),
        ("HTTP://B.example/", "http://b.example/"),
        ("#top", None),
        (" ", None),
        ("", None),
        ("javascript:void(0)", None),
        (" JavaScript:x", None),
        ("mailto:a@b.example", None),
        ("tel:123", None),
        ("data:text/html,x", None),
        ("/" + "x" * 2083, None),
    ],
)
def test_resolved_href(href: str, expected: str | None) -> None:
    assert resolve_href(PAGE, href) == expected


def test_the_query_is_escaped_in_the_charset_of_the_page_and_the_path_in_utf8() -> None:
    assert resolve_href(PAGE, "/书?q=书", "gb18030") == "http://a.example/%E4%B9%A6?q=%CA%E9"


def test_base_href_is_respected() -> None:
    first_counts = "<base target=_top><base href='/other/'><base href='/third/'>"
    assert hrefs_of(parse_html(first_counts), PAGE)[0] == "http://a.example/other/"
    assert hrefs_of(parse_html("<base href='javascript:x'>"), PAGE)[0] == PAGE


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<meta name=robots content='noindex, NoFollow'>", True),
        ("<meta name=ROBOTS content=none>", True),
        ("<meta name=robots content='index, follow'>", False),
        ("<meta name=description content=nofollow>", False),
        ("", False),
    ],
)
def test_meta_robots(head: str, expected: bool) -> None:
    assert forbids_following(parse_html(f"<head>{head}</head>")) is expected


def test_binary_files_are_told_by_the_ending_of_the_path() -> None:
    assert leads_to_binary("http://a.example/x.JPG")
    assert leads_to_binary("http://a.example/x.tar.gz?v=1")
    assert not leads_to_binary("http://a.example/x.html?file=y.pdf")
    assert not leads_to_binary("http://a.example/product.php")
