"""Check this machine, its databases and its site files: a list of checks, each with its findings."""

from __future__ import annotations

import asyncio
import locale
import os
import platform
import resource
import shutil
import ssl
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import StrEnum
from functools import partial
from http.client import HTTPException
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from packaging.requirements import Requirement
from protego import Protego
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from gwc_crawler.errors import GwcError, InputError, KnowledgeError, SiteFileError, WireError, advice, room_or
from gwc_crawler.modes import BrowserFor
from gwc_crawler.network.dns_servers import NameServers
from gwc_crawler.network.guard import is_name, literal_of
from gwc_crawler.network.masking import masked
from gwc_crawler.network.politeness.robots import MAX_ROBOTS_BYTES
from gwc_crawler.runs.lookup import REDIS_SETTINGS, SiteFiles, loader_of, site_files_of, spider_class_of
from gwc_crawler.spiders.site import SiteSpider
from gwc_crawler.store.sqlite.database import CrawlDatabase, has_tables
from gwc_crawler.wiring.options import (
    browser_for,
    browser_path,
    check_browser,
    data_directory,
    is_in_redis,
    lookup_plan,
    overrides_of,
    sink_names,
)

AT_ONCE = 16


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARN = "warn"
    """A crawl runs all the same, though not as well as it could."""
    FAIL = "fail"
    """A crawl won't run, or would lose something."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one thing, and a remedy if it is not well."""

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
    """Return a finding on something that could be better."""
    return Finding(name, Level.WARN, told, helps)


def fail(name: str, told: str, helps: str) -> Finding:
    """Return a finding on something that has to be mended."""
    return Finding(name, Level.FAIL, told, helps)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at; `look` may take long, or raise: that is a finding, too."""

    name: str
    look: Callable[[], Iterable[Finding]]
    helps: str = "see the message"


READING_SECONDS = 5.0
"""Seconds for which databases are read in search of damage; a large one would take minutes."""


def findings_of(command: ScrapyCommand, name: str | None, *, offline: bool, wait_seconds: float) -> list[Finding]:
    """Look at all that a crawl of the site called *name* (or of any) depends on. Raises UsageError: no such site."""
    assert command.settings is not None
    if name is not None:
        _require(command, name)
    plans, of_sites = read_sites(command, [name] if name is not None else loader_of(command).list())
    checks = [
        *machine_checks(command.settings),
        *server_checks([command.settings, *(plan.settings for plan in plans)], offline=offline),
        *browser_checks(plans),
    ]
    before = len(checks)
    if not offline:
        checks += [*rights_checks(plans), *network_checks(plans, wait_seconds)]
    checks += database_checks(plans, min(READING_SECONDS, wait_seconds))
    waits = wait_seconds + 2.0 + wait_seconds * ((len(checks) - before) // AT_ONCE)
    return [*run_checks(checks, waits), *of_sites]


def _require(command: ScrapyCommand, name: str) -> None:
    """Refuse a site that does not exist; one whose file has mistakes is for the doctor."""
    try:
        spider_class_of(command, name)
    except UsageError as error:
        if not isinstance(error.__cause__, SiteFileError):
            raise


def run_checks(checks: Sequence[Check], seconds: float) -> list[Finding]:
    """Run checks side by side; findings in their order. One that takes over *seconds* has failed, and is left alone."""
    found: dict[int, list[Finding]] = {}
    left, turn = iter(range(len(checks))), threading.Lock()

    def work() -> None:
        while True:
            with turn:
                number = next(left, None)
            if number is None:
                return
            found[number] = list(_looked(checks[number]))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(AT_ONCE, len(checks)))]
    for thread in threads:
        thread.start()
    until = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
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
    yield ok("Python", f"{platform.python_implementation()} {platform.python_version()}")


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
    """Check that files can be made there, and the room for them; a missing directory is judged by its parent."""
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
        told = f"nothing can be written into {there}: {error.strerror}"
        yield fail(name, told, room_or(f"chown or chmod {there}", error))
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
    """Yield databases in it that this user can read but not write: a crawl that once ran as root leaves such."""
    user = os.environ.get("USER") or str(os.getuid())
    for path in sorted(data.glob("*/*.db")):
        if not os.access(path, os.W_OK):
            yield fail(name, f"{path} can't be written by {user}", f"chown -R {user} {data}")
            return


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
    helps = "export LANG=C.UTF-8 (or PYTHONUTF8=1)"
    yield warn("locale", ", ".join(odd), helps) if odd else ok("locale", "UTF-8 everywhere")


def read_sites(command: ScrapyCommand, names: Sequence[str]) -> tuple[list[SiteFiles], list[Finding]]:
    """Read the site files called *names* (or at these paths); those with mistakes are findings."""
    plans: list[SiteFiles] = []
    found: list[Finding] = []
    for name in names:
        try:
            if not issubclass(spider_class_of(command, name), SiteSpider):
                continue  # written in Python: there is no file to read
            files = site_files_of(command, name)
        except (UsageError, InputError) as error:
            found += [fail(f"site {name}", line, "mend it there") for line in str(error).splitlines()]
            continue
        plans.append(files)
        found += _findings(files)
    if not names:
        found.append(warn("sites", "there are no site files", "`scrapy new URL` writes one"))
    return plans, found


def _findings(files: SiteFiles) -> Iterator[Finding]:
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


def database_checks(plans: Sequence[SiteFiles], seconds: float) -> list[Check]:
    """Return the checks of all databases that there are; they read for *seconds* in all, side by side."""
    until = time.monotonic() + seconds
    checks = []
    for plan in plans:
        for path in filter(has_tables, (plan.crawl_db, plan.samples_db)):
            name = f"database {plan.name}/{path.name}"
            checks.append(Check(name, partial(_look, name, path, until)))
    return checks


def _look(name: str, path: Path, until: float) -> Iterator[Finding]:
    with CrawlDatabase(path, read_only=True) as database:
        is_all = database.look_for_damage(until - time.monotonic())
    read = "no damage found" if is_all else "no damage found as far as there was time to read it"
    yield ok(name, f"{path}: {path.stat().st_size / 1e6:,.1f} MB, {read}")


# --- Servers, browser and sites that a crawl needs --------------------------------------------------------------------


LEAST_REDIS = (6, 2)
LEAST_PYMSSQL = (2, 4, 6)
SKEW_SECONDS = 5.0
"""Clocks further apart than this make leases look older or younger than they are."""

REDIS_HELPS = "start it, or mend REDIS_URL; without a shared crawl, GWC_FRONTIER = sqlite needs none"
SERVERS = {
    "mssql": (
        "SQL Server",
        ("GWC_MSSQL_HOST", "GWC_MSSQL_PORT", "GWC_MSSQL_USER", "GWC_MSSQL_DATABASE", "GWC_MSSQL_ENCRYPTION"),
        "mend GWC_MSSQL_HOST, _PORT, _USER, _PASSWORD, _DATABASE (docs/sql-server.md)",
    ),
    "postgres": ("PostgreSQL", ("GWC_POSTGRES_URL",), "mend GWC_POSTGRES_URL (docs/sql-server.md)"),
}
"""Sink → the server's name, the settings that identify it, a remedy."""


