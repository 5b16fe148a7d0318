"""A whole crawl that is watched by everything at once; and its secrets, which nobody sees."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import Project
from tests.processes import free_port, wait_until
from tests.site_server import SiteServer

SECRETS = ("hookSecret77", "headSecret77", "proxySecret77", "redisSecret77", "sqlSecret77")


class Hook:
    """A webhook: `told` has the bodies of what came."""

    def __init__(self) -> None:
        self.told: list[dict[str, str]] = []
        told = self.told

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://ann:{SECRETS[0]}@127.0.0.1:{self.server.server_address[1]}/hook/{SECRETS[0]}path"


@pytest.fixture
def hook() -> Iterator[Hook]:
    hook = Hook()
    yield hook
    hook.server.shutdown()
    hook.server.server_close()


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
    project: Project, site: SiteServer, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.links = {"/": ["/p/1", "/gone", "/slow"], "/p/1": [], "/slow": []}
    site.delays["/slow"] = 600.0
    project.write_graph_site(site.url, more='[headers]\nX-Key = "{env:SITE_KEY}"\n')
    project.write_knowledge()
    for name, value in (
        ("SITE_KEY", SECRETS[1]),
        ("GWC_ALERTS", hook.url),
        ("ftp_proxy", f"http://u:{SECRETS[2]}@127.0.0.1:1"),
        ("GWC_MSSQL_PASSWORD", SECRETS[4]),
    ):
        monkeypatch.setenv(name, value)
    port = free_port()
    settings = {
        "GWC_HERITRIX_LOGS": True,
        "GWC_LOG_FORMAT": "json",
        "GWC_METRICS_PORT": port,
        "GWC_WARC": "warc/",
        "DOWNLOAD_TIMEOUT": 600,
        "REDIS_URL": f"redis://:{SECRETS[3]}@127.0.0.1:1/0",
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

    everything = {
        "stdout": outcome.out.encode(),
        "stderr": (first + outcome.err).encode(),
        "alerts": repr(hook.told).encode(),
    }
    everything |= {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found = [(where, secret) for where, text in everything.items() for secret in SECRETS if secret.encode() in text]
    assert found == []
