"""A disk of a few megabytes, that a test can fill."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(directory: Path, megabytes: int) -> Iterator[bool]:
    """Mount an empty tmpfs over *directory*; False where none can be mounted (it takes root)."""
    options = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(directory)]
    mounted = subprocess.run(options, check=False, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(directory)], check=True)