def rights_checks(plans: Iterable[SiteFiles]) -> list[Check]:
    """Return for each shared site the check of its rights in Redis."""
    shared = (plan for plan in plans if is_in_redis(plan.settings))
    return [
        Check(f"Redis, {plan.site.name}", partial(_rights, plan), "docs/fleet.md, Rights in Redis") for plan in shared
    ]


def server_checks(settings: Iterable[BaseSettings], *, offline: bool) -> list[Check]:
    """Return the checks of Redis and SQL Server, one for each that any of these settings needs."""
    checks: dict[str, Check] = {}
    for one in settings:
        if is_in_redis(one) and not offline:
            key = repr([one.get(name) for name in REDIS_SETTINGS])
            checks.setdefault(key, Check("Redis", partial(_redis, one), REDIS_HELPS))
        if "mssql" in sink_names(one):
            checks.setdefault("driver", Check("SQL Server", _driver, f"pip install 'pymssql>={_text(LEAST_PYMSSQL)}'"))
        for engine in () if offline else set(sink_names(one)) & {*SERVERS}:
            title, names, helps = SERVERS[engine]
            key = repr([engine, *(one.get(name) for name in names)])
            checks.setdefault(key, Check(title, partial(_server, one, engine), helps))
    return list(checks.values())


def browser_checks(plans: Iterable[SiteFiles]) -> list[Check]:
    """Return the check of the browser, for the first of these sites that renders pages."""
    for plan in plans:
        if browser_for(plan.settings, plan.site) is not BrowserFor.NONE:
            return [Check("browser", partial(_browser, plan), "without one: browser = false in the site file")]
    return []


def _text(version: Iterable[int]) -> str:
    return ".".join(map(str, version))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3] if part.isdigit())


