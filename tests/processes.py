"""What tests of other processes need: free ports, waiting until something is so, kill -9."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def free_port() -> int:
    """A port whose neighbour 10,000 higher, the bus port of a Redis cluster, exists, too."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port < 55_000:
            return port


def wait_until(condition: Callable[[], Any], seconds: float = 60.0) -> None:
    """Ask until *condition* is true; an error after so many *seconds*."""
    begun, pause = time.monotonic(), 0.005
    while not condition():
        assert time.monotonic() < begun + seconds, "waited in vain"
        time.sleep(pause)
        pause = min(1.1 * pause, 0.03)  # asking costs, too: a database or a Redis server is opened for it


@contextmanager
def hanging(process: subprocess.Popen[Any]) -> Iterator[None]:
    """A server takes what is sent and answers nothing; then it answers all at once."""
    process.send_signal(signal.SIGSTOP)
    try:
        wait_until(lambda: _stands_still(process.pid))  # the signal arrives while it may answer still
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def _stands_still(pid: int) -> bool:
    """Whether each thread of a process is stopped."""
    threads = Path(f"/proc/{pid}/task").glob("*/stat")
    return all(stat.read_text().rpartition(")")[2].split()[0] == "T" for stat in threads)


def kill(process: subprocess.Popen[Any]) -> None:
    """kill -9 what may still run, and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def kill_when(process: subprocess.Popen[Any], condition: Callable[[], Any]) -> bool:
    """kill -9 as soon as *condition* is true; False where *process* has ended before."""
    while not condition() and process.poll() is None:
        time.sleep(0.002)
    was_running = process.poll() is None
    kill(process)
    return was_running


def catches(process: subprocess.Popen[Any], number: signal.Signals) -> bool:
    """Whether *process* runs and has a handler of its own for this signal."""
    if process.poll() is not None:
        return False
    try:
        status = Path(f"/proc/{process.pid}/status").read_text("ascii")
    except FileNotFoundError:
        return False
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) & 1 << (number - 1))
