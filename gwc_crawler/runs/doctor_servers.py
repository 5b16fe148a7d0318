"""The servers that a crawl may share or write to, and the browser: only those that the settings ask for."""

from __future__ import annotations

import asyncio
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPException
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

from protego import Protego
from scrapy.settings import BaseSettings

from gwc_crawler import wiring
from gwc_crawler.dns import NameServers, is_name, literal_of
from gwc_crawler.errors import WireError
from gwc_crawler.modes import BrowserFor
from gwc_crawler.runs.doctor import Check, Finding, SitePlan, fail, ok, warn

LEAST_REDIS = (6, 2)
LEAST_PYMSSQL = (2, 4, 6)
SKEW_SECONDS = 5.0
"""Clocks further apart than this make leases look older or younger than they are."""

REDIS_SETTINGS = ("REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_DB", "REDIS_PARAMS")
REDIS_HELPS = "start it, or mend REDIS_URL; without a shared crawl, GWC_FRONTIER = sqlite needs none"
SERVERS = {
    "mssql": (
        "SQL Server",
        ("GWC_MSSQL_HOST", "GWC_MSSQL_PORT", "GWC_MSSQL_USER", "GWC_MSSQL_DATABASE", "GWC_MSSQL_ENCRYPTION"),
        "mend GWC_MSSQL_HOST, _PORT, _USER, _PASSWORD, _DATABASE (docs/sql-server.md)",
    ),
    "postgres": ("PostgreSQL", ("GWC_POSTGRES_URL",), "mend GWC_POSTGRES_URL (docs/sql-server.md)"),
}
"""Sink → the server's name, the settings by which one is another, what helps."""


def rights_checks(plans: Iterable[SitePlan]) -> list[Check]:
    """Return for each site that is shared the check of what its crawl may do in Redis."""
    shared = (plan for plan in plans if wiring.is_in_redis(plan.settings))
    return [
        Check(f"Redis, {plan.site.name}", partial(_rights, plan), "docs/fleet.md, Rights in Redis") for plan in shared
    ]


def server_checks(settings: Iterable[BaseSettings], *, offline: bool) -> list[Check]:
    """Return the checks of Redis and SQL Server, one for each that any of these settings needs."""
    checks: dict[str, Check] = {}
    for one in settings:
        if wiring.is_in_redis(one) and not offline:
            key = repr([one.get(name) for name in REDIS_SETTINGS])
            checks.setdefault(key, Check("Redis", partial(_redis, one), REDIS_HELPS))
        if "mssql" in wiring.sink_names(one):
            checks.setdefault("driver", Check("SQL Server", _driver, f"pip install 'pymssql>={_text(LEAST_PYMSSQL)}'"))
        for engine in () if offline else set(wiring.sink_names(one)) & {*SERVERS}:
            title, names, helps = SERVERS[engine]
            key = repr([engine, *(one.get(name) for name in names)])
            checks.setdefault(key, Check(title, partial(_server, one, engine), helps))
    return list(checks.values())


def browser_checks(plans: Iterable[SitePlan]) -> list[Check]:
    """Return the check of what renders pages, for the first of these sites that has some rendered."""
    for plan in plans:
        if wiring.browser_for(plan.settings, plan.site) is not BrowserFor.NONE:
            return [Check("browser", partial(_browser, plan), "without one: browser = false in the site file")]
    return []


def _text(version: Iterable[int]) -> str:
    return ".".join(map(str, version))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3] if part.isdigit())


# --- Redis ------------------------------------------------------------------------------------------------------------


def _redis(settings: BaseSettings) -> Iterator[Finding]:
    from gwc_crawler.crawl import connect  # Redis only where it is asked for
    from gwc_crawler.store import redis_errors

    server = connect(settings)
    try:
        with redis_errors():
            yield from _redis_findings(server)
    finally:
        server.close()


