"""Queue assignment: which queue a URL belongs to, and which part a queue. What a frontier makes of it: `behaviour`."""

from __future__ import annotations

from collections import Counter

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.frontier.queues import RoleQueues, bkdr_queue, column_queue, part_of, queue_name, queue_policy

PAGES = [f"http://a.example/p/{n}" for n in range(1600)]


def first_letter(url: str) -> str:
    """A user's own policy."""
    return url.rpartition("/")[2][:1]


def test_bkdr_spreads_one_host_evenly() -> None:
    sizes = Counter(bkdr_queue(url, 16) for url in PAGES)
    assert len(sizes) == 16
    assert max(sizes.values()) < 2 * min(sizes.values())


def test_bkdr_never_mixes_hosts() -> None:
    one, other = ({bkdr_queue(f"http://{host}/p/{n}", 4) for n in range(100)} for host in ("a.example", "b.example"))
    assert not one & other


@pytest.mark.parametrize("multiplier", [31, 131, 1313])
def test_the_seed_of_bkdr_matters(multiplier: int) -> None:
    assign = queue_policy("bkdr", queues=8, multiplier=multiplier)
    assert {assign(url) for url in PAGES} == {f"a.example#{n}" for n in range(8)}
    assert [assign(url) for url in PAGES] == [bkdr_queue(url, 8, multiplier) for url in PAGES]


@pytest.mark.parametrize(
    ("url", "queue"),
    [
        ("http://a.example/", "a.example"),
        ("http://a.example/index.html?page=/x/y", "a.example"),
        ("http://a.example/sport/", "a.example/sport"),
        ("http://a.example:81/sport/2020/1.html", "a.example:81/sport"),
    ],
)
def test_a_column_is_the_first_directory(url: str, queue: str) -> None:
    assert column_queue(url) == queue


def test_an_own_policy_is_named_by_its_path() -> None:
    assert queue_policy(f"{__name__}.first_letter")("http://a.example/p/xyz") == "x"


@pytest.mark.parametrize("name", ["", "hots", "no.such.module", "gwc_crawler.frontier.queues.nothing"])
def test_an_unknown_policy_says_what_there_is(name: str) -> None:
    with pytest.raises(InputError, match="host, bkdr, column, ip"):
        queue_policy(name)


def test_what_is_split_off_a_host_is_spread_over_the_parts() -> None:
    assert len({part_of(f"a.example#{n} a.example", 16) for n in range(16)}) >= 8
    assert {part_of(f"host{n}.example", 16) for n in range(200)} == set(range(16))


def test_targets_stay_in_the_part_of_their_host() -> None:
    queues = RoleQueues()
    queues.is_target = lambda url: "/p/" in url
    names = {queue_name(url, queues) for url in (PAGES[0], "http://a.example/")}
    assert len(names) == 2
    assert len({part_of(name, 256) for name in names}) == 1


def test_addresses_of_one_range_are_one_part() -> None:
    ranges = {part_of(f"192.0.{n}.{m} h{m}.example", 256) for n in range(40) for m in (1, 200)}
    assert 20 < len(ranges) <= 40
    assert part_of("2001:db8::1 a.example", 256) == part_of("2001:db8:0:ff::2 b.example", 256)
