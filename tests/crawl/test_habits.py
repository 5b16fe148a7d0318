"""A spider of a user's own does in this project what it does in a fresh Scrapy project, habit by habit.

The same spiders crawl the same server in both; what the server saw and what came out is compared.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests import started
from tests.conftest import ROOT
from tests.crawl.habit_spiders import HABITS
from tests.site_server import SiteServer

NAMES = [str(habit.name) for habit in HABITS]
SEEN_HEADERS = ("referer", "cookie", "authorization", "user-agent", "accept", "accept-language", "x-marked")

DECIDED = {
    "BOT_NAME", "USER_AGENT", "NEWSPIDER_MODULE", "SPIDER_MODULES", "SPIDER_LOADER_CLASS", "COMMANDS_MODULE",  # names
    "DOWNLOAD_VERIFY_CERTIFICATES", "TELNETCONSOLE_ENABLED", "REMOTE_CONTROL_ENABLED",  # safe
    "LOG_LEVEL",
    "TWISTED_DNS_RESOLVER",  # both kinds of addresses
}  # fmt: skip
"""Settings that this project has different from a fresh one, for all spiders in it."""

SERVERS = {"TelnetConsole", "RemoteControl"}
"""Extensions that open a port, which this project does not."""


def serve(site: SiteServer) -> None:
    """Pages for every habit."""
    for name in NAMES:
        site.links[f"/{name}/"] = [f"item/{number}" for number in range(1, 7)]
        for number in range(1, 7):
            site.links[f"/{name}/item/{number}"] = [f"/{name}/", f"/{name}/item/1"]
    site.links["/offsite/"] = ["item/1", f"{site.url.replace('127.0.0.1', 'localhost')}/offsite/item/2"]
    site.links["/http_errors/"] += ["missing"]
    site.links["/handled_errors/"] += ["missing"]
    site.statuses["/retries/item/1"] = [503, 503, 200]
    site.statuses["/retries/item/2"] = 503
    site.links["/depth/item/6"] = ["/depth/deeper"]
    site.links["/url_length/"] += ["item/" + "x" * 60]
    site.texts["/meta_refresh/item/1"] = '<meta http-equiv="refresh" content="0; url=/meta_refresh/refreshed">'
    site.links["/meta_refresh/refreshed"] = []
    for name in ("redirects", "no_redirects"):
        for number, target in ((1, "new"), (2, "new"), (3, "gone")):
            path = f"/{name}/item/{number}"
            site.statuses[path], site.headers[path] = 302, {"Location": f"/{name}/{target}"}
        site.links[f"/{name}/new"] = []
    site.headers["/cookies/"] = {"Set-Cookie": "basket=full"}
    site.bodies["/robots.txt"] = b"User-agent: *\nDisallow: /broken/private\n", "text/plain"


def run(site: SiteServer, directory: Path, settings: str) -> dict[str, Any]:
    """Crawl in a project; gives what came out, and what the server saw of each habit."""
    site.clear()
    environment = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
    done = started.run(
        "tests.crawl.habit_spiders",
        site.url,
        cwd=directory,
        env={**environment, "SCRAPY_SETTINGS_MODULE": settings, "PYTHONPATH": f"{ROOT}:{directory}"},
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    for name in NAMES:
        requests = [one for one in site.requests if one.target.startswith(f"/{name}/")]
        seen = [(one.target, {key: one.headers.get(key) for key in SEEN_HEADERS}) for one in requests]
        in_order = "CONCURRENT_REQUESTS" in (HABITS[NAMES.index(name)].custom_settings or {})
        result["habits"][name]["asked"] = seen if in_order else sorted(seen, key=str)
    result["robots"] = site.hits["/robots.txt"]
    return result


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """What came out in a fresh Scrapy project, and in this one."""
    plain, ours = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("ours")
    assert started.run("scrapy.cmdline", "startproject", "fresh", str(plain), cwd=plain).returncode == 0
    with SiteServer() as site:
        serve(site)
        return run(site, plain, "fresh.settings"), run(site, ours, "settings_profiles.local")


@pytest.mark.parametrize("name", NAMES)
def test_a_habit_is_served_as_in_a_fresh_project(name: str, both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    theirs, ours = (one["habits"][name] for one in both)
    theirs["extensions"] = [one for one in theirs["extensions"] if one not in SERVERS]
    assert ours == theirs
    assert ours["asked"]
    assert ours["items"] or name == "close_spider"


def test_the_spiders_see_what_they_are_about(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """The comparison is not of nothing with nothing."""
    habits = both[1]["habits"]
    stats = {name: habits[name]["stats"] for name in NAMES}
    assert stats["offsite"]["offsite/filtered"] == "1"
    assert any('"HttpError"' in item for item in habits["http_errors"]["items"])
    assert any('"status": 404' in item for item in habits["handled_errors"]["items"])
    assert stats["retries"]["retry/count"] == "4"
    assert stats["depth"]["request_depth_max"] == "1"
    assert stats["url_length"]["urllength/request_ignored_count"] == "1"
    assert any("/refreshed" in item for item in habits["meta_refresh"]["items"])
    assert any(headers["cookie"] for _, headers in habits["cookies"]["asked"])
    assert all(headers["authorization"] for _, headers in habits["credentials"]["asked"])
    assert sum(bool(headers["referer"]) for _, headers in habits["http_errors"]["asked"]) == 7
    assert len(habits["duplicates"]["asked"]) == 3 + 6
    assert [target[-1] for target, _ in habits["order"]["asked"]] != sorted(
        target[-1] for target, _ in habits["order"]["asked"]
    )
    assert any('"together": true' in item for item in habits["pipelines"]["items"])
    assert stats["close_spider"]["finish_reason"] == "closespider_pagecount"
    assert {"LogStats", "CoreStats", "MemoryUsage"} <= set(habits["order"]["extensions"])
    assert "AutoThrottle" in habits["throttled"]["extensions"]
    assert both[0]["files"] == both[1]["files"]
    assert both[1]["files"]["items"] == 20
    assert both[1]["files"]["seen"] > 0
    assert both[0]["robots"] == both[1]["robots"] > 0


def test_the_project_differs_from_a_fresh_one_where_that_was_decided(
    both: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    theirs, ours = (one["settings"] for one in both)
    assert {name for name in theirs if theirs[name] != ours[name]} - DECIDED == set()
