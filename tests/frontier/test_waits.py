"""A client of Redis waits less once the event loop runs, and as long as a user wants it to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import redis
from scrapy.settings import Settings

from gwc_crawler.crawl.redis_parts import connect
from gwc_crawler.errors import OutageError
from gwc_crawler.store.redis_server import OPENING, RUNNING, Breaker, hurry, redis_errors
from tests.frontier.behaviour import Clock
from tests.processes import wait_until
from tests.redis_server import RedisServer


def waits(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in RUNNING}


def connected(url: str, **parameters: Any) -> Any:
    return connect(Settings({"REDIS_URL": url, "REDIS_PARAMS": parameters}))


def test_a_client_waits_less_once_the_loop_runs(redis_server: RedisServer) -> None:
    with connected(redis_server.url) as server:
        assert server.ping()
        assert waits(server.connection_pool.connection_kwargs) == OPENING
        hurry(server)
        assert server.ping()
        used = server.connection_pool.get_connection()
        assert (used.socket_timeout, used.socket_connect_timeout) == tuple(RUNNING.values())
        server.connection_pool.release(used)


def test_what_a_user_has_named_is_kept(redis_server: RedisServer) -> None:
    with connected(redis_server.url, socket_timeout=2.0) as server:
        hurry(server)
        assert waits(server.connection_pool.connection_kwargs) == {**RUNNING, "socket_timeout": 2.0}


def test_every_node_of_a_cluster_is_waited_for_less(cluster: redis.RedisCluster) -> None:
    (node, *_) = cluster.get_nodes()
    with connected(f"redis://{node.host}:{node.port}", redis_cls="redis.RedisCluster") as server:
        hurry(server)
        for name in ("one", "two", "three", "four"):
            server.set(f"{{{name}}}", 1)
        used = [one.redis_connection for one in server.get_nodes() if one.redis_connection is not None]
        assert used
        assert all(waits(one.connection_pool.connection_kwargs) == RUNNING for one in used)


def test_a_server_that_says_nothing_is_an_outage(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as own, connected(own.url) as server:
        hurry(server)
        with own.hanging(), pytest.raises(OutageError, match="Timeout"), redis_errors():
            server.ping()
        wait_until(lambda: answers(server))


def answers(server: Any) -> bool:
    try:
        with redis_errors():
            return bool(server.ping())
    except OutageError:
        return False


def test_who_finds_it_silent_finds_that_out_for_all(redis_server: RedisServer) -> None:
    """Of the client's other connections, too; a refusal that comes at once stops nobody."""
    now = Clock(0.0)
    breaker = Breaker(now)
    with connected(redis_server.url, retry=breaker) as server:
        hurry(server)
        assert server.ping()
        waited = [silence(breaker, now, seconds) for seconds in (0.0, 0.5, 0.5)]
        assert waited == [0.0, 0.5, 0.0]
        with pytest.raises(OutageError, match="did not answer a moment ago"), redis_errors():
            server.ping()
        now.now += 2.1
        assert server.ping()


def silence(breaker: Breaker, now: Clock, seconds: float) -> float:
    """Ask what says nothing for so long; returns how long was waited."""
    began = now.now

    def ask() -> None:
        now.now += seconds
        raise redis.TimeoutError

    with pytest.raises((redis.TimeoutError, redis.ConnectionError)):
        breaker.call_with_retry(ask, lambda error: None)
    return now.now - began
