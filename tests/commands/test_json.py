"""Every command of ours prints one JSON text with --json and nothing else; none is left out."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import gwc_crawler.commands
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Link
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.commands.stored_shop import item, store_shop, visit
from tests.conftest import Project

ITEM = item(1)
CALLS = {
    "changes": ["shop"],
    "deliver": ["shop"],
    "doctor": ["shop", "--offline"],
    "export": ["shop", "-o", "books.csv"],
    "extract": ["shop"],
    "fix": ["shop", ITEM, "title=Thor"],
    "graph": ["shop"],
    "init": ["made"],
    "learn": ["shop", "--offline"],
    "list": [],
    "new": ["http://shop.example/", "--blank", "--name", "blank"],
    "pause": ["shop"],
    "queue": ["shop", "list"],
    "resume": ["shop"],
    "schedule": [],
    "status": [],
    "stop": ["shop"],
    "strip": ["--from", "sqlite:data/shop/crawl.db", "--to", "dir:stripped"],
    "vacuum": ["shop"],
    "version": [],
    "view": ["shop"],
    "why": ["shop", ITEM],
}
"""Command → the arguments of a call; by name, in the order in which they are called."""

ENDS = {"deliver": 2, "learn": 2, "pause": 1, "resume": 1, "stop": 1}
"""Exit codes other than 0: nothing runs; nothing is there to work on, which is said to standard error alone."""

WITHOUT = {
    "console": "no command",
    "crawl": "asks a site: tests/operate/test_crawl.py",
    "dashboard": "serves pages",
    "edit": "opens an editor",
    "fetch": "prints the body",
    "frame": "no command",
    "parse": "asks a site: tests/crawl/test_access.py",
    "shell": "talks with a person",
    "steering": "no command",
    "work": "a line with an object for each that is told: tests/crawl",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A stored shop."""
    project = Project(tmp_path_factory.mktemp("shop"))
    store_shop(project, visit(1, "Thor", "$9.99", at=time.time() + 1))
    with CrawlDatabase(project.directory / "data" / "shop" / "crawl.db") as database:
        SqliteFrontier(database, exclusive=False).add([Link(ITEM)])
    return project


def test_no_command_is_left_out() -> None:
    home = Path(gwc_crawler.commands.__file__).parent
    ours = {path.stem for path in home.glob("*.py") if path.stem != "__init__"}
    assert ours == {*CALLS, *WITHOUT}


@pytest.mark.parametrize("command", CALLS)
def test_json_is_all_that_goes_to_standard_output(shop: Project, command: str) -> None:
    outcome = shop.scrapy(command, *CALLS[command], "--json")
    code = ENDS.get(command, 0)
    assert outcome.code == code, outcome.out + outcome.err
    assert "Traceback" not in outcome.err
    if code == 2:
        assert outcome.out == ""
    else:
        json.loads(outcome.out)
