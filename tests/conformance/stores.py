"""Every command that reads × every store and mode: what it answers, or where it refuses and which place it names."""

from __future__ import annotations

import html
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests import started
from tests.commands.stored_shop import wrapper
from tests.conformance.stores_table import TABLE as CASES
from tests.conformance.stores_table import Command, Mode
from tests.conftest import ROOT, Outcome, Project
from tests.redis_server import RedisServer
from tests.shop_site import SAMPLES, shop
from tests.site_server import SiteServer
from tests.tds_server import TdsServer

TITLE = "Reading commands and stores"
ABOUT = """
A shop of twelve records, their list and a redirect is crawled into each store, then every command that reads is run
there: the exit code (of the dashboard HTTP's), then what it answers, or with which words it refuses. *SITE* stands for
the site, *FILE* for its `crawl.db`, *SERVER* for where the SQL Server is (`tests/tds_server` plays it), *n* for a part
of the thirteen pages. Exit code 7: what was asked for is told, of the part that is on this machine.
"""

RECORDS, PAGES = 12, 13
HALF = {"CLOSESPIDER_PAGECOUNT": 6, "CONCURRENT_REQUESTS": 1, "GWC_LEASE_BATCH": 1}
__all__ = ["ABOUT", "CASES", "TITLE", "outcome", "serving"]

SETTINGS: Mapping[Mode, Mapping[str, str]] = {
    Mode.SERVER: {"GWC_SINK": "mssql"},
    Mode.BOTH: {"GWC_SINK": "sqlite,mssql"},
    Mode.FLEET: {"GWC_SINK": "mssql"},
}
PROFILES = dict.fromkeys((Mode.SHARED, Mode.HALVES, Mode.ABSENT, Mode.FLEET), "cluster")

FOREIGN = """
import scrapy

class Books(scrapy.Spider):
    name = "foreign"
    custom_settings = {"ITEM_PIPELINES": {"gwc_crawler.pipelines.SqlServerPipeline": 300}}

    async def start(self):
        for number in range(12):
            yield {"url": f"https://b.example/{number}", "title": "x"}
"""


@dataclass(frozen=True)
class Shops:
    """The projects of all modes, and what was answered there."""

    answers: Mapping[tuple[Mode, Command], str]


