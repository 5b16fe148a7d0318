"""What happens when no file descriptor is left."""

from __future__ import annotations

import asyncio
import errno
import os

import pytest

from gwc_crawler.network import connections


def test_room_is_made_and_waited_for(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(connections, "PAUSE_SECONDS", 0.0)
    failures = [errno.EMFILE, errno.ENFILE, errno.EMFILE]
    idle = ["connection"]

    async def connect() -> str:
        if failures:
            number = failures.pop()
            raise OSError(number, os.strerror(number))
        return "connected"

    def make_room() -> bool:
        return bool(idle and idle.pop())

    assert asyncio.run(connections.connected_when_room(connect, make_room)) == "connected"
    assert not idle
    (record,) = caplog.records
    assert "Too many open files" in record.message
    assert "ulimit -n" in record.message


def test_another_failure_is_told_at_once() -> None:
    async def connect() -> str:
        raise ConnectionRefusedError(errno.ECONNREFUSED, "refused")

    with pytest.raises(ConnectionRefusedError):
        asyncio.run(connections.connected_when_room(connect, lambda: True))