def _redis(settings: BaseSettings) -> Iterator[Finding]:
    from gwc_crawler.crawl.redis_parts import connect  # Redis only if it is used
    from gwc_crawler.store.redis_server import redis_errors

    with closing(connect(settings)) as server, redis_errors():
        info = server.info()
        if info and all(isinstance(one, dict) for one in info.values()):  # a cluster's nodes: the first stands for all
            info = next(iter(info.values()))
        is_cluster = bool(info.get("cluster_enabled"))
        version = str(info.get("redis_version", "0"))
        told = f"version {version}, {'cluster' if is_cluster else info.get('redis_mode', 'standalone')}"
        told += f", {info.get('used_memory_human', '?')} used, {info.get('connected_clients', '?')} clients"
        helps = f"install Redis {_text(LEAST_REDIS)} or newer"
        yield ok("Redis", told) if _numbers(version) >= LEAST_REDIS else fail("Redis", told, helps)
        yield _persistence(info)
        yield _memory(info)
        if not is_cluster:
            before = time.time()
            seconds, micro = server.time()
            yield skew_finding("Redis", seconds + micro / 1e6 - (before + time.time()) / 2)


def _rights(plan: SiteFiles) -> Iterator[Finding]:
    from gwc_crawler.crawl.redis_parts import check_server, connect, start_urls

    name, server = f"Redis, {plan.site.name}", connect(plan.settings)
    with closing(server):
        if problem := start_urls(plan.site.name, plan.settings, server).problem():
            yield warn(name, problem, "take it away")
        check_server(plan.site.name, plan.settings, server)
        yield ok(name, "its user has the rights of a crawl")


def _persistence(info: dict[str, Any]) -> Finding:
    if not info.get("aof_enabled"):
        told = "no append-only file: what was queued since its last snapshot is lost with it"
        return warn("Redis persistence", told, "redis-cli CONFIG SET appendonly yes, and `appendonly yes` in its file")
    if info.get("aof_last_write_status", "ok") != "ok" or info.get("aof_last_bgrewrite_status", "ok") != "ok":
        return fail("Redis persistence", "its append-only file can't be written", "make room on its disk; see its log")
    return ok("Redis persistence", "append-only file")


def _memory(info: dict[str, Any]) -> Finding:
    policy, most = str(info.get("maxmemory_policy", "noeviction")), int(info.get("maxmemory", 0))
    if most and policy != "noeviction":
        told = f"maxmemory-policy is {policy}: a full Redis throws URLs away"
        return fail("Redis memory", told, "redis-cli CONFIG SET maxmemory-policy noeviction")
    used = int(info.get("used_memory", 0))
    if most and used > 0.9 * most:
        return warn("Redis memory", f"{used / most:.0%} of maxmemory are used", "raise maxmemory")
    return ok("Redis memory", "nothing is ever thrown away" + ("" if most else ", no maxmemory"))


def skew_finding(of_whom: str, seconds: float) -> Finding:
    """Judge a clock that is *seconds* ahead of ours."""
    if abs(seconds) <= SKEW_SECONDS:
        return ok("clock", f"within {max(1.0, abs(seconds)):.0f} s of that of {of_whom}")
    where = "behind" if seconds > 0 else "ahead of"
    told = f"{abs(seconds):,.0f} s {where} that of {of_whom}"
    return warn("clock", told, "set it: timedatectl set-ntp true (chrony, systemd-timesyncd)")


def _driver() -> Iterator[Finding]:
    version = metadata.version("pymssql")
    if _numbers(version) < LEAST_PYMSSQL:
        told = f"driver pymssql {version}: older ones garble some texts"
        yield fail("SQL Server", told, f"pip install 'pymssql>={_text(LEAST_PYMSSQL)}'")
    else:
        yield ok("SQL Server", f"driver pymssql {version}")


def _server(settings: BaseSettings, engine: str) -> Iterator[Finding]:
    from gwc_crawler.store.server.config import OutletConfig
    from gwc_crawler.store.server.connection import ServerFault
    from gwc_crawler.store.server.schema import connect

    config = OutletConfig.from_settings(settings, engine).server
    try:
        with closing(connect(config)) as server:
            version = server.version()
    except ServerFault as error:
        yield fail(config.name, f"{config.place}: {error}", SERVERS[engine][2])
        return
    yield ok(config.name, f"{config.place}: {version}")


def _browser(plan: SiteFiles) -> Iterator[Finding]:
    check_browser(plan.settings, plan.site)
    path = browser_path(plan.settings) or "the Chromium that Playwright has"
    yield ok("browser", f"playwright {metadata.version('playwright')}, {path}")


# --- What is asked of the network -------------------------------------------------------------------------------------


MOST_ORIGINS = 200

