"""A virtual environment for each Python crawler, ours too, made once and kept.

So none decides what versions another gets, and none loads what tests and tools of others bring.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.contenders import ROOT, BenchmarkError

FOLDER = ROOT / ".venv-peers"

SCRAPY = ("scrapy>=2.19,<2.20",)
SCRAPY_REDIS = (*SCRAPY, "scrapy-redis>=0.9.1,<0.10")
CRAWLEE = ("crawlee[parsel]>=1,<2",)
GWC_CRAWLER = ("-e", str(ROOT))


def python_with(name: str, requirements: Sequence[str]) -> Path:
    """Return the interpreter of the environment *name*, which has *requirements*; it's made where it is missing.

    Raises:
        BenchmarkError: no network, no such package …
    """
    folder = FOLDER / name
    python = folder / "bin" / "python"
    stamp = folder / "requirements.json"
    wanted = json.dumps([sys.version, *requirements])
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"Setting up {folder.relative_to(ROOT)} ({', '.join(requirements)}) ...", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(folder)], name)
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--root-user-action=ignore"]
    _run([*pip, *requirements], name)
    stamp.write_text(wanted, encoding="utf-8")
    return python


def installed(python: Path, package: str) -> str:
    """Return the version of *package* in the environment of *python*."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def _run(command: Sequence[str], name: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BenchmarkError(f"the environment of {name} can't be made:\n{done.stderr[-1500:]}")
