"""The fleet's register and the shared knowledge in a real Redis: taken once, returned when their holder is silent."""

from __future__ import annotations

import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import redis

from gwc_crawler.errors import KnowledgeError, OutageError, StoreError
from gwc_crawler.items import UrlState
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.operate.fleet import register as fleet_module
from gwc_crawler.operate.fleet.plan import SiteEntry
from gwc_crawler.operate.fleet.register import Fleet, LearningLock, SharedKnowledge, SiteLease
from tests.frontier.behaviour import Clock
from tests.processes import wait_until


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fleet(client: redis.Redis, clock: Clock) -> Fleet:
    return Fleet(client, share=100, clock=clock)


def names(fleet: Fleet, state: UrlState) -> list[str]:
    return [entry.name for entry in fleet.sites() if entry.state == state]


def taken(lease: SiteLease | None) -> SiteLease:
    assert lease is not None
    return lease


def test_each_site_is_taken_once_and_known_ones_are_not_entered_again(fleet: Fleet) -> None:
    assert fleet.enrol([SiteEntry("a"), SiteEntry("b")]) == ["a", "b"]
    assert {taken(fleet.take("one")).name, taken(fleet.take("two")).name} == {"a", "b"}
    assert fleet.enrol([SiteEntry("a"), SiteEntry("c")]) == ["c"]
    assert taken(fleet.take("three")).name == "c"
    assert fleet.take("four") is None
    assert names(fleet, UrlState.RUNNING) == ["a", "b", "c"]


def test_no_more_sites_are_adopted_than_there_is_room_for(fleet: Fleet) -> None:
    small = Fleet(fleet.server, max_sites=2)
    assert small.enrol(SiteEntry(name, adopted=True) for name in "abc") == ["a", "b"]
    assert small.enrol([SiteEntry("c", adopted=True), SiteEntry("named")]) == ["named"]


def test_a_worker_is_given_what_it_can_crawl(fleet: Fleet) -> None:
    fleet.enrol([SiteEntry("a"), SiteEntry("b")])
    assert taken(fleet.take("one", lambda entry: entry.name == "b")).name == "b"
    assert fleet.take("one", lambda entry: entry.name == "b") is None


def test_a_big_site_is_shared_and_tells_who_owns_what_of_it(fleet: Fleet) -> None:
    fleet.enrol([SiteEntry("big")])
    first = taken(fleet.take("one"))
    assert fleet.take("two") is None
    first = taken(fleet.beat(first, [100, 100, 100, 100], [0, 2]))
    second = taken(fleet.take("two"))
    second = taken(fleet.beat(second, [90, 90, 90, 90], [1]))
    assert [(one.owner, one.parts) for one in second.entry.holders] == [("one", (0, 2)), ("two", (1,))]
    fleet.leave(second)
    assert [one.owner for one in taken(fleet.beat(first)).entry.holders] == ["one"]


def test_silence_gives_a_site_back_and_the_late_one_is_refused(fleet: Fleet, clock: Clock) -> None:
    fleet.enrol([SiteEntry("a")])
    late = taken(fleet.take("one"))
    clock.now += 59
    late = taken(fleet.beat(late))
    clock.now += 59
    assert fleet.take("two") is None
    clock.now += 2
    assert names(fleet, UrlState.WAITING) == ["a"]
    again = taken(fleet.take("two"))
    assert fleet.beat(late) is None
    assert not fleet.end(late, UrlState.COMPLETE)
    fleet.leave(late)
    assert taken(fleet.beat(again)).entry.state == UrlState.RUNNING


def test_a_site_that_rests_is_left_alone_until_then(fleet: Fleet, clock: Clock) -> None:
    fleet.enrol([SiteEntry("a")])
    fleet.leave(taken(fleet.take("one")), rest_until=clock.now + 30)
    assert fleet.take("one") is None
    clock.now += 30
    assert taken(fleet.take("one")).name == "a"


def test_an_ended_site_stays_so_until_it_is_opened_again(fleet: Fleet) -> None:
    fleet.enrol([SiteEntry("a"), SiteEntry("b")])
    first, second = taken(fleet.take("one")), taken(fleet.take("one"))
    assert fleet.end(first, UrlState.COMPLETE)
    fleet.end(second, UrlState.ERROR, "no answer")
    entry = fleet.site(second.name)
    assert entry is not None
    assert (entry.state, entry.reason) == (UrlState.ERROR, "no answer")
    assert fleet.take("one") is None
    assert fleet.reopen({UrlState.ERROR}) == [second.name]
    assert taken(fleet.take("one")).name == second.name
    fleet.forget(first.name)
    assert fleet.site(first.name) is None


