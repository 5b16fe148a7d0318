"""`make test`'s script: run pytest; a few tests that fail are run once more, by themselves and one after the other.

Whole crawls, servers that are killed and browsers share the machine's cores, so that a test may fail because others
ran beside it. Such a test is named at the end, for somebody to look at. What fails twice fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

FEW = 10
"""More failures than these are no accident and are not run again."""

TESTS_FAILED = 1
"""pytest's exit code where tests ran and some failed."""

MEMORY = Path("/dev/shm")
"""A file system in memory, if it has room: there nobody waits for a disk to have written what is thrown away."""

ROOM_BYTES = 6_000_000_000
"""What has to be free there; tests leave about a gigabyte."""

FAILED = Path(".pytest_cache/v/cache/lastfailed")
"""Where pytest keeps the names of the tests that failed, beneath the working directory."""


def main(arguments: Sequence[str]) -> int:
    """Run pytest with *arguments* and return its exit code, that of the second run where there was one."""
    code = _pytest(["--cache-clear", *arguments])
    failed = _failed()
    if code != TESTS_FAILED or not 0 < len(failed) <= FEW:
        return code
    print(f"\nOnce more, by themselves: {', '.join(failed)}", flush=True)
    code = _pytest([*arguments, "-n", "0", "--last-failed", "--last-failed-no-failures", "none"])
    if code == 0:
        print(f"Failed beside others and passed by themselves, worth a look: {', '.join(failed)}", flush=True)
    return code


def _pytest(arguments: Sequence[str]) -> int:
    """Run it with its bytecode kept, whatever the shell says: hundreds of processes import the package."""
    with _quick_files() as places:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **places}
        return subprocess.run([sys.executable, "-m", "pytest", *arguments], env=environment).returncode


@contextmanager
def _quick_files() -> Iterator[dict[str, str]]:
    """Say by TMPDIR where temporary files are best made; what is left of them in memory is thrown away."""
    if "TMPDIR" in os.environ or not _has_room():
        yield {}
        return
    with TemporaryDirectory(prefix="gwc-", dir=MEMORY, ignore_cleanup_errors=True) as directory:
        yield {"TMPDIR": directory}


def _has_room() -> bool:
    """Programs can be run there, and neither it nor the memory that it takes is scarce."""
    try:
        allowed = os.statvfs(MEMORY).f_flag
        memory = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = 1024 * int(memory["MemAvailable"].split()[0])
    except (OSError, KeyError, AttributeError):
        return False
    return not allowed & os.ST_NOEXEC and min(free, shutil.disk_usage(MEMORY).free) >= ROOM_BYTES


def _failed() -> list[str]:
    return sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
