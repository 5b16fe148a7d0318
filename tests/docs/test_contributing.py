"""What a next developer is told exists: files and targets, in the pages for people and in those for machines."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("CONTRIBUTING.md", "SECURITY.md")
MACHINES = (".github/workflows/ci.yml", ".pre-commit-config.yaml")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))


@pytest.mark.parametrize("name", PAGES)
def test_the_files_that_are_named_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = re.findall(r"`([\w.-]*/?[\w./-]*(?:\.\w+|/))`", text)
    paths = {one for one in named if "/" in one or one.endswith((".md", ".cfg", ".yaml"))} - {"README.md"}
    assert len(paths) >= 3
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", PAGES)
def test_the_targets_and_modules_that_are_named_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"(?:^\$ |`)make ([a-z-]+)", text, flags=re.MULTILINE)
    assert [one for one in targets if one not in TARGETS] == []
    for module in re.findall(r"python -m (tests[\w.]*)", text):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


@pytest.mark.parametrize("name", MACHINES)
def test_machines_call_targets_of_the_makefile_and_nothing_else(name: str) -> None:
    commands = list(commands_in(yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))))
    assert commands
    for command in commands:
        program, *words = command.removeprefix("sudo ").split()
        assert program == "make", command
        assert {word for word in words if "=" not in word} <= TARGETS, command


def commands_in(value: Any) -> Iterator[str]:
    """What a workflow's steps run, and what hooks enter."""
    if isinstance(value, dict):
        yield from (str(value[key]) for key in ("run", "entry") if key in value)
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from commands_in(one)


def test_every_target_can_be_called_whatever_files_there_are() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = set(" ".join(re.findall(r"^\.PHONY: (.*)", text, flags=re.MULTILINE)).split())
    assert phony >= TARGETS


def test_what_starts_a_process_is_left_out_of_the_fast_tests(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import subprocess\n"
        "def test_alone(): pass\n"
        "def test_starting():\n"
        "    try:\n"
        "        subprocess.run(['true'])\n"
        "    except Exception: pass\n"
        "    raise AssertionError\n"
        "def test_with_a_project(project): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.fast", "-p", "no:cacheprovider", "-c", "/dev/null"]
    done = subprocess.run([*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "1 passed, 1 skipped, 1 deselected" in done.stdout, done.stdout
