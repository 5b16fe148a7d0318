"""Rules of hosts are kept within bounds, and equal ones once."""

from __future__ import annotations

from gwc_crawler.politeness.robots.cache import RobotsCache

LATER = 1e12


class Rules:
    """Stands for what a parser makes of a text: the shelf looks at nothing in it."""


def put(shelf: RobotsCache[Rules], host: str, text: bytes) -> Rules:
    rules = shelf.shared(text) or Rules()
    return shelf.put(host, text, rules, LATER).rules


def shelf_with(*texts: bytes, **options: int) -> RobotsCache[Rules]:
    shelf = RobotsCache[Rules](**options)
    for number, text in enumerate(texts):
        put(shelf, f"{number}.example", text)
    return shelf


def kept(shelf: RobotsCache[Rules]) -> list[int]:
    return [number for number in range(20) if shelf.get(f"{number}.example") is not None]


def rules_of(shelf: RobotsCache[Rules], host: str) -> Rules:
    found = shelf.get(host)
    assert found is not None
    return found.rules


def test_hosts_with_the_same_text_share_their_rules() -> None:
    shelf = shelf_with(b"a", b"b", b"a")
    assert rules_of(shelf, "0.example") is rules_of(shelf, "2.example") is not rules_of(shelf, "1.example")
    assert put(shelf, "3.example", b"b") is rules_of(shelf, "1.example")
    assert put(shelf, "3.example", b"c") is not rules_of(shelf, "1.example")


def test_the_host_used_longest_ago_goes_first() -> None:
    shelf = shelf_with(b"a", b"b", b"a", hosts=3)
    shelf.get("0.example")
    put(shelf, "3.example", b"c")
    assert kept(shelf) == [0, 2, 3]
    assert len(shelf) == 3


def test_much_text_is_kept_of_fewer_hosts() -> None:
    shelf = shelf_with(b"x" * 60, b"y" * 30, b"y" * 30, b"z" * 20, text_bytes=100)
    assert kept(shelf) == [1, 2, 3], "equal texts count once"
    put(shelf, "4.example", b"v" * 101)
    assert kept(shelf) == [4], "what is needed now is kept, however long it is"
    put(shelf, "5.example", b"w" * 10)
    assert kept(shelf) == [5]


def test_a_text_that_changes_counts_anew() -> None:
    shelf = shelf_with(b"x" * 60, text_bytes=100)
    for text in (b"y" * 60, b"z" * 60, b"x" * 60):
        put(shelf, "0.example", text)
    put(shelf, "1.example", b"v" * 40)
    assert kept(shelf) == [0, 1]
