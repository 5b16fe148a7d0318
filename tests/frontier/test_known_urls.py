"""The cache in front of the frontiers: what is used least gives way."""

from __future__ import annotations

import pytest

from gwc_crawler.frontier.known_urls import KnownUrls
from tests.frontier.caches import SHARES, Lru, missed, pages


def test_what_is_used_least_goes_and_no_more_than_has_to() -> None:
    known = KnownUrls(80)
    known.learn([f"nav{number}" for number in range(20)], 0)
    for _ in range(3):
        known.news([f"nav{number}" for number in range(20)], 0)
    known.learn([f"product{number}" for number in range(61)], 0)
    assert len(known) == 71, "ten of them, an eighth"
    assert known.news([f"nav{number}" for number in range(20)], 0) == []
    assert known.news([f"product{number}" for number in range(61)], 0) == [f"product{number}" for number in range(10)]


def test_what_was_popular_once_fades() -> None:
    known = KnownUrls(80)
    known.learn(["old"], 0)
    for _ in range(9):
        known.news(["old"], 0)
    for number in range(2000):
        known.learn([f"hub{number % 40}"], 0)
        known.news([f"hub{number % 40}"], 0)
        known.learn([f"product{number}"], 0)
    assert "old" not in known


def test_what_is_forgotten_is_news() -> None:
    known = KnownUrls(80)
    known.learn(["a", "b"], 0)
    known.forget(["a", "c"])
    assert known.news(["a", "b"], 0) == ["a"]


@pytest.mark.parametrize("share", SHARES)
def test_it_answers_as_many_links_as_a_plain_lru(share: float) -> None:
    crawl = list(pages(3000))
    limit = int(3000 * share)
    assert missed(KnownUrls(limit), crawl) < 1.05 * missed(Lru(limit), crawl)
