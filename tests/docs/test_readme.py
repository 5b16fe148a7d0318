"""README: its code blocks run, and the files, commands, codes and settings it names exist."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path

import pytest

from gwc_crawler import errors
from gwc_crawler.sites import load_site

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, text, line, and whether a `<!-- tested -->` stands before it."""

    language: str
    text: str
    line: int
    tested: bool


def blocks(language: str) -> list[Block]:
    found = re.finditer(r"(<!-- tested -->\n)?^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    return [
        Block(match[2], match[3], README.count("\n", 0, match.start(3)), bool(match[1]))
        for match in found
        if match[2] == language
    ]


def line_of(block: Block) -> str:
    return f"line {block.line}"


@pytest.mark.parametrize("block", blocks("python"), ids=line_of)
def test_python_blocks_give_what_they_show(block: Block) -> None:
    assert ">>>" in block.text
    example = doctest.DocTestParser().get_doctest(block.text, {}, "README.md", "README.md", block.line)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=LENIENT).run(example, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("block", blocks("toml"), ids=line_of)
def test_site_files_are_valid(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "books.toml"
    path.write_text(block.text, encoding="utf-8")
    assert load_site(path).warnings == ()


@pytest.mark.parametrize("block", [block for block in blocks("console") if block.tested], ids=line_of)
def test_commands_print_what_is_shown(block: Block, tmp_path: Path) -> None:
    for name in ("scrapy.cfg", "settings_profiles", "sites"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = step.partition("\n")
        printed = run_in(tmp_path, command)
        assert doctest.OutputChecker().check_output(shown, printed, LENIENT), printed


def run_in(directory: Path, command: str) -> str:
    """Run a shell command with `scrapy` and `python` of this environment; give stdout and stderr."""
    here = f"scrapy() {{ '{sys.executable}' -m scrapy \"$@\"; }}; "
    done = subprocess.run(["/bin/sh", "-c", here + command], cwd=directory, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r"`((?:gwc_crawler|settings_profiles|tests|benchmarks|scripts)/[\w./]*)`", README)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_make_target_that_is_named_exists() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = re.findall(r"(?:^\$ |`)make ([a-z-]+)", README, flags=re.MULTILINE)
    assert {"crawl", "test", "bench"} <= set(named)
    assert set(named) <= set(targets)


def test_every_exit_code_is_listed() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", README, flags=re.MULTILINE)}
    ours = {error.exit_code for error in (errors.GwcError, *subclasses(errors.GwcError))}
    assert listed == ours | {0, errors.EXIT_INTERRUPTED}


def subclasses(kind: type[errors.GwcError]) -> list[type[errors.GwcError]]:
    return [deep for direct in kind.__subclasses__() for deep in (direct, *subclasses(direct))]


def test_every_profile_is_listed() -> None:
    config = ConfigParser()
    config.read(ROOT / "scrapy.cfg", encoding="utf-8")
    section = README.partition("\n## Profiles\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE) == list(config["settings"])


def test_every_setting_that_is_named_exists() -> None:
    from gwc_crawler import settings

    assert [name for name in re.findall(r"\bGWC_[A-Z_]+\b", README) if not hasattr(settings, name)] == []
