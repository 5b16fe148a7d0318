"""The channel that the workers of a shared crawl, or of a fleet, look at: one hash in Redis, beside the queue."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import Any

from gwc_crawler.operate.fleet.channel import (
    FORGET_SECONDS,
    PAUSE,
    STOPS,
    WORKER,
    Channel,
    DesiredState,
    Pause,
    Report,
    read_desired,
    read_reports,
)
from gwc_crawler.store.redis_server import Server, redis_errors


class RedisChannel(Channel):
    """A `Channel` that workers on many machines share: the hash at *key*, whose part in braces decides on its node.

    Every method raises OutageError if Redis can't be reached, StoreError if it refuses.
    """

    def __init__(self, server: Server, key: str) -> None:
        self._server = server
        self.key = key
        self._ahead_seconds: float | None = None

    def now(self) -> float:
        """Return the clock of the reports: the server's clock, asked for once."""
        if self._ahead_seconds is None:
            self._ahead_seconds = server_time(self._server, self.key) - time.time()
        return time.time() + self._ahead_seconds

    def ask(self, pipeline: Any, report: Report) -> None:
        """Put the exchange into a pipeline that asks more: of its two answers `answer` reads the second."""
        pipeline.hset(self.key, WORKER + report.owner, report.to_json())
        pipeline.hmget(self.key, PAUSE, STOPS)

    @staticmethod
    def answer(values: list[bytes | None]) -> DesiredState:
        """Read the second answer to `ask`."""
        return read_desired(*values)

    def exchange(self, report: Report) -> DesiredState:
        """Leave a worker's report, take what people want. One round trip."""
        with redis_errors():
            pipeline = self._server.pipeline(transaction=False)
            self.ask(pipeline, report)
            return self.answer(pipeline.execute()[1])

    def desired(self) -> DesiredState:
        with redis_errors():
            return read_desired(*self._server.hmget(self.key, PAUSE, STOPS))

    def reports(self) -> list[Report]:
        with redis_errors():
            return read_reports({name.decode(): value for name, value in self._server.hgetall(self.key).items()})

    def forget_the_vanished(self) -> None:
        """Take off what workers said that gave no sign of life for a day."""
        latest = self.now() - FORGET_SECONDS
        for report in self.reports():
            if report.seen_at < latest:
                self.leave(report.owner)

    def pause(self, by: str) -> Pause:
        pause = Pause(by, self.now())
        with redis_errors():
            self._server.hsetnx(self.key, PAUSE, json.dumps(asdict(pause)))
        return self.desired().pause or pause

    def resume(self) -> Pause | None:
        held = self.desired().pause
        with redis_errors():
            self._server.hdel(self.key, PAUSE)
        return held

    def stop(self) -> int:
        with redis_errors():
            return int(self._server.hincrby(self.key, STOPS, 1))

    def leave(self, owner: str) -> None:
        with redis_errors():
            self._server.hdel(self.key, WORKER + owner)


def server_time(server: Server, key: str) -> float:
    """Return the clock of the server that has *key*, in epoch seconds."""
    with redis_errors():
        seconds, micros = server.eval("return redis.call('TIME')", 1, key)
    return int(seconds) + int(micros) / 1e6


def channel_key(queue_key: str) -> str:
    """Return the key of the channel beside a site's queue."""
    return f"{queue_key}:board"