def test_many_at_once_take_each_site_once(client: redis.Redis) -> None:
    fleet = Fleet(client, share=100)
    fleet.enrol(SiteEntry(f"s{number}") for number in range(60))
    seen: list[str] = []

    def work(owner: str) -> None:
        while (lease := fleet.take(owner)) is not None:
            seen.append(lease.name)
            fleet.beat(lease, [3, 4])
            fleet.end(lease, UrlState.COMPLETE)

    threads = [threading.Thread(target=work, args=(f"w{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(seen) == {f"s{number}": 1 for number in range(60)}
    assert len(names(fleet, UrlState.COMPLETE)) == 60


def test_found_hosts_are_counted(fleet: Fleet) -> None:
    fleet.report({"a.example": 2, "b.example": 1})
    fleet.report({"b.example": 4})
    fleet.report({})
    assert fleet.found() == {"b.example": 5, "a.example": 2}
    assert fleet.found(1) == {"b.example": 5}


def test_made_up_hosts_do_not_fill_the_register(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "FOUND_HOSTS", 20)
    fleet.report({"often.example": 3, "twice.example": 2})
    for page in range(10):
        fleet.report({f"{page}-{number}.example": 1 for number in range(50)})
        assert len(fleet.found()) == 20
    fleet.report({"late.example": 2})
    assert list(fleet.found(3)) == ["often.example", "twice.example", "late.example"]


def test_an_entry_of_another_hand_is_named(fleet: Fleet, client: redis.Redis) -> None:
    client.hset("{fleet}:sites", "a", "no JSON")
    with pytest.raises(StoreError, match="no JSON"):
        fleet.sites()


def test_a_redis_that_is_away_is_an_outage() -> None:
    with pytest.raises(OutageError):
        Fleet(redis.Redis(port=9, retry=None)).take("one")


def test_it_works_on_a_redis_cluster(cluster: redis.RedisCluster) -> None:
    fleet = Fleet(cluster)
    fleet.enrol([SiteEntry("a"), SiteEntry("b")])
    fleet.report({"c.example": 1})
    assert taken(fleet.take("one")).name in ("a", "b")
    assert len(fleet.sites()) == 2
    assert fleet.found() == {"c.example": 1}
    with LearningLock(cluster, "a", "one", 10) as lock:
        assert lock.take()


# --- knowledge --------------------------------------------------------------------------------------------------------


def write(path: Path, *, site: str = "shop", at: float = 1000.0) -> Path:
    Knowledge(site, "best", (), (), 3).save(path)
    os.utime(path, (at, at))
    return path


def site_of(path: Path) -> Any:
    return Knowledge.load(path).site


def test_knowledge_reaches_every_machine_and_the_newer_one_wins(client: redis.Redis, tmp_path: Path) -> None:
    here = SharedKnowledge(client, "shop", tmp_path / "here" / "knowledge.json")
    there = SharedKnowledge(client, "shop", tmp_path / "there" / "knowledge.json")
    assert not here.sync()
    write(here.path, site="old", at=1000.0)
    assert here.sync()
    assert there.sync()
    assert there.path.read_bytes() == here.path.read_bytes()
    write(there.path, site="new", at=2000.0)
    for one in (here, there, here):
        assert one.sync()
    assert site_of(here.path) == site_of(there.path) == "new"
    assert site_of(here.path.with_name("knowledge.previous.json")) == "old"


def test_knowledge_that_cannot_be_read_is_not_shared(client: redis.Redis, tmp_path: Path) -> None:
    shared = SharedKnowledge(client, "shop", tmp_path / "knowledge.json")
    shared.path.write_text("{")
    with pytest.raises(KnowledgeError):
        shared.sync()
    assert client.hgetall("{shop}:knowledge") == {}
    shared.path.unlink()
    shared.path.mkdir()
    with pytest.raises(KnowledgeError, match="Is a directory"):
        shared.sync()
    shared.path.rmdir()
    with pytest.raises(KnowledgeError, match=r"beside the site file: more than 60"):
        shared.sync(b"[" * 100_000)


@pytest.mark.parametrize(
    ("text", "at", "named"),
    [
        (b"[" * 100_000, b"5", r"\{shop\}:knowledge, field text: more than 60"),
        (b"\xff", b"5", "field text:1: byte 0xff is not UTF-8"),
        (b'{"version": 9}', b"5", "field text: version: 9 is newer"),
        (b"{}", b"noon", "field at: b'noon' is no time"),
        (b"{}", None, "field at: None is no time"),
    ],
)
def test_damaged_knowledge_in_redis_is_named_and_not_taken_over(
    client: redis.Redis, tmp_path: Path, text: bytes, at: bytes | None, named: str
) -> None:
    client.hset("{shop}:knowledge", mapping={"text": text} | ({} if at is None else {"at": at}))
    shared = SharedKnowledge(client, "shop", tmp_path / "knowledge.json")
    with pytest.raises(KnowledgeError, match=named):
        shared.sync()
    assert not shared.path.exists()


def test_a_directory_that_cannot_be_made_is_named(client: redis.Redis, tmp_path: Path) -> None:
    here = SharedKnowledge(client, "shop", tmp_path / "here" / "knowledge.json")
    write(here.path, site="shop", at=1000.0)
    here.sync()
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="set GWC_DATA_DIR"):
        SharedKnowledge(client, "shop", tmp_path / "file" / "shop" / "knowledge.json").sync()


def test_one_learns_at_a_time_and_a_killed_one_is_noticed(client: redis.Redis) -> None:
    first, second = (LearningLock(client, "shop", owner, 1.0) for owner in ("a", "b"))
    assert first.take()
    assert not second.take()
    assert second.holder() == "a"
    client.pexpire("{shop}:learning", 300)
    wait_until(lambda: client.pttl("{shop}:learning") > 500)  # extended by its thread
    first.release("too few pages")
    assert second.holder() is None
    assert second.failure() == "too few pages"
    assert second.take()
    assert second.failure() is None
    client.set("{shop}:learning", "c")
    second.release()
    assert first.holder() == "c", "another's lock is left alone"
