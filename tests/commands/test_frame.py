"""What all commands have in common: their words on `--help`, and spiders written in Python beside site files."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest
from scrapy.settings import Settings

from gwc_crawler.commands import status, steering, why
from gwc_crawler.commands.frame import SiteCommand
from gwc_crawler.frontier.sqlite.stats import Tally
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.operate.fleet.control import Action, AskOutcome, RunKind
from gwc_crawler.operate.status import CrawlStatus, SiteStatus, WorkerStatus
from gwc_crawler.operate.why import Explanation, UrlRuling
from gwc_crawler.runs.output import console, output_console
from tests.conftest import ROOT, Project
from tests.site_server import SiteServer

OURS = {
    path.stem: ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "gwc_crawler" / "commands").rglob("*.py"))
    if "class Command(" in path.read_text(encoding="utf-8")
}
"""Name → module."""

SPIDER = """
import scrapy

class Plain(scrapy.Spider):
    name = "plain"
    start_urls = ["{url}/"]

    def parse(self, response):
        yield {{"title": response.css("h1::text").get()}}
"""


@pytest.mark.parametrize("name", OURS)
def test_every_command_tells_its_exit_codes_and_keys(name: str) -> None:
    command = import_module(OURS[name]).Command
    assert issubclass(command, SiteCommand)
    assert vars(command)["__doc__"]
    assert "Exit codes: 0 " in command.help_text
    if "add_json(" in Path(import_module(command.__module__).__file__ or "").read_text(encoding="utf-8"):
        assert "--json" in command.help_text
    assert all(len(line) <= 120 for line in command.help_text.splitlines())


WITHOUT_JSON = {
    "dashboard": "serves pages",
    "edit": "opens an editor",
    "fetch": "prints a page as it came",
    "shell": "is a shell",
}
"""Command → what it does instead of telling something."""


@pytest.mark.parametrize("name", sorted(OURS.keys() - WITHOUT_JSON.keys()))
def test_every_command_tells_json_and_names_its_keys(name: str) -> None:
    command = import_module(OURS[name]).Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    options, _ = parser.parse_known_args(["--json"])
    assert options.json is True
    assert "--json" in command.help_text


def test_what_is_told_as_json_is_a_document_and_mistakes_are_on_stderr(project: Project) -> None:
    project.write_graph_site("http://127.0.0.1:9")
    spoken = (("list",), ("version",), ("version", "-v"), ("init", "made"), ("status",), ("doctor", "--offline"))
    told = {words: project.scrapy(*words, "--json") for words in spoken}
    assert {words: (one.code, one.err) for words, one in told.items()} == dict.fromkeys(spoken, (0, ""))
    documents = {words: json.loads(one.out) for words, one in told.items()}
    assert documents["list",] == [{"name": "graph", "file": "sites/graph.toml"}]
    assert documents["version",].keys() == {"GWC Crawler", "Scrapy"} < documents["version", "-v"].keys()
    assert "scrapy.cfg" in documents["init", "made"]["files"]
    for words in (("crawl", "nobody"), ("learn", "nobody"), ("status", "a", "b"), ("queue",), ("why",), ("stop",)):
        outcome = project.scrapy(*words, "--json")
        assert (outcome.code, outcome.out) == (2, ""), words
        assert outcome.err, words


def test_the_summary_of_a_crawl_is_an_object(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p/1"], "/p/1": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", "--json")
    told = json.loads(outcome.out)
    assert (outcome.code, told["pages"], told["urls"]) == (0, 2, {"U": 0, "R": 0, "C": 2, "E": 0})
    text = import_module("gwc_crawler.commands.crawl").Command.help_text
    assert [key for key in told if key not in text] == []


def test_help_keeps_its_lines_and_the_list_has_commands_only(project: Project) -> None:
    outcome = project.scrapy("learn", "--help")
    assert outcome.code == 0, outcome.err
    assert "\n--json prints the knowledge. Keys: site, mode" in outcome.out
    listed = {line.split()[0] for line in project.scrapy("--help").out.splitlines() if line.startswith("  ")}
    assert set(OURS) <= listed
    assert not {"frame", "steering"} & listed


def test_the_help_of_learn_names_every_key_of_the_knowledge() -> None:
    text = import_module("gwc_crawler.commands.learn").Command.help_text
    assert [one.name for one in fields(Knowledge) if one.name not in text] == []


def test_the_help_of_status_and_why_names_every_key() -> None:
    database = Path("crawl.db")
    figures = Tally({}, {}, {}, {}, {}, 0, 0)
    worker = WorkerStatus("one:1", 1)
    crawl = CrawlStatus(str(database), None, figures, 0, {}, (worker,), {})
    told = SiteStatus("shop", 0.0, crawl=crawl).as_json()
    text = status.Command.help_text
    assert [key for key in (*told, *told["crawl"], *told["crawl"]["workers"][0]) if key not in text] == []
    explained = Explanation("a", "a", (), UrlRuling(True, "", "target")).as_json()
    assert [key for key in (*explained, *explained["rule"]) if key not in why.Command.help_text] == []
    outcome = AskOutcome("shop", RunKind.CRAWL, Action.PAUSE, (), (), (), None, 0.0, waited=True).as_json()
    assert [key for key in outcome if key not in steering.KEYS] == []


def test_a_spider_written_in_python_runs_with_the_same_command(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    package = project.directory / "mine"
    package.mkdir()
    (package / "__init__.py").write_text(SPIDER.format(url=site.url))
    outcome = project.scrapy("crawl", "plain", "-O", "out.json", settings={"SPIDER_MODULES": "mine"})
    assert outcome.code == 0, outcome.err
    assert json.loads((project.directory / "out.json").read_text()) == [{"title": "/"}]


def test_a_setting_of_another_kind_is_one_line(project: Project) -> None:
    for name, kind in (("GWC_LEASE_SECONDS", "a number"), ("GWC_PARTS", "a whole number")):
        outcome = project.scrapy("status", "-s", f"{name}=many")
        assert (outcome.code, outcome.err) == (2, f"setting {name} is 'many'; it can be {kind}\n")
    project.write_graph_site("http://shop.example", more="[settings]\nGWC_MAX_PAGES = 'many'\n")
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 2, outcome.err
    assert outcome.err.endswith("\nsetting GWC_MAX_PAGES is 'many'; it can be a whole number\n")
    assert "Traceback" not in outcome.err
    assert project.scrapy("status").code == 0, "the other sites' status is told all the same"


def test_a_value_is_shown_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    console().print("Tea :heart: set")
    output_console(Settings()).print("Tea :heart: set")
    assert capsys.readouterr().out == "Tea :heart: set\n" * 2


def test_a_ctrl_c_before_a_command_has_begun_is_told_in_a_word() -> None:
    program = "import gwc_crawler.settings; raise KeyboardInterrupt"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, "interrupted\n")
    wrong = subprocess.run([sys.executable, "-c", program.replace("KeyboardInterrupt", "ValueError")],
                           capture_output=True, text=True, timeout=60)  # fmt: skip
    assert wrong.stderr.endswith("ValueError\n")
