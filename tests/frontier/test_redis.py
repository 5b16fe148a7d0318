"""RedisFrontier keeps the frontier's promises, and those that only a shared server has to keep."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from gwc_crawler.errors import InputError, OutageError, StoreError
from gwc_crawler.frontier.known_urls import KnownUrls
from gwc_crawler.frontier.protocol import Frontier
from gwc_crawler.frontier.queues import part_of, queue_policy
from gwc_crawler.frontier.recrawl import Intervals, Recrawl
from gwc_crawler.frontier.redis import retrying
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.frontier.redis.retrying import RetryingFrontier
from gwc_crawler.frontier.redis.start_urls import StartUrls
from gwc_crawler.frontier.redis.wire import key_of
from gwc_crawler.items import Failure, Link, UrlState
from tests.frontier.behaviour import HOME, Clock, FrontierBehaviour, World, done, page, urls
from tests.frontier.revisit_behaviour import RevisitBehaviour
from tests.redis_server import DURABLE, RedisServer


class RedisWorld(World):
    """Opens a site's queue on one server."""

    client: redis.Redis


def open_redis(client: redis.Redis, *, reopens: bool = False, **options: Any) -> RedisWorld:
    def opening(world: World) -> Frontier:
        return RedisFrontier(client, "shop", clock=world.clock, **world.options)

    world = RedisWorld(opening, lambda world: world.frontier.close(), reopens, dict(options))
    world.client = client
    return world


@pytest.fixture(params=[False, True], ids=["open", "reopened"])
def world(client: redis.Redis, request: pytest.FixtureRequest) -> RedisWorld:
    return open_redis(client, reopens=request.param)


class TestRedisFrontier(FrontierBehaviour):
    """The behaviour suite over RedisFrontier."""


class TestRedisRevisits(RevisitBehaviour):
    """Looking again over RedisFrontier."""


def test_a_worker_that_comes_late_belongs_to_the_round_that_is_over(client: redis.Redis) -> None:
    clock = Clock()
    one, late = (RedisFrontier(client, "shop", clock=clock) for _ in range(2))
    one.add([Link(HOME)])
    for _ in range(2):
        one.complete([done(lease) for lease in one.lease(1, "one")])
        clock.now += 100
        assert one.recrawl(Recrawl.ALL, Intervals()) == 1
    one.complete([done(lease) for lease in one.lease(1, "one")])
    one.close()
    clock.now += 30
    assert late.recrawl(Recrawl.ALL, Intervals()) == 0
    clock.now += 31
    assert late.recrawl(Recrawl.ALL, Intervals()) == 1


