"""The redis-server of the tests is its own process, whoever else takes ports in the same moment."""

from __future__ import annotations

from pathlib import Path

from tests.redis_server import RedisServer, answers


def test_another_server_on_the_port_is_not_taken_for_its_own(tmp_path: Path) -> None:
    with RedisServer(tmp_path / "one") as first:
        second = RedisServer(tmp_path / "two")
        second.port = first.port
        with second:
            assert second.port != first.port
            assert first.process is not None
            assert second.process is not None
            with first.client() as client:
                assert answers(client, first.process.pid)
                assert not answers(client, second.process.pid)
