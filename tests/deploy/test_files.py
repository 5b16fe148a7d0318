"""What `deploy/` brings along names commands, settings and metrics that there are, and no secret."""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gwc_crawler import settings
from gwc_crawler.operate.monitor import FinishedRequest, Gauges, Totals, families
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_setting_that_is_named_exists(path: Path) -> None:
    named = set(re.findall(r"\bGWC_[A-Z_]+", path.read_text("utf-8")))
    assert {name for name in named if not hasattr(settings, name)} == set()


def commands(value: Any) -> list[list[str]]:
    """Every list of words of a YAML document that begins with a word of `scrapy`'s."""
    if isinstance(value, dict):
        return [found for one in value.values() for found in commands(one)]
    if isinstance(value, list):
        words = [value] if value and all(isinstance(one, str) for one in value) else []
        return words + [found for one in value for found in commands(one)]
    return []


def test_documents_can_be_read_and_start_commands_that_there_are() -> None:
    found = []
    for path in (one for one in FILES if one.suffix == ".yaml"):
        for document in yaml.safe_load_all(path.read_text("utf-8")):
            found += [words[0] for words in commands(document) if words[0] in {"work", "dashboard", "crawl"}]
    units = "".join(path.read_text("utf-8") for path in FILES if path.suffix == ".service")
    found += re.findall(r"ExecStart=/opt/gwc/bin/scrapy (\w+)", units)
    ours = {path.stem for path in (ROOT / "gwc_crawler" / "commands").rglob("*.py")}
    assert set(found) == {"work", "dashboard", "crawl"} <= ours


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """With a program and a user that there are, as it looks for both."""
    user = pwd.getpwuid(os.getuid()).pw_name
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text("utf-8").replace("/opt/gwc/bin/scrapy", "/bin/true")
        (tmp_path / path.name).write_text(text.replace("User=crawler", f"User={user}"))
    units = [tmp_path / path.name.replace("@", "@1") for path in (DEPLOY / "systemd").iterdir()]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    told = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert (done.returncode, told) == (0, [])


def test_no_password_stands_there() -> None:
    for path in FILES:
        for value in re.findall(r"(?i)password: +(\S+)", path.read_text("utf-8")):
            assert value.startswith(("${", '"$')), f"{path}: {value}"


def test_the_board_asks_for_figures_that_are_told() -> None:
    totals = Totals()
    totals.add(FinishedRequest("http://a.example/", 200, 1, "text/html", 0.0, 0.0))
    now = Gauges(1, {"target": 1}, 1, 0, {"U": 1}, False, 0, 0)
    told = {family.name for family in families("shop", now, totals)}
    board = json.loads((DEPLOY / "grafana" / "gwc-crawler.json").read_text("utf-8"))
    asked = {name for panel in board["panels"] for name in re.findall(r"gwc_\w+", panel["targets"][0]["expr"])}
    assert asked
    assert asked <= told
