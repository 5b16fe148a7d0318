"""Rules of hosts are kept within bounds, and equal ones once."""

from __future__ import annotations

from gwc_crawler.network.politeness.robots import RobotsCache

LATER = 1e12


class Rules:
    """Stands for what a parser makes of a text: the cache looks at nothing in it."""

    def __init__(self, text: bytes) -> None:
        self.text = text


def put(cache: RobotsCache, host: str, text: bytes) -> Rules:
    return cache.put(host, text, Rules, LATER).rules


def cache_with(*texts: bytes, **options: int) -> RobotsCache:
    cache = RobotsCache(**options)
    for number, text in enumerate(texts):
        put(cache, f"{number}.example", text)
    return cache


def kept(cache: RobotsCache) -> list[int]:
    return [number for number in range(20) if cache.get(f"{number}.example") is not None]


def rules_of(cache: RobotsCache, host: str) -> Rules:
    found = cache.get(host)
    assert found is not None
    return found.rules


def test_hosts_with_the_same_text_share_their_rules() -> None:
    cache = cache_with(b"a", b"b", b"a")
    assert rules_of(cache, "0.example") is rules_of(cache, "2.example") is not rules_of(cache, "1.example")
    assert put(cache, "3.example", b"b") is rules_of(cache, "1.example")
    assert put(cache, "3.example", b"c") is not rules_of(cache, "1.example")


def test_the_host_used_longest_ago_goes_first() -> None:
    cache = cache_with(b"a", b"b", b"a", hosts=3)
    cache.get("0.example")
    put(cache, "3.example", b"c")
    assert kept(cache) == [0, 2, 3]


def test_much_text_is_kept_of_fewer_hosts() -> None:
    cache = cache_with(b"x" * 60, b"y" * 30, b"y" * 30, b"z" * 20, text_bytes=100)
    assert kept(cache) == [1, 2, 3], "equal texts count once"
    put(cache, "4.example", b"v" * 101)
    assert kept(cache) == [4], "what is needed now is kept, however long it is"
    put(cache, "5.example", b"w" * 10)
    assert kept(cache) == [5]


def test_a_text_that_changes_counts_anew() -> None:
    cache = cache_with(b"x" * 60, text_bytes=100)
    for text in (b"y" * 60, b"z" * 60, b"x" * 60):
        put(cache, "0.example", text)
    put(cache, "1.example", b"v" * 40)
    assert kept(cache) == [0, 1]
