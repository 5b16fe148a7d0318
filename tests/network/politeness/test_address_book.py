"""Addresses are found without waiting, and limits of an address hold for all its hosts."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized

import pytest

from gwc_crawler.network.politeness.address_book import AddressBook, AddressLimiter, literal_address_of
from gwc_crawler.network.politeness.limiter import HostLimiter, HostLimits

A, B = "a.example", "b.example"


class Names:
    """A cache that answers when it is let; `table` has its names."""

    def __init__(self, **table: str) -> None:
        self.table: dict[str, Sequence[str]] = {f"{name}.example": [address] for name, address in table.items()}
        self.known: dict[str, Sequence[str]] = {}
        self.wanted: list[str] = []
        self.answers = True
        self.now = 1000.0
        self.book = AddressBook(self)

    def peek(self, host: str) -> Sequence[str] | None:
        return self.known.get(host)

    def want(self, host: str) -> None:
        self.wanted.append(host)
        if self.answers:
            self.known[host] = self.table.get(host, ())


def test_nobody_waits_for_an_address_and_until_then_a_host_stands_for_itself() -> None:
    names = Names(a="192.0.2.1", b="192.0.2.1")
    names.answers = False
    assert names.book.known(A) is None
    assert [names.book.address_of(host) for host in (A, f"{B}:81")] == [A, f"{B}:81"]
    names.answers = True
    assert {names.book.known(A), names.book.known(f"{B}:81")} == {"192.0.2.1"}
    assert set(names.wanted) == {A, B}


def test_a_name_without_address_stands_for_itself() -> None:
    assert Names().book.known("gone.example") == "gone.example"


@pytest.mark.parametrize(
    ("addresses", "first"),
    [
        (["2001:db8::1", "192.0.2.2", "192.0.2.1"], "192.0.2.2"),
        (["2001:db8::2", "2001:db8::1"], "2001:db8::2"),
        (["192.0.2.1"], "192.0.2.1"),
    ],
)
def test_a_name_counts_under_ipv4_and_under_ipv6_where_it_has_nothing_else(addresses: list[str], first: str) -> None:
    names = Names()
    names.table[A] = addresses
    assert names.book.known(A) == first


def test_an_address_is_its_own_without_a_question() -> None:
    names = Names()
    assert [names.book.known(host) for host in ("192.0.2.7:8080", "[2001:db8::1]:80")] == ["192.0.2.7", "[2001:db8::1]"]
    assert names.wanted == []


def test_limits_of_an_address_hold_for_all_its_hosts() -> None:
    names = Names(a="192.0.2.1", b="192.0.2.1")
    names.answers = False
    limiter = AddressLimiter(HostLimiter(HostLimits(concurrency=1), clock=lambda: names.now), names.book)
    freed: list[str] = []
    limiter.when_free = freed.append
    one, other = (limiter.key_of(f"http://{host}/") for host in (A, B))
    assert not limiter.may_start(one), "its address is not known yet"
    assert limiter.next_at(one) > names.now
    names.answers = True
    assert limiter.may_start(one)
    assert limiter.may_start(other)
    limiter.started(one)
    assert not limiter.may_start(other)
    assert limiter.seconds_to_turn(one) == 0
    freed.clear()
    limiter.ended(one)
    assert freed == [B], "it was refused"
    assert limiter.may_start(other)


def test_hosts_that_are_done_are_forgotten() -> None:
    names = Names()
    limiter = AddressLimiter(HostLimiter(HostLimits(concurrency=1), clock=lambda: names.now), names.book)
    hosts = [f"192.0.2.1:{port}" for port in range(100)]
    limiter.started(limiter.key_of("http://192.0.2.1/"))
    assert not any(limiter.may_start(host) for host in hosts)
    limiter.ended("192.0.2.1")
    for host in hosts:
        assert limiter.may_start(host)
        limiter.started(host)
        limiter.ended(host)
    assert sum(len(part) for part in vars(limiter).values() if isinstance(part, Sized)) == 0


def test_who_was_refused_is_told_each_time_that_it_may_start_something() -> None:
    names = Names()
    limiter = AddressLimiter(HostLimiter(HostLimits(concurrency=1), clock=lambda: names.now), names.book)
    waiting = {f"192.0.2.1:{port}" for port in range(9)}
    order: list[str] = []

    def start_if_possible(host: str) -> None:
        if host in waiting and limiter.may_start(host):
            waiting.remove(host)
            order.append(host)
            limiter.started(host)

    limiter.when_free = start_if_possible
    for host in sorted(waiting):
        start_if_possible(host)
    for count in range(1, 9):
        assert len(order) == count
        limiter.ended(order[-1], sent=False)
    assert order == sorted(order), "first come, first served"


def test_a_host_whose_address_is_found_while_it_is_refused_is_told_when_it_may_start_something() -> None:
    names = Names(a="192.0.2.1")
    names.answers = False
    limiter = AddressLimiter(HostLimiter(HostLimits(concurrency=1), clock=lambda: names.now), names.book)
    freed: list[str] = []
    limiter.when_free = freed.append
    limiter.started("192.0.2.1")
    assert not limiter.may_start(A), "its address is not known yet"
    names.answers = True
    assert limiter.next_at(A) == math.inf
    limiter.ended("192.0.2.1", sent=False)
    assert freed == [A]


def test_a_host_that_moves_is_counted_where_it_started() -> None:
    names = Names(a="192.0.2.1", b="192.0.2.1")
    limiter = AddressLimiter(HostLimiter(HostLimits(concurrency=1), clock=lambda: names.now), names.book)
    limiter.started(A)
    names.table[A] = ["192.0.2.2"]
    assert names.book.known(A) == "192.0.2.2"
    assert not limiter.may_start(A)
    limiter.ended(A, sent=False)
    limiter.started(B)
    assert limiter.may_start(A), "it is somewhere else now"


def test_a_refused_port_takes_no_rest_off_that_another_host_of_its_address_asked_for() -> None:
    names = Names(a="192.0.2.1", b="192.0.2.1")
    limiter = AddressLimiter(HostLimiter(HostLimits(), clock=lambda: names.now), names.book)
    limiter.answered(A, 429, names.now, 0.1, 60.0)
    limiter.forget(f"{B}:81")
    assert limiter.next_at(A) == names.now + 60
    gone = limiter.key_of("http://gone.example/")
    limiter.answered(gone, None, names.now, 0.1)
    assert not limiter.may_start(gone)
    limiter.forget(gone)
    assert limiter.may_start(gone), "a name without address stands for itself alone"


@pytest.mark.parametrize("host", ["127.1", "2130706433", "127.0.0.1:8080", "0x7f.1"])
def test_an_address_is_counted_once_however_it_is_written(host: str) -> None:
    assert literal_address_of(host) == "127.0.0.1"
