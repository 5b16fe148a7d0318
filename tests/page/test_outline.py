"""The one walk: title, headings, hrefs, base, meta robots."""

from __future__ import annotations

import pytest

from gwc_crawler.page.outline import outline
from gwc_crawler.page.parse import parse_html


def test_anchors_come_in_page_order_then_the_next_page_areas_and_frames() -> None:
    tree = parse_html(
        "<head><link rel=next href=3><link rel=stylesheet href=s.css></head><body><a href=1></a>"
        "<map><area href=4></map><a name=x></a><a href=2></a><iframe src=5></iframe></body>"
    )
    assert outline(tree).hrefs == ["1", "2", "3", "4", "5"]


def test_links_of_the_head_and_frames_that_are_loaded_later_count() -> None:
    tree = parse_html(
        "<head><link rel='Canonical' href=1><link rel='nofollow PREV' href=2><link rel=alternate href=x></head>"
        "<body><iframe data-src=3></iframe><iframe src=4 data-src=y></iframe><link rel=canonical href=z></body>"
    )
    assert outline(tree).hrefs == ["1", "2", "3", "4"]


def test_an_empty_href_is_one_and_an_empty_frame_is_none() -> None:
    assert outline(parse_html("<a href=''>x</a><iframe src=''></iframe><area>")).hrefs == [""]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0;url=/x", ["/x"]),
        ("5; URL='/a b'; x", ["/a b"]),
        ("0; /x", ["/x"]),
        ("0,url=/y", ["/y"]),
        ("3", []),
        ("0;url=", []),
        ("/x", []),
    ],
)
def test_where_a_refresh_leads_is_a_link(content: str, expected: list[str]) -> None:
    tree = parse_html(f'<meta http-equiv="Refresh" content="{content}"><meta name=a content="0;url=/b">')
    assert outline(tree).hrefs == expected


def test_the_first_base_that_is_not_empty_counts() -> None:
    assert outline(parse_html("<base target=_top><base href=' /other/ '><base href='/third/'>")).base == "/other/"
    assert outline(parse_html("<p>x")).base == ""


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<meta name=robots content='noindex, NoFollow'>", True),
        ("<meta name=ROBOTS content=none>", True),
        ("<meta name=description content=x><meta name=robots content=nofollow><meta name=robots content=index>", True),
        ("<meta name=robots content='index, follow'>", False),
        ("<meta name=robots>", False),
        ("<meta name=description content=nofollow>", False),
        ("", False),
    ],
)
def test_meta_robots(head: str, expected: bool) -> None:
    assert outline(parse_html(f"<head>{head}</head>")).forbids_following is expected


def test_title_is_folded_and_may_be_missing() -> None:
    assert outline(parse_html("<title> A \n B </title><svg><title>no</title></svg>")).title == "A B"
    assert outline(parse_html("<p>x")).title == ""


def test_headings_are_folded_and_in_page_order() -> None:
    assert outline(parse_html("<h2> two\n<b>words</b></h2><h1>One</h1><h3>no</h3>")).headings == ["two words", "One"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<link rel=canonical href='/a'><link rel=canonical href='/b'>", "/a"),
        ("<link rel='shortlink Canonical' href='/a'>", "/a"),
        ("<link rel=alternate href='/a'>", ""),
    ],
)
def test_the_canonical_address_is_the_first_that_the_head_names(head: str, expected: str) -> None:
    assert outline(parse_html(f"<head>{head}</head>")).canonical == expected