def _rights(plan: SitePlan) -> Iterator[Finding]:
    from gwc_crawler.crawl import check_server, connect, start_urls

    name, server = f"Redis, {plan.site.name}", connect(plan.settings)
    with closing(server):
        if problem := start_urls(plan.site.name, plan.settings, server).problem():
            yield warn(name, problem, "take it away")
        check_server(plan.site.name, plan.settings, server)
        yield ok(name, "its user has the rights of a crawl")


def _redis_findings(server: Any) -> Iterator[Finding]:
    info = _first(server.info())
    is_cluster = bool(info.get("cluster_enabled"))
    version = str(info.get("redis_version", "0"))
    told = f"version {version}, {'cluster' if is_cluster else info.get('redis_mode', 'standalone')}"
    told += f", {info.get('used_memory_human', '?')} used, {info.get('connected_clients', '?')} clients"
    if _numbers(version) < LEAST_REDIS:
        yield fail("Redis", told, f"install Redis {_text(LEAST_REDIS)} or newer")
    else:
        yield ok("Redis", told)
    yield _persistence(info)
    yield _memory(info)
    if not is_cluster:
        before = time.time()
        seconds, micro = server.time()
        yield skew_finding("Redis", seconds + micro / 1e6 - (before + time.time()) / 2)


def _first(info: Any) -> dict[str, Any]:
    """INFO of one server; of a cluster's nodes the first."""
    return next(iter(info.values())) if info and all(isinstance(one, dict) for one in info.values()) else info


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
    """Return what it means that another's clock is *seconds* ahead of ours."""
    if abs(seconds) <= SKEW_SECONDS:
        return ok("clock", f"within {max(1.0, abs(seconds)):.0f} s of that of {of_whom}")
    where = "behind" if seconds > 0 else "ahead of"
    told = f"{abs(seconds):,.0f} s {where} that of {of_whom}"
    return warn("clock", told, "set it: timedatectl set-ntp true (chrony, systemd-timesyncd)")


# --- SQL Server -------------------------------------------------------------------------------------------------------


def _driver() -> Iterator[Finding]:
    version = metadata.version("pymssql")
    if _numbers(version) < LEAST_PYMSSQL:
        told = f"driver pymssql {version}: older ones garble some texts"
        yield fail("SQL Server", told, f"pip install 'pymssql>={_text(LEAST_PYMSSQL)}'")
    else:
        yield ok("SQL Server", f"driver pymssql {version}")


def _server(settings: BaseSettings, engine: str) -> Iterator[Finding]:
    from gwc_crawler.store.server import OutletConfig, ServerFault, connect

    config = OutletConfig.from_settings(settings, engine).server
    try:
        with connect(config) as server:
            version = server.version()
    except ServerFault as error:
        yield fail(config.name, f"{config.place}: {error}", SERVERS[engine][2])
        return
    yield ok(config.name, f"{config.place}: {version}")


# --- browser ----------------------------------------------------------------------------------------------------------


def _browser(plan: SitePlan) -> Iterator[Finding]:
    wiring.check_browser(plan.settings, plan.site)
    path = wiring.browser_path(plan.settings) or "the Chromium that Playwright has"
    yield ok("browser", f"playwright {metadata.version('playwright')}, {path}")


# --- What is asked of the network -------------------------------------------------------------------------------------


MOST_ORIGINS = 200
"""So many are asked at most; of more the first."""

ROBOTS_BYTES = 512_000

NAME_HELPS = "mend the address in the site file, or the name servers (GWC_DNS_SERVERS, /etc/resolv.conf)"
ROBOTS_HELPS = "open it in a browser; a crawl waits for it (GWC_ROBOTS_PATIENCE_SECONDS)"


@dataclass(slots=True)
class _Origin:
    """A server of entries: scheme://host:port."""

    url: str
    settings: BaseSettings
    entries: list[str] = field(default_factory=list)


