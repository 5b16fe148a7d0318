"""RedisFrontier keeps the frontier's promises, and those that only a shared server has to keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis

from gwc_crawler.frontier import Frontier, RedisFrontier
from tests.frontier.behaviour import FrontierBehaviour, World
from tests.redis_server import RedisServer


class RedisWorld(World):
    """Opens a site's queue on one server."""

    client: redis.Redis


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def client(server: RedisServer) -> Iterator[redis.Redis]:
    with server.client() as client:
        client.flushall()
        yield client


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
