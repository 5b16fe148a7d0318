"""Checks side by side: their order, what they raise, and one that does not end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy.settings import Settings

from gwc_crawler import settings as ours
from gwc_crawler.network.masking import hide
from gwc_crawler.runs.doctor import AT_ONCE, Check, Finding, Level, machine_checks, run_checks, server_checks
from tests.redis_server import RedisServer
from tests.tds_server import TdsServer


def settings_with(**more: object) -> Settings:
    values = {name: value for name, value in vars(ours).items() if name.isupper()}
    return Settings({**values, **more})


def told(found: list[Finding]) -> dict[str, Level]:
    return {one.name: one.level for one in found}


def test_findings_come_in_the_order_of_their_checks_and_errors_are_some() -> None:
    def broken() -> Iterator[Finding]:
        yield Finding("first half", Level.OK, "well")
        raise PermissionError("not yours")

    checks = [Check("a", lambda: [Finding("a", Level.OK, "")]), Check("b", broken, "chmod"), Check("c", list)]
    found = run_checks(checks, 60)
    assert [(one.name, one.level) for one in found] == [("a", "ok"), ("first half", "ok"), ("b", "fail")]
    assert (found[-1].told, found[-1].helps) == ("PermissionError: not yours", "chmod")


def test_a_check_that_does_not_end_is_not_waited_for() -> None:
    never = threading.Event()
    quick = threading.Event()

    def hang() -> list[Finding]:
        never.wait(600)
        return []

    def soon() -> list[Finding]:
        quick.set()
        return [Finding("quick", Level.OK, "")]

    try:
        found = run_checks([*[Check("slow", hang, "wait") for _ in range(AT_ONCE - 1)], Check("quick", soon)], 1.0)
    finally:
        never.set()
    assert quick.is_set()
    assert told(found) == {"slow": Level.FAIL, "quick": Level.OK}
    assert found[0].told == "no answer within 1 seconds"


def test_a_hundred_checks_share_a_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[threading.Thread] = []

    class Counted(threading.Thread):
        def start(self) -> None:
            begun.append(self)
            super().start()

    monkeypatch.setattr(threading, "Thread", Counted)
    found = run_checks([Check(f"{n}", lambda n=n: [Finding(f"{n}", Level.OK, "")]) for n in range(100)], 60)  # type: ignore[misc]
    assert [one.name for one in found] == [f"{n}" for n in range(100)]
    assert len(begun) == AT_ONCE


def test_a_secret_is_in_no_finding() -> None:
    hide("dont-tell-anyone")
    shown = Finding("a dont-tell-anyone", Level.FAIL, "x dont-tell-anyone", "dont-tell-anyone").as_json()
    assert "dont-tell" not in str(shown)


def test_a_data_directory_that_is_a_file_fails(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    found = run_checks(machine_checks(settings_with(GWC_DATA_DIR=str(tmp_path / "data" / "below"))), 60)
    (failed,) = [one for one in found if one.level is Level.FAIL]
    assert "is no directory" in failed.told


def test_too_few_descriptors_for_the_concurrency_are_told() -> None:
    found = run_checks(machine_checks(settings_with(CONCURRENT_REQUESTS=10_000_000)), 60)
    (warned,) = [one for one in found if one.name == "file descriptors"]
    assert warned.level in (Level.WARN, Level.OK)  # a machine may have no limit
    assert "10000000 requests at once" in warned.told


def test_redis_is_judged_by_what_a_shared_crawl_needs(redis_server: RedisServer) -> None:
    shared = settings_with(GWC_FRONTIER="redis", REDIS_URL=redis_server.url)
    with redis_server.client() as client:
        client.config_set("maxmemory", "100mb")
        client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            found = run_checks(server_checks([shared, shared], offline=False), 60)
        finally:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", "0")
    assert told(found) == {
        "Redis": Level.OK,
        "Redis persistence": Level.WARN,
        "Redis memory": Level.FAIL,
        "clock": Level.OK,
    }
    assert server_checks([shared], offline=True) == []


def test_a_server_that_is_away_is_one_line() -> None:
    away = settings_with(GWC_FRONTIER="redis", REDIS_URL="redis://:s3cr3t@127.0.0.1:1/0")
    (found,) = run_checks(server_checks([away], offline=False), 60)
    assert found.level is Level.FAIL
    assert "s3cr3t" not in str(found.as_json())


@pytest.mark.parametrize("password", [None, "wrong"])
def test_a_sql_server_is_signed_in_to(tds: TdsServer, password: str | None) -> None:
    chosen = dict(tds.settings) | ({"GWC_MSSQL_PASSWORD": password} if password else {})
    found = run_checks(server_checks([settings_with(GWC_SINK="sqlite,mssql", **chosen)], offline=False), 60)
    assert [one.level for one in found] == [Level.OK, Level.FAIL if password else Level.OK]
    assert str(tds.settings["GWC_MSSQL_PASSWORD"]) not in str(found)
