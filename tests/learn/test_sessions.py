"""Query keys that change nothing are found by comparing pages, never by their names."""

from __future__ import annotations

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.sessions import find_ignored_keys

SITE = "http://s.example"


def stored(url: str, text: str) -> StoredPage:
    html = f"<html><body><h1>{text}</h1><a href='/x?sid=1'>next</a></body></html>"
    return StoredPage(url, url, html.encode(), "text/html", "utf-8", 0, 1, False, ())


def article(number: int) -> str:
    return " ".join(f"word{number}x{place}" for place in range(60)) + " imprint and contact"


def test_same_content_under_several_values_is_a_session() -> None:
    pages = [stored(f"{SITE}/item/{n}?sid={n * 7 + s}", article(n)) for n in range(5) for s in range(2)]
    assert find_ignored_keys(pages)[0] == ("sid",)


def test_a_key_that_is_there_or_not_is_one_too() -> None:
    pages = [stored(f"{SITE}/item/{n}", article(n)) for n in range(5)]
    pages += [stored(f"{SITE}/item/{n}?from=home", article(n)) for n in range(5)]
    assert find_ignored_keys(pages)[0] == ("from",)


def test_a_clock_on_the_page_does_not_hide_a_session() -> None:
    pages = [stored(f"{SITE}/item/{n}?sid={s}", f"{article(n)} 12:{n}{s}") for n in range(5) for s in range(2)]
    assert find_ignored_keys(pages)[0] == ("sid",)


def test_a_key_that_names_the_page_stays() -> None:
    pages = [stored(f"{SITE}/view.php?id={n}", article(n)) for n in range(20)]
    assert find_ignored_keys(pages)[0] == ()


def test_page_numbers_stay_though_the_first_page_has_two_addresses() -> None:
    pages = [stored(f"{SITE}/list/{n}", article(n)) for n in range(5)]
    pages += [stored(f"{SITE}/list/{n}?page={p}", article(n + (p - 1) * 100)) for n in range(5) for p in (1, 2, 3)]
    assert find_ignored_keys(pages)[0] == ()


def test_a_key_that_matters_in_one_place_stays_everywhere() -> None:
    pages = [stored(f"{SITE}/item/{n}?v={s}", article(n)) for n in range(9) for s in range(2)]
    pages += [stored(f"{SITE}/video?v={n}", article(100 + n)) for n in range(4)]
    assert find_ignored_keys(pages)[0] == ()


def test_too_little_evidence_decides_nothing() -> None:
    pages = [stored(f"{SITE}/item/1?sid={s}", article(1)) for s in range(2)]
    assert find_ignored_keys(pages)[0] == ()
