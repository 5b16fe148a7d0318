"""A whole crawl that is watched by everything at once; and its secrets, which nobody sees."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import Project
from tests.dashboard.asking import ask
from tests.operate.receivers import Hook, Mail, hook_of, mail_of
from tests.processes import free_port, wait_until
from tests.site_server import SiteServer

SECRETS = {
    "GWC_ALERTS, a webhook": "hookSecret77",
    "GWC_ALERTS, a mail box": "mailSecret77",
    "a header": "headSecret77",
    "HTTP authentication": "authSecret77",
    "a cookie": "cookieSecret77",
    "a proxy of the environment": "proxySecret77",
    "REDIS_URL": "redisSecret77",
    "GWC_MSSQL_PASSWORD": "sqlSecret77",
    "a login": "loginSecret77",
    "AWS_SECRET_ACCESS_KEY": "awsSecret77",
    "FTP_PASSWORD": "ftpSecret77",
}
COOKIES = "127.0.0.1\tFALSE\t/\tFALSE\t4102444800\tkey\tcookieSecret77\n"
GOES_IN = """
[headers]
X-Key = "{env:SITE_KEY}"

[auth]
user = "ann"
password = "{env:SITE_PASSWORD}"

[cookies]
file = "cookies.txt"
"""


def metrics(port: int) -> dict[str, float] | None:
    """Name and labels but the site's → figure; None while nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            text = answer.read().decode()
    except OSError:
        return None
    found = (sample for one in text_string_to_metric_families(text) for sample in one.samples)
    return {"/".join((one.name, *list(one.labels.values())[1:])): one.value for one in found}