def network_checks(plans: Sequence[SitePlan], seconds: float) -> list[Check]:
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
        *(Check(f"name {name}", _Names(name, settings, seconds).look, NAME_HELPS) for name, settings in names.items()),
        *(Check(f"{one.url}/robots.txt", _Robots(one, seconds).look, ROBOTS_HELPS) for one in asked),
    ]


@dataclass(frozen=True, slots=True)
class _Names:
    """Looks up a name as a crawl does, past its cache."""

    name: str
    settings: BaseSettings
    seconds: float

    def look(self) -> Iterator[Finding]:
        """Tell its addresses, and how long that took."""
        title = f"name {self.name}"
        given = wiring.overrides_of(self.settings).get(self.name)
        plan = wiring.lookup_plan(self.settings)
        if literal_of(self.name) or given or not plan.is_own:
            how = (
                "an address" if literal_of(self.name) else "as GWC_DNS_HOSTS says" if given else "asked by TWISTED_DNS"
            )
            yield ok(title, how)
            return
        if not is_name(self.name):
            yield fail(title, "that is no host name", NAME_HELPS)
            return
        began = time.monotonic()
        answer = asyncio.run(NameServers(plan.servers, min(self.seconds, plan.timeout_seconds))(self.name))
        took = f"{(time.monotonic() - began) * 1000:.0f} ms"
        if answer.addresses:
            yield ok(title, f"{', '.join(answer.addresses[:3])} in {took}")
        else:
            yield fail(title, f"the name servers say in {took} that there is no such name", NAME_HELPS)


@dataclass(frozen=True, slots=True)
class _Robots:
    """Asks for a robots.txt, and whether it lets us in."""

    origin: _Origin
    seconds: float

    def look(self) -> Iterator[Finding]:
        """Tell what it says of the entries, and what time the server has."""
        settings = self.origin.settings
        title = f"{self.origin.url}/robots.txt"
        agent = str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])
        request = urllib.request.Request(title, headers={"User-Agent": str(settings["USER_AGENT"])})
        verifies = settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
        context = ssl.create_default_context() if verifies else ssl._create_unverified_context()
        status, text, date = self._answer(request, context)
        if status >= 500 or status == 429:
            yield fail(title, f"answers {status}; a crawl fetches nothing there until it does better", ROBOTS_HELPS)
        elif status >= 400:
            yield ok(title, f"{status}: there is none, all is allowed")
        else:
            yield self._judged(title, text, agent)
        if date and abs(ahead := parsedate_to_datetime(date).timestamp() - time.time()) > SKEW_SECONDS:
            yield skew_finding(self.origin.url, ahead)

    def _answer(self, request: urllib.request.Request, context: ssl.SSLContext) -> tuple[int, str, str]:
        try:
            with urllib.request.urlopen(request, timeout=self.seconds, context=context) as answer:
                return answer.status, answer.read(ROBOTS_BYTES).decode("utf-8", "replace"), answer.headers["Date"] or ""
        except urllib.error.HTTPError as error:
            with error:
                return error.code, "", error.headers["Date"] or ""
        except urllib.error.URLError as error:
            raise WireError(f"no answer: {error.reason}") from error
        except HTTPException as error:
            raise WireError(f"no answer that can be read: {error!r}") from error
        except OSError as error:
            raise WireError(f"no answer: {error}") from error

    def _judged(self, title: str, text: str, agent: str) -> Finding:
        settings, rules = self.origin.settings, Protego.parse(text)
        shut = [entry for entry in self.origin.entries if not rules.can_fetch(entry, agent)]
        if shut and settings.getbool("ROBOTSTXT_OBEY"):
            told = f"forbids {agent.split('/')[0].split(' ')[0]} {shut[0]}"
            return fail(title, told, "begin at another page, or ask the site's owner")
        delay = rules.crawl_delay(agent)
        told = f"lets us in{f', {delay:g} s between two requests' if delay else ''}"
        if delay and delay > 30:
            return warn(title, told, "such a crawl takes long; ask the site's owner for a shorter crawl-delay")
        return ok(title, told)
