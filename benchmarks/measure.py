"""What one command costs: CPU time and peak memory of its processes, whatever else the machine does."""

from __future__ import annotations

import os
import platform
import signal
import sqlite3
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """One finished command. CPU time is user + system, start-up and processes that it waited for included; memory is
    the peak resident set of the first of them."""

    exit_code: int
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Job:
    """A command to measure.

    Attributes:
        log: where its output goes.
        turn_seconds: how long it runs at a time beside others.
    """

    command: Sequence[str]
    log: Path
    cwd: Path
    environment: Mapping[str, str] | None = None
    turn_seconds: float = 1.0


def run_measured(job: Job, limit_seconds: float) -> Cost:
    """Run one command and say what it cost; it's killed after *limit_seconds*."""
    return run_in_turns([job], limit_seconds)[0]


def run_in_turns(jobs: Sequence[Job], limit_seconds: float) -> list[Cost]:
    """Run all *jobs*, only one at a time: the others are stopped until it's their turn, so a slow phase of the machine
    falls on all. A job is killed when its own turns add up to *limit_seconds*."""
    runs: list[_Run] = []
    try:
        runs += [_Run(job) for job in jobs]
        while waiting := [run for run in runs if run.cost is None]:
            for run in waiting:
                run.go(run.job.turn_seconds if len(waiting) > 1 else limit_seconds, limit_seconds)
    finally:
        for run in runs:
            run.end()
    return [run.cost for run in runs if run.cost is not None]


def with_bytecode() -> dict[str, str]:
    """Return ours, with bytecode kept: on a user's machine a program is compiled once, not at each start."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class _Run:
    """A started job, stopped until it's let go."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.cost: Cost | None = None
        self._seconds = 0.0
        self._peak_mb = 0.0
        with job.log.open("wb") as output:
            self._process = subprocess.Popen(
                job.command,
                cwd=job.cwd,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**with_bytecode(), **(job.environment or {})},
                start_new_session=True,  # a group of its own: what it starts is stopped with it
            )
        self._send(signal.SIGSTOP)

    def go(self, seconds: float, limit_seconds: float) -> None:
        """Let it run for *seconds*, or to its end, which sets `cost`."""
        start = time.monotonic()
        self._send(signal.SIGCONT)
        while True:
            # the only call that gives the figures of this one child
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            spent = time.monotonic() - start
            if pid:
                break
            self._peak_mb = max(self._peak_mb, peak_mb(self._process.pid))
            if self._seconds + spent > limit_seconds:
                self._send(signal.SIGKILL)
            elif spent > seconds:
                self._send(signal.SIGSTOP)
                self._seconds += spent
                return
            time.sleep(0.05)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self.cost = Cost(
            exit_code=self._process.returncode,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            wall_seconds=self._seconds + spent,
            # what wait4 tells begins at the size of whoever started it
            peak_mb=self._peak_mb or usage.ru_maxrss / 1024,
        )

    def _send(self, number: signal.Signals) -> None:
        """Send a signal to all of its processes. Popen's own way also collects one that has ended, and its figures."""
        os.killpg(self._process.pid, number)

    def end(self) -> None:
        """Kill it if it has not ended: nobody would let it go any more."""
        if self.cost is None:
            self._send(signal.SIGKILL)
            self._process.wait()


def peak_mb(pid: int) -> float:
    """Return the largest resident set of a running process so far; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)


def cpu_seconds(pid: int) -> float:
    """Return how much CPU time a running process has had, user and system; 0 where the system does not tell."""
    try:
        times = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def own_cpu_seconds() -> float:
    """Return how much CPU time this process has had, and those that it has waited for."""
    return sum(os.times()[:4])


def machine() -> str:
    """One line on what the figures were measured with: processor, system, versions, and how busy the machine is."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("Scrapy", "Twisted", "lxml"))
    return (
        f"{os.cpu_count()} x {_processor()}, {platform.system()} {platform.release()}, load {os.getloadavg()[0]:.1f}; "
        f"Python {platform.python_version()}, {versions}, SQLite {sqlite3.sqlite_version}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
