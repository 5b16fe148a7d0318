"""Sites that scripts make: learned and crawled by a browser, which reaches nothing but through the crawl."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer, mall_site_toml
from gwc_crawler.demo.serving import Request, ServedReply
from tests.conftest import Project
from tests.crawl.test_endings import assert_clear
from tests.crawl.test_mall import compare
from tests.site_server import SiteServer

SANDBOX = {"GWC_BROWSER_SANDBOX": os.geteuid() != 0}
"""The pages are the tests' own."""

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium is not installed: make chromium")


SCRIPT_PATH, DATA_PATH = "/static/app.js", "/data"
FRAME = f"<!DOCTYPE html><body><div id='app'></div><script type='module' src='{SCRIPT_PATH}'></script></body>".encode()
SCRIPT = f"""
const answer = await fetch("{DATA_PATH}" + location.pathname);
const page = new DOMParser().parseFromString((await answer.json()).body, "text/html");
document.title = page.title;
document.body.replaceChildren(...page.body.childNodes);
""".encode()


class ScriptedMall(MallServer):
    """Its product pages are an empty frame, which a script of theirs fills."""

    def reply(self, request: Request) -> ServedReply:
        path, shown = request.path, request.path.removeprefix(DATA_PATH)
        if path == SCRIPT_PATH:
            return ServedReply(SCRIPT, "text/javascript")
        if shown != path and self.mall.page(shown) is not None:
            return ServedReply(json.dumps({"body": self.mall.text(shown)}).encode(), "application/json")
        if path in self.mall.records:
            return ServedReply(FRAME, "text/html; charset=utf-8")
        return super().reply(request)


@pytest.fixture
def server() -> Iterator[MallServer]:
    with ScriptedMall(Mall(seed=3, size=30)) as running:
        yield running


@pytest.mark.slow
def test_a_mall_made_by_scripts_is_learned_and_crawled(project: Project, server: MallServer) -> None:
    plain = mall_site_toml(server.mall, server.url)
    project.write_site("mall", plain)
    outcome = project.scrapy("learn", "mall")
    assert_clear(outcome, 4, "is nowhere on", 'browser = "targets"', "GWC_REUSE_SAMPLES_SECONDS=0")
    project.write_site("mall", f'browser = "targets"\n{plain}')
    again = {**SANDBOX, "GWC_REUSE_SAMPLES_SECONDS": 0}
    outcome = project.scrapy("learn", "mall", settings=again)
    assert outcome.code == 0, outcome.err
    hits = dict(server.hits)
    outcome = project.scrapy("crawl", "mall", settings={**SANDBOX, "GWC_WARC": ""})
    assert outcome.code == 0, outcome.err
    found = compare(project, server)
    assert not found, found
    assert server.hits[SCRIPT_PATH] <= 2, "once for a run"
    data = {path: count for path, count in server.hits.items() if path.startswith(DATA_PATH)}
    assert {path.removeprefix(DATA_PATH) for path in data} == set(server.mall.records)
    assert all(count == 1 for count in data.values()), "nothing is rendered twice"
    assert set(server.hits) >= set(hits)


PROBE = """<p>treasure</p><div id="seen"></div><script>
const seen = [];
for (const [name, url] of Object.entries(URLS))
  try { const got = await fetch(url); seen.push(name + got.status); } catch (error) { seen.push(name + "-none"); }
const socket = new WebSocket("SOCKET");
seen.push(await new Promise(told => { socket.onopen = () => told("open"); socket.onerror = () => told("shut"); }));
document.getElementById("seen").textContent = seen.join(" ");
</script><img src="/image.png"><link rel="stylesheet" href="/style.css">"""


def test_a_page_s_scripts_reach_what_the_crawl_may_fetch_and_nothing_else(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/other"], "/other": []}
    site.bodies["/robots.txt"] = (b"User-agent: *\nDisallow: /private\n", "text/plain")
    urls = {"open": "/open", "private": "/private/1", "missing": "/missing"}
    text = PROBE.replace("URLS", str(urls)).replace("SOCKET", site.url.replace("http", "ws") + "/socket")
    site.texts["/"] = text.replace("<script>", "<script type='module'>")
    for path in ("/open", "/private/1", "/socket", "/image.png", "/style.css"):
        site.bodies[path] = (b"here", "text/plain")
    project.write_graph_site(site.url, more="browser = true")
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", settings={**SANDBOX, "GWC_KEEP_HTML": "all"})
    assert outcome.code == 0, outcome.err
    (body,) = project.rows("SELECT body FROM pages WHERE url = ?", f"{site.url}/")[0]
    assert "open200 private-none missing404 shut" in body
    assert set(site.hits) == {"/robots.txt", "/", "/other", "/open", "/missing"}
    (agent,) = {one.headers["user-agent"] for one in site.requests}
    assert agent.startswith("gwc_crawler")


@pytest.mark.slow
def test_a_page_that_never_ends_costs_its_own_time_alone(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/busy", "/fine"], "/busy": [], "/fine": []}
    site.texts["/busy"] = "<script>for (;;) {}</script>"
    project.write_graph_site(site.url, more="browser = true")
    project.write_knowledge()
    settings = {**SANDBOX, "GWC_BROWSER_SECONDS": 6, "RETRY_TIMES": 2}
    outcome = project.scrapy("crawl", "graph", settings=settings)
    states = {url.removeprefix(site.url): state for url, state in project.states().items()}
    assert states == {"/": "C", "/fine": "C", "/busy": "E"}, outcome.err
    reason = project.rows("SELECT reason FROM urls WHERE url = ?", f"{site.url}/busy")[0][0]
    assert "was not rendered in 6 s" in reason


@pytest.mark.parametrize(
    ("site_line", "settings", "words"),
    [
        ('browser = "some"', {}, ("'browser' is 'some'", '"targets"')),
        ("browser = 1", {}, ("'browser' is the number 1", '"targets"')),
        ("browser = true", {"GWC_BROWSER_PATH": "/no/such/chromium"}, ("GWC_BROWSER_PATH", "no program")),
    ],
)
def test_mistakes_are_told(
    project: Project, site: SiteServer, site_line: str, settings: dict[str, str], words: tuple[str, ...]
) -> None:
    project.write_graph_site(site.url, more=site_line)
    project.write_knowledge()
    assert_clear(project.scrapy("crawl", "graph", settings={**SANDBOX, **settings}), 2, *words)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_root_is_told_that_the_sandbox_refuses_it(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url, more="browser = true")
    project.write_knowledge()
    assert_clear(project.scrapy("crawl", "graph"), 2, "sandbox refuses root", "GWC_BROWSER_SANDBOX = False")
