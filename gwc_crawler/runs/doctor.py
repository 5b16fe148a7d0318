"""Whether this machine, its databases and its site files are as they should be: checks, each with its findings."""

from __future__ import annotations

import locale
import os
import platform
import queue
import resource
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from gwc_crawler import runs
from gwc_crawler.crawl import CRAWL_DB, SAMPLES_DB, site_directory
from gwc_crawler.errors import GwcError, InputError, KnowledgeError, advice
from gwc_crawler.http import masked
from gwc_crawler.sites import Site
from gwc_crawler.spiders import SiteSpider
from gwc_crawler.store.sqlite import CrawlDatabase, has_tables
from gwc_crawler.wiring import data_directory

AT_ONCE = 16
"""Checks that run at the same time."""


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARN = "warn"
    """A crawl runs all the same, though not as well as it could."""
    FAIL = "fail"
    """A crawl won't run, or would lose something."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one thing, and what helps where it is not well."""

    name: str
    level: Level
    told: str
    helps: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy doctor --json`."""
        return {
            "name": masked(self.name),
            "level": self.level.value,
            "told": masked(self.told),
            "helps": masked(advice(self.helps)),
        }


def ok(name: str, told: str) -> Finding:
    """Return a finding that all is well."""
    return Finding(name, Level.OK, told)


def warn(name: str, told: str, helps: str) -> Finding:
    """Return a finding of what could be better."""
    return Finding(name, Level.WARN, told, helps)


def fail(name: str, told: str, helps: str) -> Finding:
    """Return a finding of what has to be mended."""
    return Finding(name, Level.FAIL, told, helps)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at; `look` may take long, or raise: that is a finding, too."""

    name: str
    look: Callable[[], Iterable[Finding]]
    helps: str = "see the message"


def run_checks(checks: Sequence[Check], seconds: float) -> list[Finding]:
    """Run all checks side by side, and return their findings in the order of *checks*.

    One that has not ended when *seconds* are over has failed. Nothing waits for it: its thread ends with the process.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(checks)):
        waiting.put(number)
    found: dict[int, list[Finding]] = {}
    over: queue.SimpleQueue[tuple[int, list[Finding]]] = queue.SimpleQueue()

    def work() -> None:
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            over.put((number, list(_looked(checks[number]))))

    for _ in range(min(AT_ONCE, len(checks))):
        threading.Thread(target=work, daemon=True).start()
    until = time.monotonic() + seconds
    while len(found) < len(checks):
        try:
            number, findings = over.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            break
        found[number] = findings
    late = f"no answer within {seconds:g} seconds"
    return [
        finding
        for number, check in enumerate(checks)
        for finding in found.get(number, [fail(check.name, late, check.helps)])
    ]


def _looked(check: Check) -> Iterator[Finding]:
    try:
        yield from check.look()
    except GwcError as error:
        yield fail(check.name, str(error), check.helps)
    except Exception as error:  # noqa: BLE001  # whatever is wrong with a machine is a finding, not the doctor's end
        yield fail(check.name, f"{type(error).__name__}: {error}", check.helps)


# --- The machine by itself, without a network -------------------------------------------------------------------------


LEAST_PYTHON = (3, 11)
LITTLE_ROOM = 200_000_000
SOME_ROOM = 2_000_000_000
"""Bytes free in the data directory: below the first a crawl would soon end, below the second it may."""

BESIDE_CONNECTIONS = 128
"""File descriptors that a crawl has open besides its connections: databases, libraries, name servers, the log."""

DISTRIBUTION = "gwc-crawler"


def machine_checks(settings: BaseSettings) -> list[Check]:
    """Return the checks of this machine, for a crawl by these settings."""
    data = data_directory(settings)
    return [
        Check("Python", _python),
        Check("packages", _packages, "pip install --upgrade gwc-crawler"),
        Check("data directory", lambda: _data_directory(data), "mend its permissions, or set GWC_DATA_DIR"),
        Check("file descriptors", lambda: _descriptors(settings.getint("CONCURRENT_REQUESTS"))),
        Check("locale", _locale),
    ]


def _python() -> Iterator[Finding]:
    told = f"{platform.python_implementation()} {platform.python_version()}"
    if sys.version_info < LEAST_PYTHON:
        yield fail("Python", told, f"install Python {'.'.join(map(str, LEAST_PYTHON))} or newer")
    else:
        yield ok("Python", told)


def _packages() -> Iterator[Finding]:
    try:
        named = [Requirement(text) for text in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        yield warn("packages", "not installed as a package, so nothing says which versions are needed", "pip install .")
        return
    needed = [one for one in named if one.marker is None or one.marker.evaluate({"extra": ""})]
    wrong = list(_mismatches(needed))
    for name, told in wrong:
        yield fail("packages", told, f"pip install '{name}'")
    if not wrong:
        versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("Scrapy", "Twisted", "lxml"))
        yield ok("packages", f"{len(needed)} as needed: {DISTRIBUTION} {metadata.version(DISTRIBUTION)}, {versions}")


def _mismatches(needed: Iterable[Requirement]) -> Iterator[tuple[str, str]]:
    for one in needed:
        try:
            version = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            yield str(one), f"{one.name} is not installed"
            continue
        if not one.specifier.contains(version, prereleases=True):
            yield str(one), f"{one.name} {version} is installed, needed is {one.specifier}"


def _data_directory(data: Path) -> Iterator[Finding]:
    """Whether files can be made there, and how much room there is; what is not there yet is judged by its parent."""
    name = f"data directory {data}"
    there = next(one for one in (data.absolute(), *data.absolute().parents) if one.exists())
    if not there.is_dir():
        yield fail(name, f"{there} is no directory", "set GWC_DATA_DIR to another place")
        return
    try:
        with tempfile.NamedTemporaryFile(dir=there, prefix=".doctor-") as file:
            file.write(b"doctor")
            file.flush()
    except OSError as error:
        yield fail(name, f"nothing can be written into {there}: {error.strerror}", f"chown or chmod {there}")
        return
    yield from (_foreign(name, there) if there == data.absolute() else ())
    free = shutil.disk_usage(there).free
    told = f"{free / 1e9:,.1f} GB free" + ("" if there == data.absolute() else ", will be made by the first crawl")
    helps = "make room, or set GWC_KEEP_HTML = stripped or none; `scrapy vacuum SITE` gives back what is free in a file"
    if free < LITTLE_ROOM:
        yield fail(name, told, helps)
    elif free < SOME_ROOM:
        yield warn(name, told, helps)
    else:
        yield ok(name, told)


def _foreign(name: str, data: Path) -> Iterator[Finding]:
    """Databases in it that this user can read but not write: a crawl that once ran as root leaves such."""
    for path in sorted(data.glob("*/*.db")):
        if not os.access(path, os.W_OK):
            yield fail(name, f"{path} can't be written by {_user()}", f"chown -R {_user()} {data}")
            return


def _user() -> str:
    return os.environ.get("USER") or str(os.getuid())


def _descriptors(concurrency: int) -> Iterator[Finding]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * concurrency + BESIDE_CONNECTIONS
    shown = "no limit" if soft == resource.RLIM_INFINITY else f"{soft} at most"
    told = f"{shown}; {concurrency} requests at once need about {needed}"
    if soft != resource.RLIM_INFINITY and soft < needed:
        can = "" if hard == resource.RLIM_INFINITY or hard >= needed else " (as root: the hard limit is too low)"
        helps = f"ulimit -n {max(needed, 1024)}{can}, LimitNOFILE= in a systemd unit, or lower CONCURRENT_REQUESTS"
        yield warn("file descriptors", told, helps)
    else:
        yield ok("file descriptors", told)


def _locale() -> Iterator[Finding]:
    encodings = {
        "file names": sys.getfilesystemencoding(),
        "standard output": sys.stdout.encoding or "none",
        "texts": locale.getpreferredencoding(do_setlocale=False),
    }
    odd = [f"{what} are {name}" for what, name in encodings.items() if name.lower().replace("-", "") != "utf8"]
    if odd:
        yield warn("locale", ", ".join(odd), "export LANG=C.UTF-8 (or PYTHONUTF8=1)")
    else:
        yield ok("locale", "UTF-8 everywhere")


# --- Site files and what was learned: each is read whole, as a crawl would read it ------------------------------------


@dataclass(frozen=True, slots=True)
class SitePlan:
    """A site whose file can be read, with the settings that hold for it."""

    site: Site
    settings: BaseSettings


def read_sites(command: ScrapyCommand, names: Sequence[str]) -> tuple[list[SitePlan], list[Finding]]:
    """Read the site files called *names* (or at these paths); those with mistakes are findings."""
    plans: list[SitePlan] = []
    found: list[Finding] = []
    for name in names:
        try:
            if not issubclass(runs.spider_class_of(command, name), SiteSpider):
                continue  # written in Python: there is no file to read
            files = runs.site_files_of(command, name)
        except (UsageError, InputError) as error:
            found += [fail(f"site {name}", line, "mend it there") for line in str(error).splitlines()]
            continue
        plans.append(SitePlan(files.site, files.settings))
        found += _findings(files)
    if not names:
        found.append(warn("sites", "there are no site files", "`scrapy new URL` writes one"))
    return plans, found


def _findings(files: runs.SiteFiles) -> Iterator[Finding]:
    site = files.site
    name = f"site {site.name}"
    problems = {(one.name, one.line): one.problem for one in site.access.variables if one.problem}
    for (_, line), problem in problems.items():
        yield fail(name, f"{site.path}:{line}: {problem}", "set it where the crawl is started (docs/access.md)")
    for warning in site.warnings:
        yield warn(name, str(warning), "mend it there")
    try:
        knowledge = files.learned()
    except KnowledgeError as error:
        yield fail(name, str(error), f"`scrapy learn {site.name}` writes it anew")
        return
    if not problems and not site.warnings:
        learned = f"learned {knowledge.learned_at}" if knowledge else "nothing learned yet"
        yield ok(name, f"{site.path}: {len(site.samples)} samples, {learned}")


# --- What sites have stored: each database is opened as a crawl would open it, and read in search of damage -----------


LEAST_SECONDS = 0.1
"""So long a database is read though time is up: it is opened at least."""


def database_checks(plans: Sequence[SitePlan], seconds: float) -> list[Check]:
    """Return the checks of all databases that there are; they read for *seconds* in all, side by side."""
    until = time.monotonic() + seconds
    checks = []
    for plan in plans:
        for file in (CRAWL_DB, SAMPLES_DB):
            path = site_directory(plan.settings, plan.site.name) / file
            if has_tables(path):
                name = f"database {plan.site.name}/{file}"
                checks.append(Check(name, partial(_look, name, path, until)))
    return checks


def _look(name: str, path: Path, until: float) -> Iterator[Finding]:
    with CrawlDatabase(path, read_only=True) as database:
        is_all = database.look_for_damage(max(LEAST_SECONDS, until - time.monotonic()))
    read = "no damage found" if is_all else "no damage found as far as there was time to read it"
    yield ok(name, f"{path}: {path.stat().st_size / 1e6:,.1f} MB, {read}")
