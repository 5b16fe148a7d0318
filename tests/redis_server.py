"""A real redis-server for a test: on a free port, in a directory of its own, killed and started again at will."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.processes import free_port, hanging, wait_until

BINARY = shutil.which("redis-server") or "redis-server"
TRIES = 5
DURABLE = ("--appendonly", "yes", "--appendfsync", "always")
"""Options of a server that is killed and comes back with all it has confirmed."""


class RedisServer:
    """One server process. Use as a context manager."""

    def __init__(self, directory: Path, *, options: Sequence[str] = ("--appendonly", "no")) -> None:
        self.directory = directory
        self.port = free_port()
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None
        self._answered = False

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it on its port; the first time on another one if that was taken meanwhile."""
        self.directory.mkdir(parents=True, exist_ok=True)
        for _ in range(TRIES):
            if self._answers():
                break
            assert not self._answered, f"port {self.port} is taken"
            self.port = free_port()
        else:
            raise AssertionError(f"redis-server does not start: {(self.directory / 'redis.log').read_text()[-1000:]}")
        self._answered = True

    def _answers(self) -> bool:
        """Start the process; False where it ends at once, as it does when its port (or its cluster bus's) is taken."""
        with (self.directory / "redis.log").open("ab") as log:
            self.process = subprocess.Popen(
                [BINARY, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory), "--save", "",
                 *self.options],
                stdout=log, stderr=log,
            )  # fmt: skip
        process = self.process
        with self.client() as client:
            wait_until(lambda: process.poll() is not None or answers(client, process.pid), 60)
        return process.poll() is None

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def hanging(self) -> AbstractContextManager[None]:
        """It takes what is sent and answers nothing; then it answers all at once."""
        assert self.process is not None
        return hanging(self.process)

    def log_bytes(self) -> int:
        """How long the log of what is appended (AOF) is by now."""
        return self._log.stat().st_size

    def lose_power(self, log_bytes: int) -> None:
        """Start again with a log that has only its first *log_bytes*, as if its end had not reached the disk."""
        self.kill()
        os.truncate(self._log, log_bytes)
        self.start()

    @property
    def _log(self) -> Path:
        (log,) = self.directory.glob("appendonlydir/*.incr.aof")
        return log

    def client(self, **options: Any) -> redis.Redis:
        settings = {"socket_timeout": 5, "retry": Retry(NoBackoff(), 0), **options}
        return redis.Redis(host="127.0.0.1", port=self.port, **settings)

    def __enter__(self) -> RedisServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()


@contextmanager
def redis_cluster(directory: Path, masters: int = 3) -> Iterator[redis.RedisCluster]:
    """A cluster of masters that knows all its slots; gives a client."""
    options = ("--appendonly", "no", "--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(RedisServer(directory / str(number), options=options)) for number in range(masters)
        ]
        clients = [stack.enter_context(node.client()) for node in nodes]
        for number, client in enumerate(clients):
            first, last = 16384 * number // masters, 16384 * (number + 1) // masters - 1
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            client.execute_command("CLUSTER MEET", "127.0.0.1", nodes[0].port)
        wait_until(lambda: all(is_whole(client, masters) for client in clients), 60)
        cluster = stack.enter_context(redis.RedisCluster(host="127.0.0.1", port=nodes[0].port))
        yield cluster


def is_whole(client: Any, masters: int) -> bool:
    info = client.execute_command("CLUSTER INFO")
    text = info if isinstance(info, dict) else dict(line.split(":", 1) for line in info.decode().split())
    return text["cluster_state"] == "ok" and int(text["cluster_known_nodes"]) == masters


def answers(client: redis.Redis, pid: int) -> bool:
    """True where the process *pid* answers, and not another one that took its port in the same moment."""
    try:
        return bool(client.info("server")["process_id"] == pid)
    except (redis.ConnectionError, redis.TimeoutError):
        return False
