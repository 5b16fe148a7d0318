"""The package as a stranger gets it: built from a copy of the tree, installed into an environment that has no tree."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT, Outcome
from tests.scrapyd_server import make_venv

LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*", "build", "dist", "data", "*.egg-info", "results")


@dataclass(frozen=True)
class Built:
    """What was built of one tree."""

    sdist: Path
    wheel: Path
    """From the sdist."""
    tree: Path


@dataclass
class Installed:
    """An environment that holds the wheel; commands run in a directory of the test's."""

    python: Path
    home: Path

    def start(self, *command: str, cwd: Path, **environment: str) -> subprocess.Popen[str]:
        """Start `gwc …` or `scrapy …`."""
        program = [str(self.python.parent / "gwc")] if command[0] == "gwc" else [str(self.python), "-m", command[0]]
        left_out = {"SCRAPY_SETTINGS_MODULE", "SCRAPY_PROJECT", "PYTHONPATH", "XDG_CONFIG_HOME"}
        kept = {key: value for key, value in os.environ.items() if key not in left_out}
        return subprocess.Popen(
            [*program, *command[1:]],
            cwd=cwd, env={**kept, "HOME": str(self.home), "PYTHONWARNINGS": "error", **environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip

    def run(self, *command: str, cwd: Path, **environment: str) -> Outcome:
        """Run it to its end."""
        process = self.start(*command, cwd=cwd, **environment)
        out, err = process.communicate(timeout=240)
        return Outcome(process.returncode, out, err)


@contextmanager
def made_once(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[tuple[Path, bool]]:
    """A directory for all processes of pytest's, and whether it has to be filled: the first does, the others wait."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    base = shared / f"{name}-for-all"
    base.mkdir(exist_ok=True)
    with (base / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole = base / "whole"
        yield base, not whole.exists()
        whole.touch()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    with made_once(tmp_path_factory, "built") as (base, empty):
        if empty:
            build(base)
        (sdist,), (wheel,) = (base / "dist").glob("*.tar.gz"), (base / "dist").glob("*.whl")
        return Built(sdist, wheel, base / "tree")


def build(base: Path) -> None:
    """Build an sdist, and a wheel from it."""
    tree = base / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
    build_of(tree, base / "dist")


def build_of(tree: Path, directory: Path, *options: str) -> None:
    """Run `python -m build`; the compiler does not optimise, which takes most of its time."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", *options]
    command += ["--outdir", str(directory), str(tree)]
    environment = {**os.environ, "GWC_WALK_CFLAGS": "-O0"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    with made_once(tmp_path_factory, "installed") as (base, empty):
        if empty:
            make_venv(base / "venv", built.wheel)
    return Installed(base / "venv" / "bin" / "python", base)
