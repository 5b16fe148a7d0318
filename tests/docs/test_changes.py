"""Each file in `changes/` is one sentence that towncrier puts into CHANGELOG.md."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

FRAGMENTS = sorted(path for path in (ROOT / "changes").iterdir() if path.name != "README.md")


@cache
def draft() -> str:
    """What towncrier would write, white space folded."""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "next"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split())


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_a_fragment_is_one_paragraph_of_the_next_release(path: Path) -> None:
    text = path.read_text(encoding="utf-8").strip()
    assert text.endswith(".")
    assert "\n\n" not in text
    assert " ".join(text.split()) in draft(), "a name towncrier does not know: +words.added.md, .breaking.md, .fixed.md"


def test_the_place_of_a_release_is_marked() -> None:
    assert "## next (" in draft()
    assert (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").count("<!-- towncrier release notes start -->\n") == 1
