"""What the cache keeps, for how long, and what it costs: with a clock of the test's, nobody waits for anything."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler import DnsCache
from gwc_crawler.errors import NameServerError, NoAddressError
from gwc_crawler.network import dns_cache as caching
from gwc_crawler.network.dns_cache import DnsCounts, DnsOptions, KeptName, read_hosts_file, read_overrides
from gwc_crawler.network.dns_servers import DnsAnswer
from gwc_crawler.store.sqlite.side_file import NAMES_DB, NameFile

A, B = ("192.0.2.1",), ("192.0.2.2",)


class Names:
    """A source of answers; `table` has addresses and seconds, or an error."""

    def __init__(self, memory: Any = None, **options: Any) -> None:
        self.table: dict[str, DnsAnswer | Exception] = {}
        self.asked: Counter[str] = Counter()
        self.now = 1_000_000.0
        self.gate: asyncio.Event | None = None
        self.cache = DnsCache(self.ask, DnsOptions(**options), memory, lambda: self.now, dict)

    async def ask(self, name: str) -> DnsAnswer:
        self.asked[name] += 1
        if self.gate is not None:
            await self.gate.wait()
        answer = self.table.get(name, DnsAnswer((), 30.0))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def at(self, name: str, *addresses: str, ttl: float = 60.0) -> None:
        self.table[name] = DnsAnswer(addresses, ttl)

    async def look(self, name: str) -> Sequence[str]:
        """Look a name up, and have what was started behind the back come to its end."""
        found = await self.cache.addresses_of(name)
        await self.settle()
        return found

    async def settle(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


def test_a_name_is_asked_for_once_for_all_who_want_it() -> None:
    async def test() -> None:
        names = Names()
        names.at("a.test", *A)
        names.gate = asyncio.Event()
        waiting = [asyncio.create_task(names.look("a.test")) for _ in range(100)]
        await names.settle()
        waiting[7].cancel()
        names.gate.set()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert [one for one in found if not isinstance(one, BaseException)] == [A] * 99
        assert await names.look("A.Test.") == A
        assert names.asked == {"a.test": 1}
        assert names.cache.known("a.test") == A

    run(test)


def test_only_so_many_questions_are_under_way() -> None:
    async def test() -> None:
        names = Names(at_once=3)
        names.gate = asyncio.Event()
        waiting = [asyncio.create_task(names.look(f"{number}.test")) for number in range(9)]
        await names.settle()
        assert names.asked.total() == 3
        names.gate.set()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert names.asked.total() == 9

    run(test)


@pytest.mark.parametrize(
    ("ttl", "holds"), [(0, 10), (4, 10), (60, 60), (86_400, 1000), (2**31, 1000)], ids=lambda value: str(value)
)
def test_an_address_holds_as_long_as_its_server_says_within_bounds(ttl: float, holds: float) -> None:
    async def test() -> None:
        names = Names(min_seconds=10.0, max_seconds=1000.0)
        names.at("a.test", *A, ttl=ttl)
        assert await names.look("a.test") == A
        names.at("a.test", *B, ttl=ttl)
        names.now += holds * 0.89
        assert await names.look("a.test") == A
        assert names.asked.total() == 1
        names.now += holds * 0.11 + 0.01
        assert await names.look("a.test") == B

    run(test)


def test_a_name_in_use_is_asked_for_before_its_time_is_over_and_nobody_waits() -> None:
    async def test() -> None:
        names = Names()
        names.at("a.test", *A, ttl=100.0)
        await names.look("a.test")
        names.at("a.test", *B, ttl=100.0)
        names.now += 95
        assert await names.look("a.test") == A
        assert names.cache.known("a.test") == B, "the new one is there already"
        assert names.asked.total() == 2

    run(test)


def test_that_there_is_none_holds_too_but_not_for_long() -> None:
    async def test() -> None:
        names = Names(negative_seconds=50.0)
        names.at("a.test", ttl=3600.0)
        for _ in range(3):
            with pytest.raises(NoAddressError, match="it has none"):
                await names.look("a.test")
        assert names.asked.total() == 1
        names.at("a.test", *A)
        names.now += 51
        assert await names.look("a.test") == A

    run(test)


def test_a_name_server_that_is_dead_for_a_minute_costs_nothing_for_names_that_are_known() -> None:
    async def test() -> None:
        names = Names(min_seconds=1.0)
        for number in range(50):
            names.at(f"{number}.test", f"192.0.2.{number}", ttl=20.0)
            await names.look(f"{number}.test")
        names.table = dict.fromkeys(names.table, NameServerError("dead"))
        names.asked.clear()
        for _ in range(60):
            names.now += 1
            for number in range(50):
                assert await names.look(f"{number}.test") == (f"192.0.2.{number}",)
        assert names.asked.total() <= 50 * 3, "each is tried again every half minute"
        assert names.cache.counts.failures == names.asked.total()
        for number in range(50):
            names.at(f"{number}.test", "192.0.2.200", ttl=20.0)
        names.now += 31
        assert await names.look("7.test") == ("192.0.2.200",)

    run(test)


def test_a_silent_name_server_is_waited_for_once_and_not_by_each_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "STALE_ANSWER_SECONDS", 0.01)

    async def test() -> None:
        names = Names()
        for name in ("a.test", "b.test"):
            names.at(name, *A, ttl=20.0)
            await names.look(name)
        names.now += 100
        names.gate = asyncio.Event()
        assert await names.look("a.test") == A, "the old one, after a short wait"
        names.table["a.test"] = NameServerError("silent")
        names.gate.set()
        await names.settle()
        names.gate = asyncio.Event()
        monkeypatch.setattr(caching, "STALE_ANSWER_SECONDS", 3600)
        assert await names.look("b.test") == A, "at once: no server answers, as is known by now"
        assert names.cache.counts.stale >= 2
        await names.cache.close()

    run(test)


def test_without_an_old_address_a_failure_is_an_error_that_is_tried_again_soon() -> None:
    async def test() -> None:
        names = Names()
        names.table["a.test"] = NameServerError("SERVFAIL")
        for _ in range(3):
            with pytest.raises(NameServerError, match="SERVFAIL"):
                await names.look("a.test")
        assert names.asked.total() == 1
        names.at("a.test", *A)
        names.now += caching.FAILURE_HOLDS_SECONDS
        assert await names.look("a.test") == A

    run(test)


def test_an_old_address_is_too_old_in_the_end() -> None:
    async def test() -> None:
        names = Names(stale_seconds=100.0)
        names.at("a.test", *A, ttl=20.0)
        await names.look("a.test")
        names.table["a.test"] = NameServerError("dead")
        names.now += 119
        assert await names.look("a.test") == A
        names.now += 40
        with pytest.raises(NameServerError):
            await names.look("a.test")

    run(test)


def test_whatever_a_source_raises_is_a_failure_of_the_name() -> None:
    async def test() -> None:
        names = Names()
        names.table["a.test"] = ZeroDivisionError("oops")
        with pytest.raises(NameServerError, match="oops"):
            await names.look("a.test")

    run(test)


def test_an_address_that_fails_comes_last_for_a_while() -> None:
    async def test() -> None:
        names = Names()
        names.at("a.test", "192.0.2.1", "192.0.2.2", "192.0.2.3", ttl=3600.0)
        await names.look("a.test")
        names.cache.failed("a.test", "192.0.2.1")
        assert await names.look("a.test") == ["192.0.2.2", "192.0.2.3", "192.0.2.1"]
        names.now += caching.ADDRESS_REST_SECONDS
        assert await names.look("a.test") == ["192.0.2.1", "192.0.2.2", "192.0.2.3"]

    run(test)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("192.0.2.7", ("192.0.2.7",)),
        ("[2001:db8::1]", ("2001:db8::1",)),
        ("2130706433", ("127.0.0.1",)),
        ("localhost", ("127.0.0.1", "::1")),
        ("a.localhost", ("127.0.0.1", "::1")),
    ],
)
def test_what_needs_no_question(host: str, found: tuple[str, ...]) -> None:
    async def test() -> None:
        names = Names()
        assert await names.look(host) == found
        assert not names.asked

    run(test)


@pytest.mark.parametrize("host", ["", "a..test", "x" * 64, "a b", "1.2.3.4.5", "é.test"])
def test_what_is_no_name_is_not_asked_for(host: str) -> None:
    async def test() -> None:
        names = Names()
        with pytest.raises(NoAddressError, match="no host name"):
            await names.look(host)
        assert not names.asked

    run(test)


def test_without_waiting_old_news_are_better_than_none_and_are_renewed() -> None:
    async def test() -> None:
        names = Names()
        names.at("a.test", *A)
        assert names.cache.peek("a.test") is None
        names.cache.want("a.test")
        await names.settle()
        assert names.cache.peek("a.test") == A
        names.at("a.test", *B)
        names.now += 61
        names.cache.want("a.test")
        assert names.cache.peek("a.test") == A
        await names.settle()
        assert names.cache.peek("a.test") == B

    run(test)
    Names().cache.want("a.test")  # outside of an event loop nothing happens


# --- what is left out when there are too many -------------------------------------------------------------------------


def test_popular_names_stay_when_the_table_is_full() -> None:
    async def test() -> None:
        names = Names(size=100)
        popular = [f"popular{number}.test" for number in range(20)]
        for name in popular:
            names.at(name, *A, ttl=3600.0)
        for number in range(3000):
            names.at(f"{number}.test", *B, ttl=3600.0)
            await names.cache.addresses_of(f"{number}.test")
            await names.cache.addresses_of(popular[number % 20])
        assert len(names.cache) == 100
        assert max(names.asked[name] for name in popular) == 1

    run(test)


# --- what outlives the process ----------------------------------------------------------------------------------------


def test_the_next_run_and_the_neighbours_ask_nobody(tmp_path: Path) -> None:
    async def first() -> None:
        names = Names(NameFile(tmp_path / NAMES_DB, clock=lambda: 1_000_000.0))
        names.at("a.test", *A, ttl=600.0)
        await names.look("a.test")
        names.cache.flush()
        neighbour = Names(NameFile(tmp_path / NAMES_DB, clock=lambda: 1_000_000.0))
        assert await neighbour.look("a.test") == A
        assert not neighbour.asked
        neighbour.now += 700
        neighbour.at("a.test", *B)
        assert await neighbour.look("a.test") == B
        neighbour.cache.flush()
        names.now += 700
        assert await names.look("a.test") == B, "the neighbour has asked meanwhile"
        assert names.asked.total() == neighbour.asked.total() == 1
        third = Names(NameFile(tmp_path / NAMES_DB, clock=lambda: 1_000_000.0))
        third.now += 700
        third.cache.want("a.test")
        assert (third.cache.peek("a.test"), third.asked.total()) == (B, 0)
        await names.cache.close()

    run(first)
    size, counts = NameFile(tmp_path / NAMES_DB).totals()
    assert (size, counts) == (1, DnsCounts(lookups=4, hits=2, queries=2))


def test_after_a_restart_old_addresses_serve_while_no_name_server_answers(tmp_path: Path) -> None:
    async def test() -> None:
        names = Names(NameFile(tmp_path / NAMES_DB, clock=lambda: 1_000_000.0))
        names.at("a.test", *A, ttl=60.0)
        await names.look("a.test")
        await names.cache.close()
        later = Names(NameFile(tmp_path / NAMES_DB, clock=lambda: 1_000_000.0))
        later.now += 3600
        later.table["a.test"] = NameServerError("dead")
        assert await later.look("a.test") == A

    run(test)


def test_a_time_of_a_clock_that_was_wrong_is_not_believed() -> None:
    class Memory:
        def recall(self, name: str) -> KeptName:
            return KeptName(name, A, 9e9, 9.1e9)

        def keep(self, names: Iterable[KeptName], counts: DnsCounts) -> None:
            pass

    async def test() -> None:
        names = Names(Memory())
        names.at("a.test", *B)
        assert await names.look("a.test") == B

    run(test)


def test_a_file_that_is_none_costs_the_memory_and_not_the_crawl(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / NAMES_DB).write_bytes(b"no database" * 1000)

    async def test() -> None:
        names = Names(NameFile(tmp_path / NAMES_DB, clock=lambda: 1_000_000.0))
        names.at("a.test", *A)
        assert await names.look("a.test") == A
        await names.cache.close()

    run(test)
    assert caplog.text.count("addresses are not kept for the next run") == 1


# --- addresses that a person has written ------------------------------------------------------------------------------


def test_the_file_of_hosts(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_bytes(b"127.0.0.1 localhost # this one\n\n10.0.0.1\tA.test  b.test\n::1 a.test\nodd x.test\n\xff\xfe\n")
    assert read_hosts_file(path) == {
        "localhost": ("127.0.0.1",),
        "a.test": ("10.0.0.1", "::1"),
        "b.test": ("10.0.0.1",),
    }
    assert read_hosts_file(tmp_path / "none") == {}


@pytest.mark.parametrize(
    "table", [{"": "1.2.3.4"}, {"a.test": "b.test"}, {"a.test": []}, {"a.test": 7}, {"a.test": [7]}]
)
def test_what_is_no_table_of_addresses(table: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"no address|no host name"):
        read_overrides(table)
