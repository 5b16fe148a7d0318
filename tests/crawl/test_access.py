"""Headers, credentials and cookies of a site file: they reach the site's own hosts, no file, log or answer."""

from __future__ import annotations

import base64
import gzip
import json
import time
from urllib.parse import quote, quote_plus

import pytest

from tests.conftest import Outcome, Project
from tests.debian_proxies import Tinyproxy
from tests.members_site import PASSWORD, USER, MembersSite
from tests.site_server import SiteServer

KEY = "k3y-0f-the-sh0p"
COOKIE = "c00kie-0f-ann-0815"
SOON = int(time.time()) + 86_400


def crawl(project: Project, site: SiteServer, more: str, **settings: object) -> Outcome:
    project.write_graph_site(site.url, more=more)
    project.write_knowledge()
    return project.scrapy("crawl", "graph", settings=settings)


def test_headers_and_credentials_reach_the_sites_own_hosts_alone(
    project: Project, site: SiteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
    with SiteServer() as foreign:
        site.links = {"/": ["/a", "/away"], "/a": []}
        site.statuses = {"/away": 302, "/robots.txt": 302}
        site.headers = {"/away": {"Location": f"{foreign.url}/"}, "/robots.txt": {"Location": f"{foreign.url}/rules"}}
        foreign.bodies["/rules"] = foreign.bodies["/robots.txt"]
        more = '[headers]\nX-Api-Key = "{env:SHOP_KEY}"\nAccept-Language = "de"\n'
        more += '[auth]\nuser = "ann"\npassword = "{env:SHOP_PASSWORD}"\n'
        assert crawl(project, site, more).code == 0
        basic = "Basic " + base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
        pages = [one for one in site.requests if one.target in ("/", "/a", "/robots.txt")]
        assert {(one.headers["x-api-key"], one.headers["authorization"]) for one in pages} == {(KEY, basic)}
        assert {one.headers["accept-language"] for one in pages} == {"de"}
        assert foreign.hits["/rules"] == 1
        assert not [one for one in foreign.requests if {"x-api-key", "authorization"} & one.headers.keys()]


def test_cookies_of_a_browser_are_sent_and_grow_with_the_crawl(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/a"], "/a": []}
    site.headers = {"/": {"Set-Cookie": "basket=7"}}
    rows = [
        {"name": "sid", "value": COOKIE, "domain": "127.0.0.1", "expirationDate": SOON, "hostOnly": True},
        {"name": "old", "value": "gone-long-ago", "domain": "127.0.0.1", "expirationDate": 1_000_000_000},
        {"name": "other", "value": "of-a-stranger", "domain": ".elsewhere.example", "expirationDate": SOON},
    ]
    (project.directory / "sites").mkdir()
    (project.directory / "sites" / "jar.json").write_text(json.dumps(rows), encoding="utf-8")
    ended = crawl(project, site, '[cookies]\nfile = "jar.json"\n')
    assert ended.code == 0, ended.err
    sent = {one.target: one.headers.get("cookie", "") for one in site.requests}
    assert sent["/"] == f"sid={COOKIE}"
    assert set(sent["/a"].split("; ")) == {f"sid={COOKIE}", "basket=7"}
    assert "have expired: old; export them anew" in ended.err
    assert COOKIE not in ended.err


def test_what_a_crawl_can_not_do_without_is_said_with_its_line(project: Project, site: SiteServer) -> None:
    jar = project.directory / "sites" / "cookies.txt"
    jar.parent.mkdir()
    more = '[cookies]\nfile = "cookies.txt"\n'
    path = "sites/graph.toml"
    missing = crawl(project, site, more)
    assert missing.code == 2
    assert f"{path}:3: the cookies of " in missing.err
    jar.write_text(f"# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t1000000000\tsid\t{COOKIE}\n", "utf-8")
    old = project.scrapy("crawl", "graph")
    assert old.code == 2
    assert "all 1 of the site's have expired; export them anew" in old.err
    off = project.scrapy("crawl", "graph", settings={"HTTPPROXY_ENABLED": True})
    assert COOKIE not in missing.err + old.err + off.err
    unset = crawl(
        project, site, '[headers]\nX-Api-Key = "{env:NOT_THERE}"\n[auth]\nuser = "a"\npassword = "{env:NOR_THIS}"\n'
    )
    assert unset.code == 2
    assert f"{path}:4: the environment variable NOT_THERE is not set; export NOT_THERE=… before" in unset.err
    assert f"{path}:7: the environment variable NOR_THIS is not set" in unset.err
    assert not site.hits


def test_no_secret_is_in_any_file_log_or_answer_of_a_crawl(
    project: Project, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {"SHOP_USER": USER, "SHOP_PASSWORD": PASSWORD, "SHOP_KEY": KEY, "PROXY_PASSWORD": "pr0xyw0rd"}
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    elsewhere = tmp_path_factory.mktemp("proxy")
    with MembersSite(pages=8, uses=5) as site, Tinyproxy(elsewhere, "ann:pr0xyw0rd") as proxy:
        more = (
            '[headers]\nX-Api-Key = "{env:SHOP_KEY}"\n'
            '[auth]\nuser = "{env:SHOP_USER}"\npassword = "{env:SHOP_PASSWORD}"\n'
            f'[cookies]\nfile = "cookies.txt"\n[proxies]\nurls = ["http://ann:{{env:PROXY_PASSWORD}}@{proxy.address}"]\n'
        )
        samples = "".join(
            f'[[samples]]\nurl = "{site.url}/item/{number}"\nfields = {{ title = "/item/{number}" }}\n'
            for number in (3, 5)
        )
        project.write_site("graph", site.site_file(more + samples))
        jar = project.directory / "sites" / "cookies.txt"
        jar.write_text(f"# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tpass\t{COOKIE}\n", "utf-8")
        site.forbidden = {"/item/7"}
        told = [
            project.scrapy(
                "crawl", "graph", "-O", "out.jsonl",
                settings={"LOG_LEVEL": "DEBUG", "COOKIES_DEBUG": True, "LOG_FILE": "crawl.log", "STATS_DUMP": True,
                          "GWC_WARC": "warc/"},
            )
        ]  # fmt: skip
        assert told[0].code == 0, told[0].err
        heard = [headers for _, path, headers in site.heard if path.startswith("/item/")]
        assert all(one["x-api-key"] == KEY and COOKIE in one["cookie"] and "authorization" in one for one in heard)
        assert proxy.requests >= len(site.heard)
        told += [
            project.scrapy("status", "graph", "--json"),
            project.scrapy("why", "graph", f"{site.url}/item/7", "--json"),
            project.scrapy("queue", "graph", "list"),
            project.scrapy("parse", "--spider", "graph", f"{site.url}/item/4", "--json"),
        ]
        monkeypatch.setenv("SHOP_PASSWORD", wrong := "n0t-the-w0rd")
        told.append(project.scrapy("crawl", "graph", "-a", "recrawl=all", "-s", "LOG_LEVEL=DEBUG"))
        assert told[-1].code == 3
        monkeypatch.delenv("SHOP_PASSWORD")  # without a request nobody asks for it
        told += [project.scrapy("extract", "graph", "--json"), project.scrapy("status", "graph")]
        assert [one.code for one in told[-2:]] == [0, 0]
        values = [*secrets.values(), wrong, COOKIE, *site.sessions]
    pair = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    words = {form for value in (*values, pair) for form in (value, quote(value, safe=""), quote_plus(value))}
    texts = {f"{command}": (one.out + one.err).encode() for command, one in enumerate(told)}
    texts |= {str(path): path.read_bytes() for path in project.directory.rglob("*") if path.is_file()}
    del texts[str(jar)]
    texts |= {name: gzip.decompress(text) for name, text in texts.items() if name.endswith(".warc.gz")}
    archived = b"".join(text for name, text in texts.items() if name.endswith(".warc.gz"))
    assert archived.count(b"X-Api-Key: ***************") >= 8
    assert b"/session" not in archived
    assert any(name.endswith("crawl.log") for name in texts)
    assert any(name.endswith("out.jsonl") for name in texts)
    assert any(b"********" in text for text in texts.values())
    assert [(name, word) for name, text in texts.items() for word in words if word.encode() in text] == []
