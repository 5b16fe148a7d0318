"""`make test`'s script: run pytest; a few tests that fail are run once more, by themselves and one after the other.

Whole crawls, servers that are killed and browsers share the machine's cores, so that a test may fail because others
ran beside it. Such a test is named at the end, for somebody to look at. What fails twice fails.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FEW = 10
"""More failures than these are no accident and are not run again."""

TESTS_FAILED = 1
"""pytest's exit code where tests ran and some failed."""

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
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], env=environment).returncode


def _failed() -> list[str]:
    return sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
