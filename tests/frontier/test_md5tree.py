"""Md5Tree is a set of URLs, whatever its size and shape; bkdr_hash is what it has always been."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.frontier import md5tree
from gwc_crawler.frontier.md5tree import Md5Tree
from gwc_crawler.frontier.queues import bkdr_hash

WORDS = st.text("ab/é\ud800", max_size=4)


@given(st.lists(WORDS))
def test_it_is_a_set(urls: list[str]) -> None:
    tree, known = Md5Tree(), set[str]()
    for url in urls:
        assert (url in tree) == (url in known)
        assert tree.add(url) == (url not in known)
        known.add(url)
    assert len(tree) == len(known)
    assert all(url in tree for url in known)


@pytest.mark.parametrize("full_leaf", [2, 16, 2048])
def test_it_stays_one_while_leaves_split(monkeypatch: pytest.MonkeyPatch, full_leaf: int) -> None:
    monkeypatch.setattr(md5tree, "FULL_LEAF", full_leaf)
    urls = [f"http://shop.example/{number}" for number in range(50_000 if full_leaf > 100 else 3_000)]
    tree = Md5Tree(urls)
    assert len(tree) == len(urls)
    assert all(url in tree for url in urls)
    assert not any(f"{url}/" in tree for url in urls)
    assert not any(tree.add(url) for url in urls)


def test_it_takes_little_memory() -> None:
    tree = Md5Tree(f"http://shop.example/{number}" for number in range(60_000))
    assert tree.memory_bytes <= 12 * 60_000


def test_what_is_no_text_is_not_in_it() -> None:
    assert 5 not in Md5Tree()


@given(st.text())
def test_bkdr_hash_is_horners_rule(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    data = text.encode()
    for multiplier in (31, 131, 1313):
        expected = sum(byte * multiplier**place for place, byte in enumerate(reversed(data))) % 2**32
        assert bkdr_hash(text, multiplier=multiplier) == expected


def test_bkdr_hash_spreads_the_urls_of_one_host() -> None:
    counts = [0] * 16
    for number in range(16_000):
        counts[bkdr_hash(f"http://shop.example/product/{number}") % 16] += 1
    assert min(counts) > 800
    assert max(counts) < 1200
