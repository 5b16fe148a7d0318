"""The servers that a crawl may share or write to, and the browser: only those that the settings ask for."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from importlib import metadata
from typing import Any

from scrapy.settings import BaseSettings

from gwc_crawler import config
from gwc_crawler.doctor.findings import Check, Finding, fail, ok, warn
from gwc_crawler.doctor.site_files import SitePlan
from gwc_crawler.modes import BrowserFor

LEAST_REDIS = (6, 2)
LEAST_PYMSSQL = (2, 4, 6)
SKEW_SECONDS = 5.0
"""Clocks further apart than this make leases look older or younger than they are."""

REDIS_SETTINGS = ("REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_DB", "REDIS_PARAMS")
MSSQL_SETTINGS = ("GWC_MSSQL_HOST", "GWC_MSSQL_PORT", "GWC_MSSQL_USER", "GWC_MSSQL_DATABASE", "GWC_MSSQL_ENCRYPTION")

REDIS_HELPS = "start it, or mend REDIS_URL; without a shared crawl, GWC_FRONTIER = sqlite needs none"
MSSQL_HELPS = "mend GWC_MSSQL_HOST, _PORT, _USER, _PASSWORD, _DATABASE (docs/sql-server.md)"


def rights_checks(plans: Iterable[SitePlan]) -> list[Check]:
    """Return for each site that is shared the check of what its crawl may do in Redis."""
    shared = (plan for plan in plans if config.is_in_redis(plan.settings))
    return [
        Check(f"Redis, {plan.site.name}", partial(_rights, plan), "docs/fleet.md, Rights in Redis") for plan in shared
    ]


def server_checks(settings: Iterable[BaseSettings], *, offline: bool) -> list[Check]:
    """Return the checks of Redis and SQL Server, one for each that any of these settings needs."""
    checks: dict[str, Check] = {}
    for one in settings:
        if config.is_in_redis(one) and not offline:
            key = repr([one.get(name) for name in REDIS_SETTINGS])
            checks.setdefault(key, Check("Redis", partial(_redis, one), REDIS_HELPS))
        if "mssql" in config.sink_names(one):
            checks.setdefault("driver", Check("SQL Server", _driver, f"pip install 'pymssql>={_text(LEAST_PYMSSQL)}'"))
            key = repr([one.get(name) for name in MSSQL_SETTINGS])
            if not offline:
                checks.setdefault(key, Check("SQL Server", partial(_sql_server, one), MSSQL_HELPS))
    return list(checks.values())


def browser_checks(plans: Iterable[SitePlan]) -> list[Check]:
    """Return the check of what renders pages, for the first of these sites that has some rendered."""
    for plan in plans:
        if config.browser_for(plan.settings, plan.site) is not BrowserFor.NONE:
            return [Check("browser", partial(_browser, plan), "without one: browser = false in the site file")]
    return []


def _text(version: Iterable[int]) -> str:
    return ".".join(map(str, version))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3] if part.isdigit())


# --- Redis ------------------------------------------------------------------------------------------------------------


def _redis(settings: BaseSettings) -> Iterator[Finding]:
    from gwc_crawler.assembly import connect  # Redis only where it is asked for
    from gwc_crawler.redis_server import redis_errors

    server = connect(settings)
    try:
        with redis_errors():
            yield from _redis_findings(server)
    finally:
        server.close()


def _rights(plan: SitePlan) -> Iterator[Finding]:
    from gwc_crawler.assembly import check_server, connect, start_urls

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


def _sql_server(settings: BaseSettings) -> Iterator[Finding]:
    from gwc_crawler.store.mssql import OutletConfig
    from gwc_crawler.store.mssql.writing import ServerConnection, ServerFault

    config = OutletConfig.from_settings(settings).server
    try:
        server = ServerConnection(config)
        try:
            version = server.version()
        finally:
            server.close()
    except ServerFault as error:
        yield fail("SQL Server", f"{config.place}: {error}", MSSQL_HELPS)
        return
    yield ok("SQL Server", f"{config.place}: {version}")


# --- browser ----------------------------------------------------------------------------------------------------------


def _browser(plan: SitePlan) -> Iterator[Finding]:
    config.check_browser(plan.settings, plan.site)
    path = config.browser_path(plan.settings) or "the Chromium that Playwright has"
    yield ok("browser", f"playwright {metadata.version('playwright')}, {path}")
