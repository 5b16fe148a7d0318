"""A Redis server for each test module, emptied for each test."""

from collections.abc import Iterator

import pytest
import redis

from tests.redis_server import RedisServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def client(server: RedisServer) -> Iterator[redis.Redis]:
    with server.client() as client:
        client.flushall()
        yield client
