"""Why a run ended stands on stderr, once, and once in the log file, however that is named."""

from __future__ import annotations

import os

import pytest

from tests import started
from tests.conftest import ROOT, Outcome, Project
from tests.processes import free_port
from tests.site_server import SiteServer

SAMPLES = """
entry = ["{url}/"]
[[samples]]
url = "{url}/p/1{missing}"
fields = {{ title = "{value} 1" }}
[[samples]]
url = "{url}/p/2"
fields = {{ title = "{value} 2" }}
"""

REASONS = {
    "no such site": ("crawl nosuch", "no site or spider named 'nosuch'"),
    "no site": ("crawl", "name one site"),
    "unknown option": ("learn shop --frob", "unknown option --frob"),
    "a pair that is none": ("crawl shop -s bad", "Invalid -s value"),
    "unknown setting": ("crawl shop -s GWC_NOPE=1", "GWC_NOPE"),
    "a value that can't be": ("crawl shop -s GWC_SINK=nowhere", "GWC_SINK"),
    "mistake in a site file": ("crawl broken", "unknown key 'entri'"),
    "value not on the page": ("learn wrong", "Unheard-of 1"),
    "sample 404": ("learn missing", "404"),
    "feed that can't be written": ("crawl graph -O nodir/file/x.csv", "nodir"),
    "Redis away": ("crawl graph -s GWC_FRONTIER=redis -s REDIS_URL={redis}", "Redis"),
    "nothing learned": ("extract shop", "shop"),
    "nothing stored": ("export shop -o x.csv", "shop"),
    "no queue": ("queue nosuch list", "no site or spider named 'nosuch'"),
    "why of nothing": ("why nosuch http://a.example/", "no site or spider named 'nosuch'"),
    "an option without its value": ("crawl shop -a", "expected one argument"),
    "no number": ("work --idle soon", "invalid float value"),
    "a plug-in that raises": ('crawl graph -s ITEM_PIPELINES={{"plug.Raising":1}}', "AttributeError: it is broken"),
    "work without Redis": ("work", "a fleet shares its queue in Redis"),
}
"""Reason → command, and what its message has."""


@pytest.fixture
def shop(project: Project, site: SiteServer) -> Project:
    site.links = {"/": ["/p/1", "/p/2"], "/p/1": [], "/p/2": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    project.write_site("broken", f'entri = ["{site.url}/"]\n')
    for name, missing, value in (("shop", "", "page"), ("wrong", "", "Unheard-of"), ("missing", "23", "page")):
        project.write_site(name, SAMPLES.format(url=site.url, missing=missing, value=value))
    (project.directory / "nodir").write_text("")
    (project.directory / "plug.py").write_text(
        "class Raising:\n    def open_spider(self):\n        raise AttributeError('it is broken')\n"
    )
    return project


def ended(project: Project, command: str, *more: str) -> Outcome:
    return project.scrapy(*command.format(redis=f"redis://127.0.0.1:{free_port()}/0").split(), *more)


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_stands_on_stderr_and_in_the_log_file(shop: Project, reason: str) -> None:
    command, says = REASONS[reason]
    outcome = ended(shop, command, *(("--logfile", "a.log") if len(reason) % 2 else ("-s", "LOG_FILE=a.log")))
    logged = (shop.directory / "a.log").read_text()
    assert outcome.code not in (0, None)
    last = [line for line in outcome.err.splitlines() if says in line]
    assert len(last) == 1, outcome.err
    assert logged.count("CRITICAL") == 1, logged
    assert says in logged.partition("CRITICAL")[2]


@pytest.mark.parametrize("reason", ["unknown setting", "value not on the page", "no such site"])
def test_without_a_log_file_a_reason_is_told_once(shop: Project, reason: str) -> None:
    command, says = REASONS[reason]
    outcome = ended(shop, command)
    assert sum(says in line for line in outcome.err.splitlines()) == 1
    assert "CRITICAL" not in outcome.err


@pytest.mark.parametrize("path", ["no/such/a.log", "sites"])
def test_a_log_that_cant_be_written_ends_a_command_with_a_line(shop: Project, path: str) -> None:
    outcome = ended(shop, "crawl graph", "-s", f"LOG_FILE={path}")
    assert outcome.code == 2
    assert outcome.err.startswith(f"the log {path} can't be written")
    assert len(outcome.err.splitlines()) == 1


SLIPS = {
    "unknown command": ("settings_profiles.local", "crawll shop", "there is no command 'crawll'"),
    "no such settings": ("nosuch.settings", "crawl shop", "No module named 'nosuch'"),
    "broken settings": ("broken_settings", "crawl shop", "invalid syntax"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_gwc_logs_what_is_wrong_before_a_command_begins(shop: Project, slip: str) -> None:
    module, command, says = SLIPS[slip]
    (shop.directory / "broken_settings.py").write_text("def (")
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": module, "PYTHONPATH": f"{ROOT}:{shop.directory}"}
    words = [*command.split(), "--logfile", "a.log"]
    done = started.run("gwc_crawler", *words, cwd=shop.directory, env=environment)
    assert done.returncode == 2
    reason = done.stderr.strip()
    assert says in reason
    assert (shop.directory / "a.log").read_text().count(reason) == 1
