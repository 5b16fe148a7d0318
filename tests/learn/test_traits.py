"""The traits of pages, each read once."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.kinds import traits as module
from gwc_crawler.learn.kinds.traits import KnownTraits, PageTraits, traits_in
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import paragraphs_outside_links

LONG = "A paragraph that is long enough to be the page's own, and of no other one: "


def page(number: int, html: bytes = b"", charset: str = "utf-8") -> StoredPage:
    url = f"https://x.example/{number}"
    body = f"<p>{LONG}{number}</p><p>{'书' * 24}{number}</p><b>short</b>".encode()
    return StoredPage(url, url, html or b"<body>" + body, "text/html", charset, 0, 1, True)


PAGES = [
    *(page(number) for number in range(40)),
    page(40, "<body><p>Stra\xdfe".encode("latin-1"), "latin-1"),
    page(41, b"\xff\x00<table><td class=a>", ""),
    page(42, b"<body>" + b"<i>" * 3000 + LONG.encode() * 9),
    page(43, b" "),
]


def test_a_page_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []

    def counted(tree: Any) -> PageTraits:
        read.append(tree)
        return traits_in(tree)

    monkeypatch.setattr(module, "traits_in", counted)
    traits = KnownTraits()
    assert [len(traits.of(one).texts) for one in [*PAGES[:3], *PAGES[:4]]] == [2] * 7
    assert len(read) == 4


@pytest.mark.parametrize("odd", PAGES[40:])
def test_odd_pages_are_read_as_well(odd: StoredPage) -> None:
    assert KnownTraits().of(odd) == traits_in(parse_html(odd.html, odd.charset or None))


@pytest.mark.parametrize("html", ["<p>ab</p> abc\xa0d <p>\u3000</p>", "<i>" * 9000 + "<p>ab</p>abc d"])
def test_short_paragraphs_can_be_left_out(html: str) -> None:
    tree = parse_html(html)
    every = paragraphs_outside_links(tree)
    assert every
    for least in (2, 3, 6):
        assert paragraphs_outside_links(tree, least) == [one for one in every if len(one) >= least]
