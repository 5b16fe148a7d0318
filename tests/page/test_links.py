"""Links: what counts as one, what it refers to, and what leads nowhere."""

from __future__ import annotations

import pytest

from gwc_crawler.page.links import leads_to_binary, resolve_href

PAGE = "http://a.example/shop/list.html?page=2"


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


@pytest.mark.parametrize("charset", ["utf-16-le", "euc_tw", "iso2022_cn"])
def test_in_charsets_that_nothing_is_sent_in_the_query_is_in_utf8(charset: str) -> None:
    assert resolve_href(PAGE, "?q=书", charset) == "http://a.example/shop/list.html?q=%E4%B9%A6"


def test_binary_files_are_told_by_the_ending_of_the_path() -> None:
    assert leads_to_binary("http://a.example/x.JPG")
    assert leads_to_binary("http://a.example/x.tar.gz?v=1")
    assert not leads_to_binary("http://a.example/x.html?file=y.pdf")
    assert not leads_to_binary("http://a.example/product.php")
