"""What can be seen of a shared frontier without joining it, and without walking over all of its URLs."""

from __future__ import annotations

import time

import pytest
import redis

from gwc_crawler.frontier.redis import stats as redis_stats
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.frontier.redis.stats import RedisLook
from gwc_crawler.items import Done, Failure, Link, PageKind, UrlState

A, B = "http://a.example", "http://b.example"


def look_at(client: redis.Redis) -> RedisLook:
    return RedisLook(client, "{shop}:requests", "{shop}:dupefilter")


def test_states_queues_reasons_and_rests(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop", max_weight=5)
    frontier.add([Link(f"{A}/{n}", depth=1) for n in range(5)])
    frontier.add([Link(f"{B}/{n}", weight=2, depth=1) for n in range(3)])
    first, second, third, fourth = frontier.lease(4, "one:1")
    frontier.complete([Done(first, first.url, PageKind.TARGET, relevant=True)])
    frontier.fail(second, Failure("HTTP 404"))
    frontier.fail(third, Failure("HTTP 503", retry_at=time.time() + 100))
    frontier.pause_host("b.example", time.time() + 50)

    look = look_at(client)
    assert look.exists()
    told = look.stats()
    assert told.states == {"U": 5, "R": 1, "C": 1, "E": 1}
    assert told.weights == {0: 1, 2: 3}
    assert told.hosts == {"b.example": 3, "a.example": 1}
    assert told.reasons == {"HTTP 404": 1}, "what waits for another try is no error"
    assert (told.later, told.left_out) == (1, {"queues": 0, "reasons": 0})
    assert 40 < told.resting["b.example"] - time.time() <= 50
    until = look.rests_until(f"{B}/1")
    assert until is not None
    assert abs(until - told.resting["b.example"]) < 1
    assert look.rests_until(f"{A}/1") is None
    found = look.find(fourth.url)
    assert found is not None
    assert (found.state, found.owner) == (UrlState.RUNNING, "one:1")
    assert [one.url for one in look.select(states=[UrlState.ERROR])] == [second.url]
    assert look.limits().rejections == {}


def test_looking_changes_nothing(client: redis.Redis) -> None:
    look = look_at(client)
    assert not look.exists()
    assert look.stats().states == {"U": 0, "R": 0, "C": 0, "E": 0}
    assert client.dbsize() == 0
    RedisFrontier(client, "shop", max_weight=3).add([Link(f"{A}/1", weight=1)])
    before = {key: client.dump(key) for key in client.scan_iter()}
    look.stats(), look.find(f"{A}/1"), look.select(), look.rests_until(f"{A}/1"), look.limits()
    assert {key: client.dump(key) for key in client.scan_iter()} == before


def test_of_many_queues_some_are_looked_at(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = RedisFrontier(client, "shop", known_urls=10)
    frontier.add([Link(f"http://h{n}.example/", depth=1) for n in range(3000)])
    monkeypatch.setattr(redis_stats, "LOOKED", 1000)
    before = client.info("commandstats")["cmdstat_evalsha"]["calls"]
    told = look_at(client).stats()
    assert told.states["U"] == 3000
    assert sum(told.hosts.values()) == 1000
    assert told.left_out["queues"] == 2000
    assert client.info("commandstats")["cmdstat_evalsha"]["calls"] - before <= 3
