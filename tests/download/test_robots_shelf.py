"""Rules of hosts are kept within bounds, and equal ones once."""

from __future__ import annotations

from gwc_crawler.download.robots_shelf import RobotsShelf


class Rules:
    """Stands for what a parser makes of a text: the shelf looks at nothing in it."""


def shelf_with(*texts: bytes, **options: int) -> RobotsShelf[Rules]:
    shelf = RobotsShelf[Rules](**options)
    for number, text in enumerate(texts):
        shelf.put(f"{number}.example", text, Rules())
    return shelf


def kept(shelf: RobotsShelf[Rules]) -> list[int]:
    return [number for number in range(20) if shelf.get(f"{number}.example") is not None]


def test_hosts_with_the_same_text_share_their_rules() -> None:
    shelf = shelf_with(b"a", b"b", b"a")
    assert shelf.get("0.example") is shelf.get("2.example") is not shelf.get("1.example")
    mine = Rules()
    assert shelf.put("3.example", b"b", mine) is shelf.get("1.example") is not mine
    assert shelf.put("3.example", b"c", mine) is mine


def test_the_host_used_longest_ago_goes_first() -> None:
    shelf = shelf_with(b"a", b"b", b"a", hosts=3)
    shelf.get("0.example")
    shelf.put("3.example", b"c", Rules())
    assert kept(shelf) == [0, 2, 3]
    assert len(shelf) == 3


def test_much_text_is_kept_of_fewer_hosts() -> None:
    shelf = shelf_with(b"x" * 60, b"y" * 30, b"y" * 30, b"z" * 20, text_bytes=100)
    assert kept(shelf) == [1, 2, 3], "equal texts count once"
    shelf.put("4.example", b"v" * 101, Rules())
    assert kept(shelf) == [4], "what is needed now is kept, however long it is"
    shelf.put("5.example", b"w" * 10, Rules())
    assert kept(shelf) == [5]


def test_a_text_that_changes_counts_anew() -> None:
    shelf = shelf_with(b"x" * 60, text_bytes=100)
    for text in (b"y" * 60, b"z" * 60, b"x" * 60):
        shelf.put("0.example", text, Rules())
    shelf.put("1.example", b"v" * 40, Rules())
    assert kept(shelf) == [0, 1]
