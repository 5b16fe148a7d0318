"""Kinds by algorithm 1 and soft 404s; the thresholds' calibration on labelled sites."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gwc_crawler.items import PageKind
from gwc_crawler.page.classify import classify_page
from tests.eval.corpora import page_file, read_rows

LINKS = "".join(f"<li><a href='/p/{number}'>Product number {number}</a></li>" for number in range(20))
ARTICLE = f"<title>How to brew tea</title><h1>How to brew tea</h1><p>{'Pour the water slowly. ' * 10}</p>"


@pytest.mark.parametrize(
    ("url", "html", "expected"),
    [
        pytest.param("http://a.example/", ARTICLE, PageKind.INDEX, id="empty path"),
        pytest.param("http://a.example/tea/", ARTICLE, PageKind.INDEX, id="no file name"),
        pytest.param("http://a.example/tea/index.html", ARTICLE, PageKind.INDEX, id="a file name that says index"),
        pytest.param("http://a.example/20050312_1123.shtml", LINKS, PageKind.INFORMATION, id="serial number"),
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
            "http://a.example/404.html", "<h1>Room 4041</h1>", PageKind.INDEX, id="a number is no announcement"
        ),
        pytest.param("http://a.example/x.html", "<h1>Oops! 404 error</h1>", PageKind.MISSING, id="404 error"),
        pytest.param(
            "http://a.example/x.html", "<title>Not Found | Shop</title>", PageKind.MISSING, id="name of the site"
        ),
        pytest.param(
            "http://a.example/x.html", "<title>404 - 找不到网页</title>", PageKind.MISSING, id="both languages"
        ),
        pytest.param("http://a.example/404.html", "<h1>Peugeot 404</h1>", PageKind.INDEX, id="a number in a name"),
        pytest.param("http://a.example/x.html", "<h1>Lost and Not Found</h1>", PageKind.INDEX, id="a title of a book"),
    ],
)
def test_kind(url: str, html: str, expected: PageKind) -> None:
    assert classify_page(url, html) is expected


@pytest.mark.corpora
def test_calibration_on_labelled_sites(corpora: Path) -> None:
    """Pages without a file name are index pages by the rule itself; of the others nearly all come out as labelled."""
    right, judged, missing = 0, 0, Counter[str]()
    for site, step in (("w3school", 12), ("booksamillion", 12), ("scipydoc", 24), ("gitrknows", 12), ("quotes", 2)):
        for number, row in enumerate(read_rows(f"{site}/pages.jsonl")):
            if row["type"] == "other" or (number % step and row["type"] != "soft404"):
                continue
            kind = classify_page("http://a.example" + row["url"], page_file(site, row["url"]).read_bytes())
            if kind is PageKind.MISSING or row["type"] == "soft404":
                missing[f"{row['type']} {kind}"] += 1
            elif not (row["type"] == "info" and row["url"].endswith("/")):
                judged += 1
                right += (kind is PageKind.INFORMATION) is (row["type"] == "info")
    assert missing == {"soft404 missing": 12}
    assert judged > 500
    assert right / judged >= 0.95
