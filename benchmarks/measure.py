"""What one command costs: CPU time and peak memory of its own process, whatever else the machine does."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """One finished command. CPU time is user + system, start-up included; memory is the peak resident set."""

    exit_code: int
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


def run_measured(command: Sequence[str], log: Path, *, cwd: Path, limit_seconds: float) -> Cost:
    """Run *command* with its output in *log* and say what it cost; it's killed after *limit_seconds*."""
    start = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
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
