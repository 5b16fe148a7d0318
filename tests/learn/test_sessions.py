"""Query keys and path segments that change nothing are found by comparing pages, never by their names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.kinds.field_witness import FieldWitness
from gwc_crawler.learn.kinds.near_duplicates import same_record
from gwc_crawler.learn.urls.sessions import find_ignored_keys, find_ignored_segments, find_minted_keys
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from gwc_crawler.urls import UrlCleaner, replace_segments, segment_pattern

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


def token(number: int) -> str:
    return f"{number * 7_654_321_987:x}a1b2c3d4"[:10]


def test_a_path_parameter_is_judged_as_a_query_key() -> None:
    pages = [stored(f"{SITE}/item/{n};jsessionid={token(n * 7 + s)}", article(n)) for n in range(5) for s in range(2)]
    assert find_ignored_keys(pages)[0] == ("jsessionid",)


@pytest.mark.parametrize(("before", "after"), [("/(S(", "))"), ("/sid-", ""), ("/", "")])
def test_a_path_segment_with_a_new_value_for_the_same_content_is_a_session(before: str, after: str) -> None:
    pages = [
        stored(f"{SITE}{before}{token(n * 7 + s + 1)}{after}/item/{n}", article(n)) for n in range(5) for s in range(2)
    ]
    segments, _ = find_ignored_segments(pages)
    cleaned = {
        replace_segments(page.url, [(segment_pattern(one), segments[one]) for one in segments]) for page in pages
    }
    assert len(cleaned) == 5, "each page has one URL, with a session that was seen"
    with_bare = [*pages, *(stored(f"{SITE}/item/{n}", article(n)) for n in range(3))]
    assert set(find_ignored_segments(with_bare)[0].values()) == {""}, "the site serves its pages without a session, too"


def test_a_path_segment_that_names_the_page_stays() -> None:
    pages = [stored(f"{SITE}/item/{token(n)}", article(n)) for n in range(1, 20)]
    pages += [stored(f"{SITE}/item/{token(n)}/reviews", article(100 + n)) for n in range(1, 20)]
    assert find_ignored_segments(pages)[0] == {}


def test_a_form_of_segments_that_matters_in_one_place_stays_everywhere() -> None:
    pages = [stored(f"{SITE}/{token(n * 7 + s + 1)}/item/{n}", article(n)) for n in range(9) for s in range(2)]
    pages += [stored(f"{SITE}/video/{token(n)}/show", article(100 + n)) for n in range(1, 5)]
    assert find_ignored_segments(pages)[0] == {}


def test_the_session_of_the_home_page_leaves_the_home_page() -> None:
    pattern = segment_pattern("/s-[0-9a-f]{4}")
    assert replace_segments("http://a.example/s-12ab", [(pattern, "")]) == "http://a.example/"
    assert replace_segments("http://a.example/s-12ab/?q=/s-12ab", [(pattern, "")]) == "http://a.example/?q=/s-12ab"
    assert replace_segments("http://s-12ab/x", [(segment_pattern("/s-[0-9a-z]+"), "")]) == "http://s-12ab/x"


def linked(value: Callable[[int, int], str], pages: int = 20) -> list[StoredPage]:
    """Pages /item/0 … that link to the five next items, and to a list, with what *value* says of page and link."""
    made = []
    for n in range(pages):
        links = tuple(f"{SITE}/item/{(n + step) % pages}?id={value(n, step)}" for step in range(1, 6))
        made.append(StoredPage(f"{SITE}/item/{n}?id={value(n - 1, 1)}", "", b"", "text/html", "", 0, 1, False, links))
    return made


def test_a_key_with_another_value_on_each_page_and_one_on_all_its_links_is_a_session() -> None:
    assert find_minted_keys(linked(lambda page, step: f"{page * 7919 + 4:x}")) == {
        "id": {"minted_on": 20, "addresses": 20}
    }


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(lambda page, step: str((page + step) % 20), id="the value goes with the address"),
        pytest.param(lambda page, step: str(page * 10 + step), id="links differ"),
        pytest.param(lambda page, step: str(page % 3), id="pages share values, as of a category"),
        pytest.param(lambda page, step: "en", id="one value everywhere"),
    ],
)
def test_a_key_that_may_say_what_a_page_shows_is_none(value: Callable[[int, int], str]) -> None:
    assert find_minted_keys(linked(value)) == {}


def test_a_key_that_a_page_hands_on_to_its_links_is_none() -> None:
    def of_day(day: int) -> tuple[str, ...]:
        return tuple(f"{SITE}/{channel}?day={day}" for channel in ("one", "two", "three", "four"))

    pages = [StoredPage(url, url, b"", "text/html", "", 0, 1, False, of_day(n)) for n in range(20) for url in of_day(n)]
    assert find_minted_keys(pages) == {}


@pytest.mark.parametrize("key", ["url", "path"])
def test_an_address_to_return_to_is_minted_though_further_pages_hand_it_on(key: str) -> None:
    def listing(n: int, query: str) -> StoredPage:
        own = f"/plants/?{query}page={n}"
        back = f"{key}={own.replace('=', '%3D').replace('&', '%26')}" if key == "url" else f"{key}=/plants/part-{n}"
        links = tuple(f"{SITE}/details/?id={n * 5 + k}&{back}" for k in range(5))
        return StoredPage(f"{SITE}{own}", f"{SITE}{own}", b"<p>", "text/html", "utf-8", 0, 1, False, links)

    pages = [listing(n, query) for n in range(4) for query in ("", "size=20&")]
    for page in list(pages):
        url = page.links[0]
        links = tuple(f"{SITE}/{what}/?{url.partition('?')[2]}" for what in ("edit", "delete", "copy"))
        pages.append(StoredPage(url, url, b"<p>", "text/html", "utf-8", 0, 1, False, links))
    found = find_minted_keys(pages)
    assert found == ({"url": {"minted_on": 8, "addresses": 32}} if key == "url" else {})


RECORD = '<h1>Lamp {n}</h1><b class="price">${price}.50</b>'
WRAPPER = learn_wrapper(
    [
        Sample(f"{SITE}/item/{n}", RECORD.format(n=n, price=n), {"name": f"Lamp {n}", "price": f"${n}.50"})
        for n in (901, 902)
    ],
    [],
)


def record(url: str, n: int, price: int, more: str) -> StoredPage:
    html = f"<html><body><nav>{more}</nav>{RECORD.format(n=n, price=price)}</body></html>"
    return StoredPage(url, url, html.encode(), "text/html", "utf-8", 0, 1, False, ())


@pytest.mark.parametrize(
    ("price", "more", "by_texts", "by_records"),
    [
        pytest.param(lambda n, s: n, lambda s: "", ("key",), ("key",), id="the same page"),
        pytest.param(lambda n, s: n, lambda s: f"seen in list {s}", (), ("key",), id="the list is named"),
        pytest.param(lambda n, s: n + 50 * s, lambda s: "", (), (), id="another price"),
        pytest.param(lambda n, s: n + 50 * (s and n == 4), lambda s: "", (), (), id="another price on one of five"),
    ],
)
def test_one_record_under_several_values_settles_it(
    price: Callable[[int, int], int], more: Callable[[int], str], by_texts: tuple[str, ...], by_records: tuple[str, ...]
) -> None:
    pages = [record(f"{SITE}/item/n{n}x?key={s}", n, price(n, s), more(s)) for n in range(5) for s in range(2)]
    findings = FieldWitness(WRAPPER, pages[:1])
    assert find_ignored_keys(pages)[0] == by_texts
    assert find_ignored_keys(pages, partial(same_record, findings))[0] == by_records


@pytest.mark.parametrize(
    ("item", "listing", "price", "goes"),
    [
        pytest.param("/item/", "/list/", lambda n, s: n, True, id="the key pages lists"),
        pytest.param("/item/", "/", lambda n, s: n, True, id="lists have other forms"),
        pytest.param("/", "/", lambda n, s: n, False, id="lists have the items' form"),
        pytest.param("/item/", "/list/", lambda n, s: n + s, False, id="it changes the price, too"),
    ],
)
def test_a_key_that_changes_lists_is_ignored_of_items_alone(
    item: str, listing: str, price: Callable[[int, int], int], goes: bool
) -> None:
    urls = [f"{SITE}{item}{n}?from={s}" for n in range(5) for s in range(2)]
    pages = [record(url, n // 2, price(n // 2, n % 2), f"list {n % 2}") for n, url in enumerate(urls)]
    lists = [stored(f"{SITE}{listing}{90 + n}?from={s}", article(n * 9 + s)) for n in range(3) for s in range(2)]
    clean = UrlCleaner(find_ignored_keys([*pages, *lists], partial(same_record, FieldWitness(WRAPPER, pages[:1])))[0])
    assert len(set(map(clean, urls))) == (5 if goes else 10)
    assert [clean(page.url) for page in lists] == [page.url for page in lists]


def test_a_page_that_shows_no_record_is_another_one() -> None:
    pages = [record(f"{SITE}/item/{n}", n, n, "") for n in range(5)]
    pages += [stored(f"{SITE}/item/{n}?tab=reviews", article(n)) for n in range(5)]
    assert find_ignored_keys(pages, partial(same_record, FieldWitness(WRAPPER, pages[:1])))[0] == ()