def test_complete_urls_that_were_let_go_cant_be_looked_at_again(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop", keep_urls=False)
    frontier.add([Link(HOME)])
    with pytest.raises(InputError, match="GWC_REDIS_KEEP_URLS"):
        frontier.recrawl(Recrawl.DUE, Intervals())
    assert frontier.recrawl(Recrawl.ERRORS, Intervals()) == 0


# --- many workers ---------------------------------------------------------------------------------------------------


def test_two_workers_never_get_the_same_url(client: redis.Redis) -> None:
    one, two = (RedisFrontier(client, "shop") for _ in range(2))
    one.add([Link(page(number)) for number in range(100)])
    leases = [lease for _ in range(10) for lease in (*one.lease(7, "one"), *two.lease(5, "two"))]
    assert len(leases) == len(set(urls(leases))) == 100
    assert (one.counts().running, two.counts().running) == (100, 100)


def test_the_late_one_of_two_workers_with_one_lease_is_refused(client: redis.Redis) -> None:
    """A worker was paused for longer than its lease; meanwhile another has fetched the page."""
    clock = Clock()
    paused, other = (RedisFrontier(client, "shop", clock=clock) for _ in range(2))
    paused.add([Link(HOME)])
    (late,) = paused.lease(1, "paused")
    clock.now += 601
    (current,) = other.lease(1, "other")
    other.complete([done(current, [page(1), page(2)])])
    before = client.dbsize(), other.counts(), [other.find(url) for url in (HOME, page(1), page(2))]
    paused.complete([done(late, [page(1), page(3)], relevant=True)])
    paused.fail(late, Failure("late"))
    paused.release([late])
    paused.extend([late])
    assert not paused.redirect(late, page(4))
    assert paused.outdated == 3
    assert before == (client.dbsize(), other.counts(), [other.find(url) for url in (HOME, page(1), page(2))])
    assert other.find(page(3)) is None
    (one,) = paused.lease(1, "paused")
    paused.complete([done(one, [page(3)])])
    assert other.find(page(3)) is not None, "what a refused page named is not taken for known"


def scripts_run(client: redis.Redis) -> int:
    """Return how many scripts the server has run."""
    return sum(one["calls"] for name, one in client.info("commandstats").items() if "eval" in name)


def test_a_paused_worker_is_told_which_of_its_leases_are_others_by_now(client: redis.Redis) -> None:
    clock = Clock()
    paused, other = (RedisFrontier(client, "shop", clock=clock, lease_seconds=60) for _ in range(2))
    paused.add([Link(page(number)) for number in range(4)])
    leases = paused.lease(3, "paused")
    clock.now += 50
    paused.beat()
    clock.now += 50
    asked = scripts_run(client)
    assert paused.late(leases) == set()
    assert scripts_run(client) == asked, "nothing to ask: the leases were extended"
    clock.now += 20
    taken = other.lease(3, "other")
    assert {lease.url for lease in taken} & set(urls(leases))
    late = paused.late(leases)
    assert late == {mine.token for mine in leases if mine.url in urls(taken)}
    assert {lease.token for lease in leases} - late == set(paused.under_way)


def test_a_server_that_lost_its_last_second_gives_no_token_twice(client: redis.Redis) -> None:
    """Else the late one's pages would be taken for those of the one that leased the same URL afterwards."""
    one, two = (RedisFrontier(client, "shop") for _ in range(2))
    one.add([Link(HOME)])
    kept = {key: client.dump(key) for key in client.scan_iter()}
    (forgotten,) = one.lease(1, "one")
    client.flushall()
    for key, value in kept.items():
        client.restore(key, 0, value)
    (current,) = two.lease(1, "two")
    assert (current.url, current.attempt) == (forgotten.url, forgotten.attempt)
    one.complete([done(forgotten, [page(1)])])
    assert (one.outdated, two.counts().running, two.find(page(1))) == (1, 1, None)
    two.complete([done(current, [page(2)])])
    assert two.counts().complete == 1


def test_an_idle_worker_asks_little_while_a_url_waits_for_its_time(client: redis.Redis) -> None:
    clock = Clock()
    frontier = RedisFrontier(client, "shop", clock=clock)
    frontier.add([Link(HOME)])
    (lease,) = frontier.lease(1, "one")
    frontier.fail(lease, Failure("HTTP 503", retry_at=clock.now + 600))
    client.config_resetstat()
    assert frontier.lease(16, "one") == []
    assert not frontier.counts().ready_now
    told: dict[str, dict[str, int]] = client.info("commandstats")  # those of scripts among them
    assert sum(one["calls"] for one in told.values()) <= 20
    clock.now += 601
    assert frontier.counts().ready_now
    assert urls(frontier.lease(16, "one")) == [HOME]


def test_closing_one_worker_hands_back_its_leases_alone(client: redis.Redis) -> None:
    one, two = (RedisFrontier(client, "shop") for _ in range(2))
    one.add([Link(page(number)) for number in range(10)])
    one.lease(4, "one")
    kept = two.lease(4, "two")
    one.close()
    counts = two.counts()
    assert (counts.waiting, counts.running) == (6, 4)
    two.complete([done(lease) for lease in kept])
    assert two.counts().complete == 4


def test_a_beat_keeps_what_is_under_way(client: redis.Redis) -> None:
    world = open_redis(client)
    world.start(HOME, page(1))
    first, _ = world.lease(2)
    world.finish(first)
    for _ in range(5):
        world.clock.now += 400
        world.frontier.beat()  # type: ignore[attr-defined]
    assert world.lease() == []
    world.clock.now += 601
    assert urls(world.lease()) == [page(1)]


def test_what_a_beat_has_kept_goes_back_at_the_end(client: redis.Redis) -> None:
    world, other = open_redis(client), open_redis(client)
    world.start(HOME)
    world.lease(1)
    for _ in range(2):
        world.clock.now += 400
        world.frontier.beat()  # type: ignore[attr-defined]
    world.frontier.close()
    assert other.frontier.counts().waiting == 1


def test_the_servers_clock_counts(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop", lease_seconds=100)
    frontier.add([Link(HOME)])
    (lease,) = frontier.lease(1, "worker")
    assert abs(lease.expires_at - time.time() - 100) < 5


# --- the cache of known URLs ----------------------------------------------------------------------------------------


def test_most_links_are_answered_without_a_question(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop")
    frontier.add([Link(HOME)])
    navigation = [page(f"nav{number}") for number in range(49)]
    fetched = 0
    while fetched < 300 and (leases := frontier.lease(50, "worker")):
        fetched += len(leases)
        frontier.complete([done(lease, [*navigation, page(lease.token)], relevant=True) for lease in leases])
    assert frontier.known.hits / (frontier.known.hits + frontier.known.misses) > 0.8


def test_a_cache_that_knows_more_than_the_server_loses_nothing(client: redis.Redis) -> None:
    world = open_redis(client)
    world.start()
    world.finish(world.lease_one(), [page(1), page("hub")])
    first, hub = world.lease(2)
    world.finish(first, [page(2)])
    for key in client.keys("{shop}:dupefilter:*"):
        client.hdel(key, key_of(page(2)))  # a failover has lost it
    world.finish(hub, [page(2), page(3)], relevant=True)
    assert {page(2), page(3)} <= set(urls(world.lease(9)))


def test_what_is_used_least_is_forgotten_first() -> None:
    known = KnownUrls(10)
    known.learn(["nav1", "nav2"], 0)
    for number in range(200):
        assert known.news(["nav1", "nav2"], 0) == []
        known.learn([f"product{number}"], 0)
        assert len(known) <= 11
    assert known.news(["product0", "product199"], 0) == ["product0"]


def test_a_better_weight_is_news() -> None:
    known = KnownUrls(10)
    known.learn(["a"], 2)
    known.learn(["b"])
    assert known.news(["a", "b"], 2) == ["b"]
    assert known.news(["a"], 1) == ["a"]


# --- growth and memory ----------------------------------------------------------------------------------------------


def test_buckets_grow_one_by_one_and_stay_compact(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop", known_urls=10)
    for start in range(0, 20_000, 1000):
        frontier.add([Link(page(number)) for number in range(start, start + 1000)])
    keys = client.keys("{shop}:dupefilter:*")
    assert {client.object("encoding", key) for key in keys} == {b"listpack"}
    assert sum(client.memory_usage(key) for key in keys) <= 25 * 20_000
    assert sum(client.hlen(key) for key in keys) == 20_000
    assert frontier.add([Link(page(number), 0, 1) for number in range(0, 20_000, 100)]) == 0


def test_complete_urls_need_not_keep_their_text(client: redis.Redis) -> None:
    world = open_redis(client, keep_urls=False, max_weight=2)
    world.start()
    world.finish(world.lease_one(), [page(1), page("hub")])
    one, hub = world.lease(2)
    world.finish(one, [page(2)])
    world.finish(world.lease_one(), [page(3), HOME])
    world.finish(hub, [page(2)], relevant=True)
    assert world.weight(page(2)) == 1
    assert [info.url for info in world.frontier.select()] == urls(world.lease(9)) == [page(3)]
    assert world.frontier.add([Link(page(1), 5, 5)]) == 0
    info = world.frontier.find(page(1))
    assert info is not None
    assert (info.state, info.url) == (UrlState.COMPLETE, page(1))


def test_clearing_leaves_other_sites_alone(client: redis.Redis) -> None:
    shop, other = RedisFrontier(client, "shop"), RedisFrontier(client, "shopping")
    for frontier in (shop, other):
        frontier.add([Link(HOME)])
    shop.clear()
    assert (shop.counts().waiting, other.counts().waiting) == (0, 1)
    assert shop.add([Link(HOME)]) == 1


def test_a_changed_threshold_takes_effect_on_what_is_known(client: redis.Redis) -> None:
    world = open_redis(client, max_weight=1)
    world.start()
    world.finish(world.lease_one(), [page(1)])
    world.finish(world.lease_one(), [page(2)])
    assert world.lease() == []
    world.settle(max_weight=2)
    assert urls(world.lease()) == [page(2)]
    world.settle(max_weight=1)
    assert world.frontier.counts().finished
    world.settle(max_weight=None)
    assert urls(world.lease()) == [page(2)]


def test_the_keys_follow_scrapy_redis(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop", queue_key="q:%(spider)s", dupefilter_key="seen:%(spider)s")
    frontier.add([Link(HOME)])
    assert {key.split(b"}")[0] + b"}" for key in client.scan_iter()} == {b"q:{shop}", b"seen:{shop}"}


# --- start URLs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["list", "set", "zset"])
def test_start_urls_stay_until_they_are_confirmed(client: redis.Redis, kind: str) -> None:
    entries = [
        HOME,
        json.dumps({"url": page(1), "meta": {"job": 7}}),
        "{",
        '{"url": 5}',
        '{"url": "x", "method": "POST"}',
    ]
    if kind == "list":
        client.lpush("shop:start_urls", *entries)
    elif kind == "set":
        client.sadd("shop:start_urls", *entries)
    else:
        client.zadd("shop:start_urls", dict.fromkeys(entries, 1))
    starts = StartUrls(client, "shop:start_urls")
    assert sorted((start.url, start.meta) for start in starts.read(10)) == [(HOME, {}), (page(1), {"job": 7})]
    again = starts.read(10)
    assert len(again) == 2
    for start in again:
        starts.confirm(start.raw)
    assert not client.exists("shop:start_urls")


def test_meta_comes_back_with_the_lease(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop")
    frontier.feed(HOME, {"job": 7})
    (lease,) = frontier.lease(1, "worker")
    assert frontier.meta_of(lease) == {"job": 7}
    frontier.complete([done(lease, [page(1)])])
    (lease,) = frontier.lease(1, "worker")
    assert frontier.meta_of(lease) == {}
    assert not client.exists("{shop}:requests:metas")


# --- outages --------------------------------------------------------------------------------------------------------


def test_nothing_is_forgotten_while_redis_is_away(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with RedisServer(tmp_path, options=DURABLE) as server, server.client() as client:
        now = Clock(0.0)
        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now)
        frontier.add([Link(page(number)) for number in range(6)])
        a, b, c, d = frontier.lease(4, "worker")
        frontier.complete([done(a, [page(10)])])
        server.kill()
        frontier.complete([done(b, [page(11)])])
        frontier.fail(c, Failure("HTTP 404"))
        assert frontier.lease(5, "worker") == []
        assert not frontier.redirect(d, page(12))
        frontier.beat()
        counts = frontier.counts()
        assert frontier.away
        assert not counts.finished
        assert counts.next_ready_at is not None
        server.start()
        assert frontier.lease(5, "worker") == [], "it rests between its questions"
        now.now += 20
        assert urls(frontier.lease(5, "worker")) == [page(4), page(5), page(10), page(11)]
        assert not frontier.away
        states = [info.state for number in range(4) if (info := frontier.find(page(number)))]
        assert states == ["C", "C", "E", "R"]
        frontier.close()
        assert RedisFrontier(client, "shop").counts().running == 0
    log = [record.message for record in caplog.records]
    assert sum("the crawl pauses until Redis is back" in line for line in log) == 1
    assert sum("Redis is back" in line for line in log) == 2  # the other is the one that says it pauses


def test_what_redis_lost_with_its_last_second_is_sent_again(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server, server.client() as client:
        now = Clock(0.0)
        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now)
        frontier.add([Link(page(number)) for number in range(3)])
        a, b, c = frontier.lease(3, "worker")
        frontier.complete([done(a, [page(10)])])
        client.save()
        now.now += 2
        frontier.complete([done(b, [page(11)])])
        frontier.fail(c, Failure("HTTP 404"))
        server.kill()
        assert frontier.lease(1, "worker") == []
        server.start()
        assert frontier.shared.counts().running == 2, "the server has forgotten how two leases ended"
        now.now += 20
        counts = frontier.counts()
        assert (counts.waiting, counts.running, counts.complete, counts.error, counts.outdated) == (2, 0, 2, 1, 0)


def test_a_restart_between_two_questions_is_found_out(tmp_path: Path) -> None:
    """The client connects anew without a word; what it takes for known, the server may have lost."""
    with RedisServer(tmp_path, options=("--appendonly", "yes")) as server, server.client() as client:
        now = Clock(0.0)
        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now)
        frontier.add([Link(page(number)) for number in range(3)])
        a, b = frontier.lease(2, "worker")
        size = server.log_bytes()
        frontier.complete([done(a, [page(10)])])
        now.now += 3
        server.lose_power(size)
        frontier.complete([done(b, [page(10)])])
        assert frontier.find(page(10)) is None, "the link is lost: it was known here"
        assert frontier.lease(1, "worker") == []
        assert frontier.away
        now.now += 1
        assert urls(frontier.lease(9, "worker")) == [page(2), page(10)]
        assert frontier.counts().complete == 2


def test_a_restart_soon_after_an_outage_is_found_out(tmp_path: Path) -> None:
    """Nothing was leased between them, so no lease can have said which server it came from."""
    with RedisServer(tmp_path, options=("--appendonly", "yes")) as server, server.client(socket_timeout=0.2) as client:
        now = Clock(0.0)
        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now)
        frontier.add([Link(page(0))])
        (a,) = frontier.lease(1, "worker")
        with server.hanging():
            frontier.beat()
        assert frontier.away
        now.now += 1
        assert frontier.counts().running == 1
        assert not frontier.away
        size = server.log_bytes()
        frontier.complete([done(a, [page(10)])])
        server.lose_power(size)
        assert frontier.lease(1, "worker") == []
        assert frontier.away, "the server has forgotten that the page is complete, and its link"
        now.now += 1
        assert urls(frontier.lease(9, "worker")) == [page(10)]
        assert frontier.counts().complete == 1


def test_a_restart_before_the_first_lease_is_found_out(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server, server.client() as client:
        now = Clock(0.0)
        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now)
        frontier.add([Link(HOME)])
        server.kill()
        server.start()
        assert frontier.lease(1, "worker") == []
        now.now += 1
        assert urls(frontier.lease(1, "worker")) == [HOME], "the start was lost before anybody leased"


def test_a_crawl_begins_anew_when_redis_comes_back_empty(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server, server.client() as client:
        now = Clock(0.0)
        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now)
        frontier.add([Link(HOME)])
        frontier.lease(1, "worker")
        server.kill()
        assert frontier.lease(1, "worker") == []
        server.start()
        now.now += 20
        assert urls(frontier.lease(1, "worker")) == [HOME]


def test_of_start_urls_from_outside_the_latest_are_sent_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may be millions; those of the site are never too many."""
    monkeypatch.setattr(retrying, "KEPT_URLS", 2)
    with RedisServer(tmp_path) as server, server.client() as client:
        now = Clock(0.0)
        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now)
        frontier.add([Link(HOME)])
        for number in range(5):
            frontier.feed(page(number), {})
        server.kill()
        assert frontier.lease(1, "worker") == []
        server.start()
        now.now += 20
        assert urls(frontier.lease(9, "worker")) == [HOME, page(3), page(4)]


def test_a_worker_that_has_to_close_during_an_outage_says_what_is_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with RedisServer(tmp_path) as server, server.client() as client:
        now = Clock(0.0)

        def sleep(seconds: float) -> None:
            now.now += seconds

        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now, sleep=sleep)
        frontier.add([Link(HOME)])
        (lease,) = frontier.lease(1, "worker")
        server.kill()
        frontier.complete([done(lease)])
        frontier.close()
    assert "pages whose leases can't be ended will be fetched again steps=1 leases=1" in caplog.text


def test_what_ends_behind_the_farewell_is_sent_when_redis_is_back(tmp_path: Path) -> None:
    with RedisServer(tmp_path, options=DURABLE) as server, server.client() as client:
        now = Clock(0.0)

        def sleep(seconds: float) -> None:
            now.now += seconds
            server.start()

        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now, sleep=sleep)
        frontier.add([Link(HOME)])
        (lease,) = frontier.lease(1, "worker")
        asyncio.run(frontier.farewell())
        server.kill()
        frontier.complete([done(lease)])
        frontier.close()
        counts = RedisFrontier(client, "shop").counts()
        assert (counts.complete, counts.running) == (1, 0)


def test_the_event_loop_runs_while_a_closing_worker_waits(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its clock goes on only in the loop: a wait that held the loop up would never end."""

    async def closing(frontier: RetryingFrontier, now: Clock) -> None:
        waiting = asyncio.ensure_future(frontier.farewell())
        while not waiting.done():
            now.now += 1
            await asyncio.sleep(0)
        frontier.close()

    with RedisServer(tmp_path) as server, server.client() as client:
        now = Clock(0.0)
        frontier = RetryingFrontier(RedisFrontier(client, "shop"), clock=now, sleep=pytest.fail)
        frontier.add([Link(HOME)])
        (lease,) = frontier.lease(1, "worker")
        asyncio.run(frontier.farewell())
        server.kill()
        frontier.complete([done(lease)])
        asyncio.run(closing(frontier, now))
    assert "pages whose leases can't be ended will be fetched again steps=1 leases=1" in caplog.text


def test_errors_are_told_apart(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop")
    client.set("{shop}:requests:values", "not a hash")
    with pytest.raises(StoreError, match=r"{shop}:requests:values holds a string") as caught:
        frontier.counts()
    assert not isinstance(caught.value, OutageError)
    with pytest.raises(OutageError, match="can't be reached"):
        RedisFrontier(redis.Redis(port=1, retry=Retry(NoBackoff(), 0)), "shop")


# --- cluster --------------------------------------------------------------------------------------------------------


def test_sites_spread_over_a_cluster(cluster: redis.RedisCluster) -> None:
    sites = [f"site{number}" for number in range(6)]
    for site in sites:
        frontier = RedisFrontier(cluster, site, max_weight=9)
        frontier.add([Link(HOME)])
        (lease,) = frontier.lease(1, "worker")
        assert frontier.redirect(lease, page("home"))
        frontier.complete([done(lease, [page(number) for number in range(200)], url=page("home"))])
        frontier.release(frontier.lease(50, "worker"))
        frontier.pause_host("shop.example", time.time() + 60)
        assert len(frontier.select("*/p/1*", limit=1000)) == 111
        assert frontier.drop("*/p/19?") == 10
        counts = frontier.counts()
        assert (counts.waiting, counts.complete, counts.error, counts.ready_now) == (190, 2, 10, False)
        frontier.close()
    nodes = {cluster.get_node_from_key(f"{{{site}}}").name for site in sites}
    assert len(nodes) > 1
    RedisFrontier(cluster, sites[0]).clear()
    assert RedisFrontier(cluster, sites[0]).find(HOME) is None
    assert RedisFrontier(cluster, sites[1]).find(HOME) is not None


# --- parts ----------------------------------------------------------------------------------------------------------


def commands(client: redis.Redis, step: Callable[[], Any]) -> list[tuple[str, int]]:
    """What the scripts of a step do: each command, and its length in whole thousands."""
    with client.monitor() as monitor:
        step()
        client.echo("over")
        seen = []
        while (told := monitor.next_command())["command"] != "ECHO over":
            name, *arguments = told["command"].split(" ")
            if told["client_type"] == "lua":
                seen.append((name, sum(map(len, arguments)) // 1000))
        return seen


def test_a_new_queue_costs_the_same_however_many_its_host_has(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop", queue_of=queue_policy("column"))

    def add(*columns: int) -> None:
        frontier.add([Link(f"{HOME}c{number:04}/x") for number in columns])

    add(0)
    few = commands(client, lambda: add(1))
    add(*range(10, 4000))
    assert commands(client, lambda: add(2)) == few


def test_a_busy_host_with_many_queues_is_passed_over_without_moving_them(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop", queue_of=queue_policy("column"))
    frontier.add([Link(f"{HOME}c{number}/x", weight=number % 2) for number in range(1000)])
    frontier.add([Link(f"http://other.example/c{number % 3}/{number}", weight=number % 2) for number in range(30)])
    leased = []

    def lease() -> None:
        leased.extend(frontier.lease(9, "worker", ["shop.example"]))

    asked = commands(client, lease)
    assert {lease.url.split("/")[2] for lease in leased} == {"other.example"}
    assert [lease.weight for lease in leased] == [0] * 9
    assert sum(name in ("ZADD", "ZREM") for name, _ in asked) < 50
    assert len(asked) < 300
    assert len(frontier.lease(2000, "worker")) == 1021


def test_part_counts_follow_every_move(client: redis.Redis) -> None:
    world = open_redis(client, parts=4)
    frontier: Any = world.frontier
    part = part_of("shop.example", 4)
    world.start(*(page(n) for n in range(6)))
    first, second, third, fourth = world.lease(4)
    assert frontier.part_counts()[part] == 2
    frontier.fail(first, Failure("later", retry_at=world.clock() + 5))
    frontier.fail(second, Failure("gone"))
    frontier.release([third])
    world.finish(fourth, [page("new")])
    assert frontier.part_counts()[part] == 5 == frontier.counts().waiting == sum(frontier.part_counts())
    frontier.retry("*")
    frontier.drop(page("new"))
    assert frontier.part_counts()[part] == 5 == frontier.counts().waiting
    assert len(world.lease(10)) == 4
    assert frontier.part_counts()[part] == 1
    world.clock.now += 601
    world.lease(1)
    assert frontier.part_counts()[part] == frontier.counts().waiting == 4


def test_parts_keep_weights_and_turns(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "shop", queue_of=queue_policy("bkdr"))
    frontier.add([Link(page(n), weight=n % 3, depth=1) for n in range(90)])
    leases = frontier.lease(60, "worker")
    assert [lease.weight for lease in leases] == [0] * 30 + [1] * 30


def test_the_first_worker_says_how_many_parts_there_are(client: redis.Redis) -> None:
    first, second = RedisFrontier(client, "shop", parts=4), RedisFrontier(client, "shop", parts=8)
    assert (first.parts, second.parts) == (4, 4)
    first.add([Link(HOME)])
    assert urls(second.lease(1, "worker")) == [HOME]
