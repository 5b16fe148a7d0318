"""The benchmark of the dashboard leaves a Redis that others use as it was."""

from __future__ import annotations

import pytest
import redis

from benchmarks.dashboard import longest_command
from tests.redis_server import RedisServer


def test_what_redis_notes_is_as_before_in_the_end(client: redis.Redis, redis_server: RedisServer) -> None:
    before = client.config_get("slowlog-*")
    with longest_command(redis_server.url):
        assert client.config_get("slowlog-*") != before
    assert client.config_get("slowlog-*") == before
    with pytest.raises(ValueError, match="broken off"), longest_command(redis_server.url):
        raise ValueError("broken off")
    assert client.config_get("slowlog-*") == before