@contextmanager
def serving() -> Iterator[Shops]:
    """Crawl into all stores, and run all commands."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = stack.enter_context(SiteServer())
        shop(site)
        site.links |= {"/": [*site.links["/"][:RECORDS], "/old"], "/old": [], "/older": []}
        for path, there in (("/old", "/older"), ("/older", "/item/4")):
            site.statuses[path], site.headers[path] = 301, {"Location": there}
        tds = stack.enter_context(TdsServer(directory / "tds"))
        redis = stack.enter_context(RedisServer(directory / "redis"))
        environment = {name: str(value) for name, value in tds.settings.items()} | {"REDIS_URL": redis.url}
        stack.enter_context(patch.dict(os.environ, environment))
        run = Runs(stack, directory, site.url, {redis.url: "REDIS", f"127.0.0.1:{tds.port}": "SERVER"})
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(run.of, Mode))
        yield Shops({key: answer for answers in found for key, answer in answers.items()})


def outcome(case: object, env: Shops) -> str:
    """Return what was answered."""
    return env.answers[case.by]  # type: ignore[attr-defined]


class Runs:
    """Crawls and asks, in a project for each mode."""

    def __init__(self, stack: ExitStack, directory: Path, url: str, names: Mapping[str, str]) -> None:
        self._stack, self._directory, self._url, self._names = stack, directory, url, names

    def of(self, mode: Mode) -> dict[tuple[Mode, Command], str]:
        """Crawl in a mode, and run all commands there."""
        if mode is Mode.FOREIGN:
            project = self._foreign()
        else:
            project = self._project(mode, "here")
            self._crawl(mode, project)
        return self._answers(mode, project)

    def _project(self, mode: Mode, machine: str) -> Project:
        project = self._stack.enter_context(Project(self._directory / mode.name / machine))
        project.directory.mkdir(parents=True)
        name = mode.name.lower()
        settings = "".join(f'{key} = "{value}"\n' for key, value in SETTINGS.get(mode, {}).items())
        samples = SAMPLES.format(url=self._url)
        project.write_site(name, f'entry = ["{self._url}/"]\n{samples}[settings]\nGWC_HISTORY = true\n{settings}')
        targets, directories = (rf"{self._url}/item/[0-9]+",), (rf"{self._url}/(old)?",)
        project.write_knowledge(name, targets=targets, directories=directories, wrapper=wrapper(), keywords="")
        return project

    def _crawl(self, mode: Mode, project: Project) -> None:
        name = mode.name.lower()
        if mode in (Mode.HALVES, Mode.ABSENT):
            other = self._project(mode, "there")
            self._done(mode, other, "crawl", name, settings=HALF if mode is Mode.HALVES else {})
        if mode is Mode.MIXED:
            self._done(mode, project, "crawl", name, settings={"GWC_SINK": "mssql", **HALF})
        if mode is not Mode.ABSENT:
            self._done(mode, project, "crawl", name, settings={"GWC_SINK": "mssql"} if mode is Mode.SAID else {})

    def _run(self, mode: Mode, project: Project, *words: str, **rest: Any) -> Outcome:
        if rest.get("module") is None and mode is not Mode.FOREIGN:
            return project.scrapy(*words, profile=PROFILES.get(mode, "local"), **rest)
        module = "shelf.settings" if mode is Mode.FOREIGN else f"settings_profiles.{PROFILES.get(mode, 'local')}"
        environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": module, "PYTHONPATH": str(ROOT)}
        done = started.run(rest.get("module", "scrapy.cmdline"), *words, cwd=project.directory, env=environment)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def _done(self, mode: Mode, project: Project, *words: str, **rest: Any) -> None:
        outcome = self._run(mode, project, *words, **rest)
        assert outcome.code == 0, outcome.err

    def _foreign(self) -> Project:
        project = self._stack.enter_context(Project(self._directory / "foreign"))
        for path, text in {"shelf/__init__.py": "", "shelf/books.py": FOREIGN, "foreign.toml": ""}.items():
            (project.directory / path).parent.mkdir(parents=True, exist_ok=True)
            (project.directory / path).write_text(text)
        (project.directory / "shelf" / "settings.py").write_text('BOT_NAME = "shelf"\nSPIDER_MODULES = ["shelf"]\n')
        (project.directory / "scrapy.cfg").write_text("[settings]\ndefault = shelf.settings\n")
        self._done(Mode.FOREIGN, project, "crawl", "foreign")
        return project

    def _answers(self, mode: Mode, project: Project) -> dict[tuple[Mode, Command], str]:
        name, item = mode.name.lower(), f"{self._url}/item/3"
        orders = [[word.format(site=name, url=item) for word in command.value.split()] for command in Command]
        if mode is Mode.FOREIGN:  # what these are, only a project of ours knows
            orders = [words[:1] if words[0] == "dashboard" else words for words in orders]
        done = self._run(mode, project, json.dumps(orders), module="tests.conformance.stores_asked")
        assert done.code == 0, done.err
        answers = zip(Command, json.loads(done.out.splitlines()[-1]), strict=True)
        return {(mode, one): self._plain(mode, _digest(one, Outcome(*answer)), project) for one, answer in answers}

    def _plain(self, mode: Mode, text: str, project: Project) -> str:
        name = mode.name.lower()
        names = {f"{project.directory}/": "", f"data/{name}/crawl.db": "FILE", self._url: "", **self._names}
        for known, word in names.items():
            text = text.replace(known, word)
        text = re.sub(r"'\$[\d.]+'", "'$…'", text)
        if mode in (Mode.HALVES, Mode.MIXED):
            text = re.sub(rf"\b(?!{PAGES})\d+ (?=records|rows|pages|changes|of)", "n ", text)
        return re.sub(rf"\b{name}\b", "SITE", text)


def _digest(command: Command, done: Outcome) -> str:
    """Return the exit code and what matters of an answer."""
    if done.code == 2 and command in (Command.VIEW, Command.VIEW_ONE) and "scrapy view [options] <url>" in done.out:
        return "2: Scrapy's own"
    if unknown := re.search(r"Unknown command: \w+", done.out):
        return f"{done.code}: {unknown[0]}"
    lines = [] if done.code in (0, 200) else done.err.strip().splitlines()
    told = [DIGESTS[command](done.out)] if done.code in (0, 7, 200) and command in DIGESTS else []
    if not told and not lines:
        lines = done.out.strip().splitlines()
    return f"{done.code}: " + "; ".join([*told, *(" ".join(line.split()) for line in lines[-1:])])


def _shown(page: str) -> str:
    """Return what a page of the dashboard shows: how much, and what it says besides."""
    main = page.partition("<main")[2].partition(">")[2]
    told = re.search(r'<section class="card"><p>(.*?)</p>', main)
    text = html.unescape(" ".join(re.sub(r"<[^>]+>", " ", main).split()))
    pages = re.search(r"Pages (\d+)", text)
    count = main.count('class="go"')
    shown = f"{count} records" if count else f"{pages[1]} pages" if pages else ""
    if shown or told:
        return "; ".join(filter(None, (shown, html.unescape(told[1]) if told else "")))
    return text.partition("InputError: ")[2] or text


def _status(out: str) -> str:
    crawl = json.loads(out)["crawl"]
    if crawl["records"] is None:
        return str(crawl["kept_at"])
    whose = " of this machine" if crawl["only_here"] and crawl["records"] != RECORDS else ""
    return f"{crawl['records']} records{whose}"


def _why(out: str) -> str:
    return next(" ".join(line.split()) for line in out.splitlines() if line.split()[:1] == ["page"])


DIGESTS: dict[Command, Callable[[str], str]] = {
    Command.STATUS: _status,
    Command.WHY: _why,
    Command.PAGE: _shown,
    Command.LINKS: _shown,
    Command.VIEW: lambda out: f"{len(json.loads(out))} records",
    Command.VIEW_ONE: lambda out: f"the record, {json.loads(out)['record']['title']}",
    Command.EXPORT: lambda out: f"{len(out.splitlines())} rows",
    Command.WHERE: lambda out: f"{len(out.splitlines())} rows",
    Command.GRAPH: lambda out: f"{json.loads(out)['pages']} pages",
    Command.CHANGES: lambda out: f"{len(out.splitlines())} changes",
    Command.EXTRACT: lambda out: f"{json.loads(out)['records']} records",
    Command.QUEUE: lambda out: f"{len(out.splitlines())} URLs",
    Command.STRIP: lambda out: f"{json.loads(out)['pages']} pages",
    Command.DOCTOR: lambda out: "all is well" if json.loads(out)["ok"] else "something fails",
}
