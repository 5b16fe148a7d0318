"""Proxies in turns, within limits, resting and left out, on a clock of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.network.access import Proxies, SecretText
from gwc_crawler.network.proxies import NoProxyLeft, ProxyPool, pool_of

A, B, C = "http://ann:pw@a:1", "http://b:1", "socks5://c:1"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def pool(*urls: str, clock: Clock, concurrency: int | None = None, delay: float = 0.0) -> ProxyPool:
    return ProxyPool(urls, concurrency=concurrency, delay_seconds=delay, rest_seconds=10, clock=clock)


def test_they_take_turns() -> None:
    one = pool(A, B, C, clock=Clock())
    assert [one.take() for _ in range(6)] == [A, B, C, A, B, C]
    assert one.take(but=[A, B]) == C


def test_each_keeps_its_limits() -> None:
    clock = Clock()
    one = pool(A, B, clock=clock, concurrency=1, delay=2)
    assert [one.take() for _ in range(3)] == [A, B, None]
    one.ended(A)
    assert one.take() is None
    clock.now += 2
    assert [one.take(), one.take()] == [A, None]


def test_one_that_fails_rests_twice_as_long_each_time_and_is_left_out_at_last() -> None:
    clock = Clock()
    one = pool(A, B, clock=clock)
    for failures, rest in enumerate((10, 20, 40, 80), 1):
        one.failed(A, "refused")
        one.failed(A, "refused")  # what was under way with it
        assert {one.take() for _ in range(4)} == {B}
        clock.now += rest
        assert A in {one.take() for _ in range(2)}, failures
    assert one.failed(A, "refused")
    assert not one.is_left(A)
    clock.now += 10_000
    assert {one.take() for _ in range(4)} == {B}


def test_where_none_works_none_rests_longer() -> None:
    """So a crawl without a proxy is over in two minutes instead of seven and a half."""
    clock = Clock()
    one = pool(A, B, clock=clock)
    for url in (A, B):
        one.failed(url, "refused")
    rests = []
    while one.left:
        rests.append(one.seconds_to_rest())
        clock.now += rests[-1]
        for url in (A, B):
            one.failed(url, "refused")
    assert rests == [10, 10, 10, 10]


def test_an_answer_makes_good() -> None:
    clock = Clock()
    one = pool(A, clock=clock)
    for _ in range(20):
        one.failed(A, "refused")
        assert one.seconds_to_rest() == 10
        clock.now += 10
        one.answered(A)
    assert one.take() == A


def test_doubts_count_when_they_come_in_a_row() -> None:
    one = pool(A, B, clock=Clock())
    assert [one.doubted(A, "time-out") for _ in range(2)] == [False, False]
    one.answered(A)
    assert [one.doubted(A, "time-out") for _ in range(3)] == [False, False, True]
    assert [one.take(), one.take()] == [B, B]


def test_without_any_the_reasons_are_told_and_no_password() -> None:
    clock = Clock()
    one = pool(A, C, clock=clock)
    for url in (A, C):
        for _ in range(5):
            one.failed(url, f"{url[-3]} is away")
            clock.now += 1000
    with pytest.raises(
        NoProxyLeft, match=r"none of the 2 proxies can be used \(http://a:1: .*; socks5://c:1: "
    ) as caught:
        one.take()
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("# none\n", "is empty"),
        ("http://a:1\nb:2\n", ":2: 'b:2' is no proxy"),
        ("http://ann:pw@a:1", ":1: a proxy's password does not belong into a file"),
        ("{env:THE_PROXY}", r"\[proxies\]: 'ftp://a:1' is no proxy"),
        ("http://a:port", "'http://a:port' is no proxy"),
    ],
)
def test_lists_with_mistakes(tmp_path: Path, text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_PROXY", "ftp://ann:pw@a:1")
    path = tmp_path / "proxies.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=why) as caught:
        pool_of(Proxies(file=path))
    assert "pw" not in str(caught.value)


def test_a_variable_may_be_a_whole_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_PROXY", A)
    assert pool_of(Proxies((SecretText("{env:THE_PROXY}"),))).take() == A