def test_a_crawl_is_seen_by_all_and_its_secrets_by_nobody(
    project: Project, site: SiteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hook_of(SECRETS["GWC_ALERTS, a webhook"]) as hook, mail_of(SECRETS["GWC_ALERTS, a mail box"]) as mail:
        watched(project, site, hook, mail, monkeypatch)


def watched(project: Project, site: SiteServer, hook: Hook, mail: Mail, monkeypatch: pytest.MonkeyPatch) -> None:
    """The crawl, killed and continued; then everything that looks at it."""
    site.links = {"/": ["/p/1", "/gone", "/slow"], "/p/1": [], "/slow": []}
    site.delays["/slow"] = 600.0
    project.write_graph_site(site.url, more=GOES_IN)
    (project.directory / "sites" / "cookies.txt").write_text("# Netscape HTTP Cookie File\n" + COOKIES)
    project.write_knowledge()
    for name, value in (
        ("SITE_KEY", SECRETS["a header"]),
        ("SITE_PASSWORD", SECRETS["HTTP authentication"]),
        ("GWC_ALERTS", f"{hook.url} {mail.url}"),
        ("ftp_proxy", f"http://u:{SECRETS['a proxy of the environment']}@127.0.0.1:1"),
    ):
        monkeypatch.setenv(name, value)
    port = free_port()
    settings = {
        "GWC_HERITRIX_LOGS": True,
        "GWC_LOG_FORMAT": "json",
        "LOG_LEVEL": "DEBUG",  # Scrapy tells the settings that were changed
        "GWC_METRICS_PORT": port,
        "GWC_WARC": "warc/",
        "DOWNLOAD_TIMEOUT": 600,
        "REDIS_URL": f"redis://:{SECRETS['REDIS_URL']}@127.0.0.1:1/0",
        **{name: SECRETS[name] for name in ("GWC_MSSQL_PASSWORD", "AWS_SECRET_ACCESS_KEY", "FTP_PASSWORD")},
    }
    with (project.directory / "first.err").open("w") as log:
        process = project.start("crawl", "graph", "--json", settings=settings, stderr=log)
        wait_until(lambda: "/slow" in site.hits or process.poll() is not None, 60)
        wait_until(
            lambda: (metrics(port) or {}).get("gwc_responses_total/200", 0) >= 3 or process.poll() is not None, 60
        )
        seen = metrics(port) or {}
        process.kill()
        process.wait()
    first = (project.directory / "first.err").read_text()
    assert seen, first[-3000:]
    assert seen["gwc_responses_total/404"] == 1
    assert seen["gwc_queue_urls/R"] == 1
    assert seen["gwc_bytes_total"] > 0
    site.delays.clear()
    outcome = project.scrapy("crawl", "graph", "--json", settings=settings | {"GWC_METRICS_PORT": 0})
    assert json.loads(outcome.out)["urls"]["U"] == 0, outcome.err

    folder = project.directory / "data" / "graph"
    rows = [line.split() for line in (folder / "crawl.log").read_text().splitlines()]
    assert {len(row) for row in rows} == {12}
    assert {(row[1], row[3]) for row in rows} >= {("200", f"{site.url}/p/1"), ("404", f"{site.url}/gone")}
    assert "CRAWL ENDED" in (folder / "progress-statistics.log").read_text()
    assert {line[0] for line in first.splitlines()[:2]} == {"{"}, "from the first line on"
    lines = [json.loads(line) for line in outcome.err.splitlines() if line.startswith("{")]
    assert {"ts", "level", "logger", "message"} <= set(lines[0])
    assert [one["title"] for one in hook.told][-1:] == ["GWC Crawler: end, graph"]

    assert [subject for subject, _ in mail.told][-1:] == ["GWC Crawler: end, graph"]

    everything = {"stdout": outcome.out, "stderr": first + outcome.err, "alerts": repr((hook.told, mail.told))}
    for command in (["status", "graph", "--json"], ["why", "graph", f"{site.url}/gone"], ["doctor", "--offline"]):
        told = project.scrapy(*command, settings=settings)
        everything[command[0]] = told.out + told.err
    views = ["/", "/metrics", *(f"/sites/graph{name}" for name in ("", "/queue", "/records", "/fields", "/learned"))]
    for view, page in zip(views, ask(project.directory, *views), strict=True):
        assert page.status == 200, view
        everything[view] = page.text
    everything |= {str(path): path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file()}
    assert seen_in(everything) == []


def seen_in(everything: Mapping[str, str]) -> list[tuple[str, str]]:
    """Who tells which secret."""
    return [(where, secret) for where, text in everything.items() for secret in SECRETS.values() if secret in text]


NO_REDIS = {"GWC_FRONTIER": "redis", "REDIS_URL": "redis://ann:redisSecret77@127.0.0.1:1/0"}
NO_SERVER = {"GWC_SINK": "sqlite,mssql", "GWC_MSSQL_HOST": "127.0.0.1", "GWC_MSSQL_PORT": 1, "GWC_MSSQL_USER": "ann"}
BAD_ALERTS = {"GWC_ALERTS": "nosuch://ann:mailSecret77@mail.example/hookSecret77"}
NO_LOGIN = """[login]
url = "{url}/login"
fields = {{ user = "ann", password = "{{env:SITE_PASSWORD}}" }}
attempts = 1
"""


@pytest.mark.parametrize(
    ("settings", "more", "secret"),
    [
        pytest.param(NO_REDIS, "", "", id="no Redis"),
        pytest.param(
            {**NO_REDIS, "REDIS_URL": "redsi://ann:redisSecret77@127.0.0.1:x"}, "", "", id="no URL of a Redis"
        ),
        pytest.param({**NO_SERVER, "GWC_MSSQL_PASSWORD": "sqlSecret77"}, "", "", id="no SQL Server"),
        pytest.param(BAD_ALERTS, "", "", id="no way to alert"),
        pytest.param({}, NO_LOGIN, SECRETS["a login"], id="no login"),
    ],
)
def test_what_goes_wrong_is_told_without_its_secret(
    project: Project,
    site: SiteServer,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, object],
    more: str,
    secret: str,
) -> None:
    site.links = {"/": []}
    project.write_graph_site(site.url, more=more.format(url=site.url))
    project.write_knowledge()
    if secret:
        monkeypatch.setenv("SITE_PASSWORD", secret)
    short = {"GWC_MSSQL_CLOSE_SECONDS": 1, "GWC_RETRY_MAX_SECONDS": 0.1, "LOG_LEVEL": "DEBUG"}
    outcome = project.scrapy("crawl", "graph", settings={**short, **settings})
    assert outcome.code not in (0, 1) or "GWC_MSSQL_HOST" in settings, outcome.err
    assert seen_in({"stdout": outcome.out, "stderr": outcome.err}) == []
    assert "Traceback" not in outcome.err