NAME_HELPS = "mend the address in the site file, or the name servers (GWC_DNS_SERVERS, /etc/resolv.conf)"
ROBOTS_HELPS = "open it in a browser; a crawl waits for it (GWC_ROBOTS_PATIENCE_SECONDS)"


@dataclass(slots=True)
class _Origin:
    """A server of entries: scheme://host:port."""

    url: str
    settings: BaseSettings
    entries: list[str] = field(default_factory=list)


def network_checks(plans: Sequence[SiteFiles], seconds: float) -> list[Check]:
    """Return a check of each name and each robots.txt of these sites' entries; *seconds*: the longest wait of one."""
    origins: dict[str, _Origin] = {}
    for plan in plans:
        for entry in plan.site.entry:
            parts = urlsplit(entry)
            url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
            origins.setdefault(url, _Origin(url, plan.settings)).entries.append(entry)
    asked = list(origins.values())[:MOST_ORIGINS]
    names = {urlsplit(one.url).hostname or one.url: one.settings for one in asked}
    return [
        *(Check(f"name {name}", partial(_look_up, name, one, seconds), NAME_HELPS) for name, one in names.items()),
        *(Check(f"{one.url}/robots.txt", partial(_robots, one, seconds), ROBOTS_HELPS) for one in asked),
    ]


def _look_up(name: str, settings: BaseSettings, seconds: float) -> Iterator[Finding]:
    """Look up a name as a crawl does, past its cache: its addresses, and how long that took."""
    title = f"name {name}"
    plan = lookup_plan(settings)
    if literal_of(name):
        yield ok(title, "an address")
    elif overrides_of(settings).get(name):
        yield ok(title, "as GWC_DNS_HOSTS says")
    elif not plan.is_own:
        yield ok(title, "asked by TWISTED_DNS")
    elif not is_name(name):
        yield fail(title, "that is no host name", NAME_HELPS)
    else:
        began = time.monotonic()
        answer = asyncio.run(NameServers(plan.servers, min(seconds, plan.timeout_seconds))(name))
        took = f"{(time.monotonic() - began) * 1000:.0f} ms"
        if answer.addresses:
            yield ok(title, f"{', '.join(answer.addresses[:3])} in {took}")
        else:
            yield fail(title, f"the name servers say in {took} that there is no such name", NAME_HELPS)


def _robots(origin: _Origin, seconds: float) -> Iterator[Finding]:
    """Ask for a robots.txt: its rules for the entries, and the server's time."""
    settings, title = origin.settings, f"{origin.url}/robots.txt"
    request = urllib.request.Request(title, headers={"User-Agent": str(settings["USER_AGENT"])})
    verifies = settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
    context = ssl.create_default_context() if verifies else ssl._create_unverified_context()
    status, text, date = _answer(request, seconds, context)
    if status >= 500 or status == 429:
        yield fail(title, f"answers {status}; a crawl fetches nothing there until it does better", ROBOTS_HELPS)
    elif status >= 400:
        yield ok(title, f"{status}: there is none, all is allowed")
    else:
        yield _judged(origin, title, text)
    if date and abs(ahead := parsedate_to_datetime(date).timestamp() - time.time()) > SKEW_SECONDS:
        yield skew_finding(origin.url, ahead)


def _answer(request: urllib.request.Request, seconds: float, context: ssl.SSLContext) -> tuple[int, str, str]:
    try:
        with urllib.request.urlopen(request, timeout=seconds, context=context) as answer:
            text = answer.read(MAX_ROBOTS_BYTES).decode("utf-8", "replace")
            return answer.status, text, answer.headers["Date"] or ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, "", error.headers["Date"] or ""
    except urllib.error.URLError as error:
        raise WireError(f"no answer: {error.reason}") from error
    except HTTPException as error:
        raise WireError(f"no answer that can be read: {error!r}") from error
    except OSError as error:
        raise WireError(f"no answer: {error}") from error


def _judged(origin: _Origin, title: str, text: str) -> Finding:
    settings, rules = origin.settings, Protego.parse(text)
    agent = str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])
    shut = [entry for entry in origin.entries if not rules.can_fetch(entry, agent)]
    if shut and settings.getbool("ROBOTSTXT_OBEY"):
        told = f"forbids {agent.split('/')[0].split(' ')[0]} {shut[0]}"
        return fail(title, told, "begin at another page, or ask the site's owner")
    delay = rules.crawl_delay(agent)
    told = f"lets us in{f', {delay:g} s between two requests' if delay else ''}"
    if delay and delay > 30:
        return warn(title, told, "such a crawl takes long; ask the site's owner for a shorter crawl-delay")
    return ok(title, told)
