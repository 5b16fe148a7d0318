"""Queue assignment: which queue a URL belongs to, and that hosts stay apart in the frontier whatever the policy."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gwc_crawler.database import Database
from gwc_crawler.errors import InputError
from gwc_crawler.frontier import SqliteFrontier, queue_policy
from gwc_crawler.frontier.queues import AddressBook, bkdr_queue, column_queue
from gwc_crawler.items import Link

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


def test_hosts_at_one_address_share_a_queue_and_are_resolved_once() -> None:
    asked: list[str] = []

    def resolve(name: str) -> str:
        asked.append(name)
        if name == "gone.example":
            raise OSError("no such name")
        return "192.0.2.1"

    book = AddressBook(resolve)
    assert {book.address_of(host) for host in ("a.example", "b.example:81", "a.example")} == {"192.0.2.1"}
    assert book.address_of("gone.example") == "gone.example"
    assert asked.count("a.example") == 1


def test_an_own_policy_is_named_by_its_path() -> None:
    assert queue_policy(f"{__name__}.first_letter")("http://a.example/p/xyz") == "x"


@pytest.mark.parametrize("name", ["", "hots", "no.such.module", "gwc_crawler.frontier.queues.nothing"])
def test_an_unknown_policy_says_what_there_is(name: str) -> None:
    with pytest.raises(InputError, match="host, bkdr, column, ip"):
        queue_policy(name)


def waiting(frontier: SqliteFrontier, count: int = 100) -> set[str]:
    return {lease.url for lease in frontier.lease(count, "worker")}


@pytest.mark.parametrize("name", ["host", "bkdr", "column", f"{__name__}.first_letter"])
def test_the_frontier_gives_everything_once_whatever_the_policy(tmp_path: Path, name: str) -> None:
    urls = {f"http://{host}.example/{part}/{n}" for host in "ab" for part in "xy" for n in range(10)}
    with Database(tmp_path / "crawl.db") as database:
        frontier = SqliteFrontier(database, queue_of=queue_policy(name, queues=4))
        frontier.add([Link(url) for url in sorted(urls)])
        assert waiting(frontier) == urls


@pytest.mark.parametrize("name", ["host", "bkdr", "column", f"{__name__}.first_letter"])
def test_a_paused_host_keeps_no_other_waiting_whatever_the_policy(tmp_path: Path, name: str) -> None:
    now = 1000.0
    urls = [f"http://{host}.example/{part}/{n}" for host in "ab" for part in "xy" for n in range(10)]
    with Database(tmp_path / "crawl.db") as database:
        frontier = SqliteFrontier(database, queue_of=queue_policy(name, queues=4), clock=lambda: now)
        frontier.add([Link(url) for url in urls])
        frontier.pause_host("a.example", now + 10)
        assert waiting(frontier) == set(urls[20:])
        now += 11
        assert waiting(frontier) == set(urls[:20])


def test_another_policy_leaves_waiting_urls_where_they_are(tmp_path: Path) -> None:
    with Database(tmp_path / "crawl.db") as database:
        for name in ("host", "bkdr", "column"):
            frontier = SqliteFrontier(database, queue_of=queue_policy(name))
            frontier.add([Link(f"http://a.example/{name}/{n}") for n in range(5)])
            frontier.close()
        frontier = SqliteFrontier(database)
        frontier.pause_host("a.example", 1e12)
        assert waiting(frontier) == set()
        frontier.retry("*")
        assert frontier.counts().waiting == 15
