"""The pages looked at last are kept parsed, as far as memory allows, and forgotten when learning ends."""

from __future__ import annotations

import pytest

from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.kinds.traits import KnownTraits, PageViews
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask


def page(number: int, size: int = 1000, requested: str = "") -> StoredPage:
    url = f"https://x.example/{number}"
    html = f"<title>Page {number}</title><p>{'a' * size}".encode()[:size]
    return StoredPage(url, requested or url, html, "text/html", "utf-8", 0, 1, True)


def test_a_page_is_parsed_once() -> None:
    views = PageViews()
    one = views.of(page(1))
    assert views.of(page(1)) is one
    assert one.tree.findtext(".//title") == "Page 1"
    assert one.url == "https://x.example/1"


def test_a_page_at_another_address_has_its_own_links() -> None:
    views = PageViews()
    assert views.of(page(1), "https://x.example/a/b").absolute("c") == "https://x.example/a/c"
    assert views.of(page(1)).absolute("c") == "https://x.example/c"


def test_two_answers_of_one_address_are_two_pages() -> None:
    views = PageViews()
    assert len({id(views.of(one)) for one in (page(1), page(1, 999), page(1, requested="https://x.example/?s=1"))}) == 3


def test_those_asked_for_last_are_kept() -> None:
    views = PageViews(most_bytes=3000)
    first, second = (views.of(page(number)) for number in (1, 2))
    views.of(page(3))
    assert views.of(page(1)) is first
    views.of(page(4))
    assert views.of(page(1)) is first
    assert views.of(page(2)) is not second


def test_one_larger_than_all_is_given_and_kept_alone() -> None:
    views = PageViews(most_bytes=3000)
    small, large = views.of(page(1)), views.of(page(2, 9000))
    assert views.of(page(2, 9000)) is large
    assert views.of(page(1)) is not small


def test_none_are_kept_after_learning() -> None:
    traits = KnownTraits()
    samples = (("https://x.example/1", {"title": "Page 1"}), ("https://x.example/2", {"title": "Page 2"}))
    learn_site(LearnTask("x", ("https://x.example/0",), samples=samples), [page(n) for n in range(20)], traits)
    assert len(traits.views) == 0


def test_none_are_kept_after_an_error() -> None:
    traits = KnownTraits()
    traits.views.of(page(1))
    samples = (("https://x.example/1", {"title": "Page 7"}),)
    with pytest.raises(LearnError):
        learn_site(LearnTask("x", ("https://x.example/0",), samples=samples), [page(n) for n in range(20)], traits)
    assert len(traits.views) == 0
