"""A writer's process, from the crawl's side: started when needed, asked one thing at a time, ended with a word."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from typing import Any

from gwc_crawler.store.mssql.config import ServerConfig

END_SECONDS = 5.0
MODULE = "gwc_crawler.store.mssql.writing.writer"


class Ended(Exception):
    """The process has ended in the midst of its work."""


class WriterProcess:
    """One process that writes; after its end the next `ask` starts another. One thread at a time may ask."""

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._process: subprocess.Popen[str] | None = None
        self.deaths = 0
        """So often in a row it has ended instead of answering."""

    @property
    def number(self) -> int | None:
        """The process's number, while it lives."""
        return self._process.pid if self._process is not None else None

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to an order; see `writer`.

        Raises:
            Ended: it was killed, or its program can't be run.
        """
        try:
            process = self._process or self._start()
            answer = _exchange(process, order)
        except (OSError, ValueError) as error:
            self.end(0.0)
            self.deaths += 1
            raise Ended(f"the writer's process has ended ({type(error).__name__})") from error
        self.deaths = 0
        if "refusal" in answer:
            self.end(0.0)  # the driver repeats what a server first refused for as long as its process lives
        return answer

    def _start(self) -> subprocess.Popen[str]:
        """Start it; Ctrl-C on the terminal is not for it: the crawl says when it is enough."""
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        _send(process, {"server": self._config.as_json()})
        return process

    def end(self, seconds: float = END_SECONDS) -> None:
        """End it: its stdin ends, and it has *seconds* to finish what it is at."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def kill(self) -> None:
        """End it now: whoever waits for its answer is told so."""
        process = self._process
        if process is not None:
            process.kill()


def _send(process: subprocess.Popen[str], order: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(order) + "\n")
    process.stdin.flush()


def _exchange(process: subprocess.Popen[str], order: dict[str, Any]) -> dict[str, Any]:
    _send(process, order)
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.endswith("\n"):
        raise OSError("no answer")
    answer: dict[str, Any] = json.loads(line)
    return answer
