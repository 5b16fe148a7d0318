"""What one command costs: CPU time and peak memory of its own process, whatever else the machine does."""

from __future__ import annotations

import os
import platform
import resource
import sqlite3
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """One finished command. CPU time is user + system, start-up included; memory is the peak resident set."""

    exit_code: int
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


def run_measured(
    command: Sequence[str],
    log: Path,
    *,
    cwd: Path,
    limit_seconds: float,
    environment: Mapping[str, str] | None = None,
) -> Cost:
    """Run *command* with its output in *log* and say what it cost; it's killed after *limit_seconds*."""
    start = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(environment or {})},
        )
        usage, status = _wait(process, start + limit_seconds)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(
        exit_code=process.returncode,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        wall_seconds=time.monotonic() - start,
        peak_mb=usage.ru_maxrss / 1024,
    )


def _wait(process: subprocess.Popen[bytes], limit: float) -> tuple[resource.struct_rusage, int]:
    """`os.wait4` with a limit: the only call that gives the figures of this one child."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            return usage, status
        if time.monotonic() > limit:
            process.kill()
            limit = float("inf")
        time.sleep(0.05)


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
