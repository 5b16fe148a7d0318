"""`make test`'s script: what fails beside others gets a second try by itself, what fails twice fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "run_tests.py"

ONCE = """
from pathlib import Path

def test_once():
    seen = Path("seen").exists()
    Path("seen").touch()
    assert seen
"""
TWICE = "def test_twice():\n    assert False\n"
GOOD = "def test_good():\n    assert True\n"
MANY = "import pytest\n\n@pytest.mark.parametrize('n', range(11))\ndef test_many(n):\n    assert False\n"


def run(directory: Path, processes: int = 0, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        (directory / f"test_{name}.py").write_text(text)
    command = [sys.executable, str(SCRIPT), "-q", "-p", "xdist", "-n", str(processes), "--dist", "loadfile"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)


def test_what_fails_once_is_named_and_passes(tmp_path: Path) -> None:
    ended = run(tmp_path, processes=1, once=ONCE, good=GOOD)
    assert ended.returncode == 0, ended.stdout
    assert "passed by themselves, worth a look: test_once.py::test_once" in ended.stdout
    assert "1 passed" in ended.stdout.splitlines()[-2], "the good one is not run again"


@pytest.mark.parametrize("files", [{"twice": TWICE}, {"twice": TWICE, "once": ONCE}], ids=["alone", "and one once"])
def test_what_fails_twice_fails(tmp_path: Path, files: dict[str, str]) -> None:
    ended = run(tmp_path, **files, good=GOOD)
    assert ended.returncode == 1
    assert "1 failed" in ended.stdout.splitlines()[-1]


def test_many_failures_are_no_accident(tmp_path: Path) -> None:
    ended = run(tmp_path, many=MANY)
    assert ended.returncode == 1
    assert "Once more" not in ended.stdout


def test_all_good_is_one_run(tmp_path: Path) -> None:
    ended = run(tmp_path, good=GOOD)
    assert (ended.returncode, ended.stdout.count("passed")) == (0, 1)


PLACE = "import tempfile\n\ndef test_place():\n    assert tempfile.gettempdir().endswith('/of-mine')\n"


def test_who_says_where_temporary_files_are_made_is_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of-mine").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "of-mine"))
    assert run(tmp_path, place=PLACE).returncode == 0
