"""Kinds by what adds up, by algorithm 1 as published, and soft 404s; figures on labelled sites: tests/eval/kinds."""

from __future__ import annotations

import pytest

from gwc_crawler.items import PageKind
from gwc_crawler.page.classify import classify_page, published_kind
from gwc_crawler.page.outline import outline
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import paragraphs_outside_links, visible_text

LINKS = "".join(f"<li><a href='/p/{number}'>Product number {number}</a></li>" for number in range(20))
ARTICLE = f"<title>How to brew tea</title><h1>How to brew tea</h1><p>{'Pour the water slowly. ' * 10}</p>"


@pytest.mark.parametrize(
    ("url", "html", "expected"),
    [
        pytest.param("http://a.example/", ARTICLE, PageKind.INDEX, id="empty path"),
        pytest.param("http://a.example/tea/", ARTICLE, PageKind.INFORMATION, id="an article without a file name"),
        pytest.param("http://a.example/teas/", LINKS, PageKind.INDEX, id="no file name"),
        pytest.param("http://a.example/tea/page/2/", ARTICLE, PageKind.INDEX, id="a further page of a list"),
        pytest.param("http://a.example/20050312_1123.shtml", "<p>Tea.", PageKind.INFORMATION, id="serial number"),
        pytest.param("http://a.example/12.html", "<p>Tea.", PageKind.INFORMATION, id="a short serial number"),
        pytest.param("http://a.example/brewing.html", ARTICLE, PageKind.INFORMATION, id="long paragraph"),
        pytest.param("http://a.example/teas.html", LINKS, PageKind.INDEX, id="list of links"),
        pytest.param(
            "http://a.example/tea.html",
            "<title>Tea, a plant</title><h1>Tea</h1><p>A plant.",
            PageKind.INFORMATION,
            id="title",
        ),
        pytest.param(
            "http://a.example/x.html", "<h1>页面不存在</h1><p>您访问的商品已下架。", PageKind.MISSING, id="Chinese"
        ),
        pytest.param(
            "http://a.example/x.html", "<title>404 Not Found</title>Sorry.", PageKind.MISSING, id="title says 404"
        ),
        pytest.param(
            "http://a.example/x.html", "<h1>Page not found</h1>" + LINKS, PageKind.MISSING, id="with navigation"
        ),
        pytest.param(
            "http://a.example/x.html",
            f"<h1>404 Not Found</h1><p>{'What the code means and how to send it. ' * 50}",
            PageKind.INFORMATION,
            id="an article about 404",
        ),
        pytest.param(
            "http://a.example/404.html", "<h1>Room 4041</h1>", PageKind.INFORMATION, id="a number is no announcement"
        ),
        pytest.param("http://a.example/x.html", "<h1>Oops! 404 error</h1>", PageKind.MISSING, id="404 error"),
        pytest.param(
            "http://a.example/x.html", "<title>Not Found | Shop</title>", PageKind.MISSING, id="name of the site"
        ),
        pytest.param(
            "http://a.example/x.html", "<title>404 - 找不到网页</title>", PageKind.MISSING, id="both languages"
        ),
        pytest.param(
            "http://a.example/404.html", "<h1>Peugeot 404</h1>", PageKind.INFORMATION, id="a number in a name"
        ),
        pytest.param(
            "http://a.example/x.html", "<h1>Lost and Not Found</h1>", PageKind.INFORMATION, id="a title of a book"
        ),
    ],
)
def test_kind(url: str, html: str, expected: PageKind) -> None:
    assert classify_page(url, html) is expected


@pytest.mark.parametrize(
    ("url", "html", "expected"),
    [
        pytest.param("http://a.example/", ARTICLE, PageKind.INDEX, id="empty path"),
        pytest.param("http://a.example/tea/", ARTICLE, PageKind.INDEX, id="no file name"),
        pytest.param("http://a.example/12.html", LINKS, PageKind.INFORMATION, id="serial number"),
        pytest.param("http://a.example/brewing.html", ARTICLE, PageKind.INFORMATION, id="long paragraph"),
        pytest.param("http://a.example/teas.html", LINKS, PageKind.INDEX, id="list of links"),
        pytest.param(
            "http://a.example/tea.html", "<title>Tea</title><h1>Tea</h1><p>A plant.", PageKind.INFORMATION, id="title"
        ),
    ],
)
def test_kind_as_published(url: str, html: str, expected: PageKind) -> None:
    tree = parse_html(html)
    assert published_kind(url, outline(tree).title, visible_text(tree), paragraphs_outside_links(tree)) is expected
