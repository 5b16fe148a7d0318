"""Starts `python -W error -m MODULE ARGS` for a test: forked from a process that has its imports, or truly fresh.

It is fresh where the test asks for something that a fork can't have, on systems without the means, and everywhere with
GWC_TEST_REAL_PROCESSES=1. Tests whose subject is how a program starts, or what it loads, start it themselves.
"""

from __future__ import annotations

import atexit
import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.fork_server import LENGTH, own_terminal

REAL = "GWC_TEST_REAL_PROCESSES"
PYTHON = [sys.executable, "-W", "error", "-m"]
FORKED = frozenset({"stdin", "stdout", "stderr", "cwd", "env", "text", "encoding", "errors", "start_new_session"})
"""Options of Popen's that a fork can have."""

READ_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "MALLOC_", "LD_", "OPENSSL_")
"""Variables that an interpreter reads before its first line."""


def start(module: str, *args: str, env: Mapping[str, str] | None = None, **popen: Any) -> subprocess.Popen[str]:
    """Start `python -W error -m MODULE ARGS`; *popen* is for Popen."""
    given = {"text": True, "encoding": "utf-8", "env": dict(os.environ if env is None else env), **popen}
    if can_be_forked(given):
        return Forked([*PYTHON, module, *args], **given)
    owner = own_terminal if given.get("start_new_session") else None
    return subprocess.Popen([*PYTHON, module, *args], **{"preexec_fn": owner, **given})


def run(module: str, *args: str, timeout: float = 120, **popen: Any) -> subprocess.CompletedProcess[str]:
    """Run it to its end, as `subprocess.run` with its output captured."""
    with start(module, *args, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen}) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def can_be_forked(options: Mapping[str, Any]) -> bool:
    """Whether a process with these *options* of Popen's may be a fork."""
    return (
        not os.environ.get(REAL)
        and hasattr(socket, "send_fds")
        and set(options) <= FORKED
        and _read_at_start(options["env"]) == _read_at_start(os.environ)
    )


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in environment.items() if name.startswith(READ_AT_START) and name != "PYTHONPATH"
    }


class _Server:
    """The process that forks; started when it's first asked, it ends with this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def ask(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        with self._lock:
            if self._requests is None:
                self._requests = self._start()
            body = json.dumps(request).encode()
            socket.send_fds(self._requests, [LENGTH.pack(len(body))], list(descriptors))
            self._requests.sendall(body)

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*PYTHON[:-1], str(Path(__file__).with_name("fork_server.py")), str(theirs.fileno())],
                env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is for its forks
            )  # fmt: skip
        atexit.register(self.stop)
        return ours

    def stop(self) -> None:
        """It ends when nobody can ask it any more."""
        if self._process is not None and self._requests is not None:
            self._requests.close()
            self._process.wait()
            self._process = self._requests = None


SERVER = _Server()


class Forked(subprocess.Popen[str]):
    """A process of which the server is the parent; all else is done by Popen's own code."""

    _status: socket.socket

    def _execute_child(self, *args: Any, **kwargs: Any) -> None:
        given = inspect.signature(super()._execute_child).bind(*args, **kwargs).arguments  # type: ignore[misc]
        command, cwd, env = given["args"], given["cwd"], given["env"]
        sys.audit("subprocess.Popen", command[0], command, cwd, env)
        self._status, theirs = socket.socketpair()
        streams = [given["p2cread"], given["c2pwrite"], given["errwrite"]]
        request = {
            "module": command[len(PYTHON)], "args": command[len(PYTHON) + 1 :], "cwd": os.fspath(cwd or Path.cwd()),
            "env": env, "new_session": given["start_new_session"], "group": os.getpgrp(),
        }  # fmt: skip
        with theirs:
            SERVER.ask(request, [*(one if one >= 0 else own for own, one in enumerate(streams)), theirs.fileno()])
        self.pid = self._told("pid")
        self._child_created = True
        self._close_pipe_fds(  # type: ignore[attr-defined]
            *(given[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite"))
        )

    def _told(self, what: str) -> int:
        line = b""
        while not line.endswith(b"\n"):
            line += (more := self._status.recv(1))
            if not more:
                break
        name, _, number = line.decode().partition(" ")
        if name != what:
            self._status.close()
            raise RuntimeError(f"the fork server should tell the {what}, and says {line!r}")
        return int(number)

    def _internal_poll(self, _deadstate: int | None = None) -> int | None:
        return self._ended(0)

    def _wait(self, timeout: float | None) -> int:
        code = self._ended(timeout)
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        return code

    def _ended(self, seconds: float | None) -> int | None:
        """Its exit code, as soon as it has one."""
        lock = self._waitpid_lock  # type: ignore[attr-defined]
        if not lock.acquire(seconds != 0):
            return None  # another thread waits for it
        try:
            if self.returncode is None:
                self._status.settimeout(None if seconds is None else max(0, seconds))
                try:
                    self.returncode = self._told("code")
                except (TimeoutError, BlockingIOError):
                    return None
                self._status.close()
            return self.returncode
        finally:
            lock.release()
