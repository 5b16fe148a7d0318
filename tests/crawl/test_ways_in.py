"""Ways into a private network that a site on the Internet could show a crawl; none of them is gone.

The crawl goes to names that a name server of the test's puts at loopback addresses: those that count as public here are
named in the site file, as a public site's are; what is not named is private, and must not get a single connection.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.conftest import Project
from tests.name_server import NameServer, addresses
from tests.proxy_servers import HttpProxy, SocksProxy
from tests.site_server import SiteServer

INSIDE = "127.0.0.77"
"""Where what must not be reached listens."""


@pytest.fixture
def inside() -> Iterator[SiteServer]:
    with SiteServer({"/secret": [], "/robots.txt": []}, host="0.0.0.0") as server:
        yield server


def crawl(
    project: Project, site: SiteServer, *, hosts: str = "", more: str = "", before: str = "", **settings: object
) -> str:
    """Crawl from shop.test, which is at the site; return what was said."""
    port = site.url.rpartition(":")[2]
    project.write_site(
        "graph", f'entry = ["http://shop.test:{port}/"]\nkeywords = "treasure"\nhosts = [{hosts}]\n{before}\n{more}'
    )
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", settings=settings)
    assert "Traceback" not in outcome.err
    return outcome.out + outcome.err


LITERALS = (
    *("127.0.0.77", "2130706509", "0x7f.77", "0177.0.0.77", "127.77", "[::ffff:127.0.0.77]", "[::ffff:7f00:4d]"),
    *("0.0.0.0", "0", "169.254.169.254"),
)


def test_links_redirects_and_robots_lead_nowhere_inside(project: Project, site: SiteServer, inside: SiteServer) -> None:
    """The pages show private addresses in every spelling, in links, redirects and in robots.txt of other hosts."""
    port, secret = (one.url.rpartition(":")[2] for one in (site, inside))
    literal = [f"http://{host}:{secret}/secret" for host in LITERALS]
    by_name = [f"http://{host}:{secret}/secret" for host in ("evil.test", "localhost", "a.localhost")]
    moved = [f"/to/{number}" for number in range(len(literal) + len(by_name))]
    site.links = {"/": [*literal, *by_name, *moved, "/end"], "/end": [], **{path: [] for path in moved}}
    for path, target in zip(moved, literal + by_name, strict=True):
        site.statuses[path] = 302
        site.headers[path] = {"Location": target}
    table = {"shop.test": addresses("127.0.0.1"), "evil.test": addresses(INSIDE)}
    with NameServer(table) as server:
        told = crawl(project, site, GWC_DNS_SERVERS=server.text)
    assert not inside.hits
    assert project.states()[f"http://shop.test:{port}/end"] == "C", told


def test_names_within_the_site_that_lead_inwards_are_errors_with_the_reason(
    project: Project, site: SiteServer, inside: SiteServer
) -> None:
    port, secret = (one.url.rpartition(":")[2] for one in (site, inside))
    targets = [f"http://evil.shop.test:{secret}/secret", f"http://meta.shop.test:{secret}/secret"]
    site.links = {"/": targets}
    table = {
        "shop.test": addresses("127.0.0.1"),
        "evil.shop.test": addresses(INSIDE),
        "meta.shop.test": addresses("169.254.169.254"),
    }
    with NameServer(table) as server:
        told = crawl(project, site, GWC_DNS_SERVERS=server.text)
        assert not inside.hits, told
        reasons = dict(project.rows("SELECT url, reason FROM urls WHERE state = 'E'"))
        assert set(reasons) == set(targets)
        assert all("private address" in reason for reason in reasons.values()), reasons
        assert server.asked["evil.shop.test A"] == 1
        assert f"http://shop.test:{port}/" in project.states()
        retried = project.scrapy("queue", "graph", "retry", "--yes")
        assert retried.code == 0, retried.err
        crawl(project, site, hosts='"shop.test"', GWC_DNS_SERVERS=server.text)
        assert inside.hits["/secret"] == 1, "`hosts` names what is below shop.test"


@pytest.mark.parametrize("handler", ["gwc_crawler.downloader.handler.KeptConnectionsHandler",
                                     "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"])  # fmt: skip
@pytest.mark.parametrize("ahead", [True, False])
def test_whoever_connects_and_whoever_looks_up(
    project: Project, site: SiteServer, inside: SiteServer, handler: str, ahead: bool
) -> None:
    """The guard holds without the middleware that looks ahead, and with Scrapy's own handler."""
    secret = inside.url.rpartition(":")[2]
    site.links = {"/": [f"http://evil.shop.test:{secret}/secret", "/end"], "/end": []}
    table = {"shop.test": addresses("127.0.0.1"), "evil.shop.test": addresses(INSIDE)}
    with NameServer(table) as server:
        told = crawl(
            project, site, GWC_DNS_SERVERS=server.text, DNSCACHE_ENABLED=ahead,
            DOWNLOAD_HANDLERS=f'{{"http": "{handler}"}}',
        )  # fmt: skip
    assert not inside.hits, told
    [(reason,)] = project.rows("SELECT reason FROM urls WHERE state = 'E'")
    assert "private address" in reason


def test_over_http2_the_address_is_judged_where_the_connection_is_made(
    project: Project, site: SiteServer, inside: SiteServer
) -> None:
    secret = inside.url.rpartition(":")[2]
    site.links = {"/": [f"https://evil.shop.test:{secret}/secret", "/end"], "/end": []}
    table = {"shop.test": addresses("127.0.0.1"), "evil.shop.test": addresses(INSIDE)}
    with NameServer(table) as server:
        told = crawl(
            project, site, GWC_DNS_SERVERS=server.text, DNSCACHE_ENABLED=False, GWC_HTTP2=True,
            HTTPX_HTTP2_ENABLED=True,
        )  # fmt: skip
    [(reason,)] = project.rows("SELECT reason FROM urls WHERE state = 'E'")
    assert "private address" in reason, told


@pytest.mark.parametrize("moved", [False, True])
def test_a_login_leads_nowhere_inside(
    project: Project, site: SiteServer, inside: SiteServer, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    """The login page's form, or the page itself by a redirect, leads to a private address."""
    monkeypatch.setenv("SHOP_PASSWORD", "open sesame")
    port, secret = (one.url.rpartition(":")[2] for one in (site, inside))
    inner = f"http://127.0.0.77:{secret}/secret"
    site.links = {"/": [], "/login": []}
    site.texts["/login"] = f'<form method="post" action="{inner}"><input name="user"><input type="password" name="pw">'
    if moved:
        site.statuses["/login"], site.headers["/login"] = 302, {"Location": inner}
    login = f'[login]\nurl = "http://shop.test:{port}/login"\nattempts = 1\n[login.fields]\n'
    login += 'user = "reader"\npw = "{env:SHOP_PASSWORD}"\n'
    with NameServer({"shop.test": addresses("127.0.0.1")}) as server:
        told = crawl(project, site, more=login, GWC_DNS_SERVERS=server.text)
    assert site.hits["/login"] >= 1, told
    assert not inside.hits, told
    assert "open sesame" not in told


@pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium is not installed: make chromium")
def test_a_page_in_a_browser_leads_nowhere_inside(project: Project, site: SiteServer, inside: SiteServer) -> None:
    secret = inside.url.rpartition(":")[2]
    inner = [f"http://{host}:{secret}/secret" for host in ("127.0.0.77", "evil.test", "[::ffff:127.0.0.77]")]
    site.links = {"/": []}
    site.texts["/"] = f"""<p>treasure</p><p id="seen"></p><iframe src="{inner[0]}"></iframe><script type="module">
      for (const url of {inner}) try {{ await fetch(url, {{mode: "no-cors"}}); }} catch (error) {{ }}
      document.getElementById("seen").textContent = "all tried";</script>"""
    table = {"shop.test": addresses("127.0.0.1"), "evil.test": addresses(INSIDE)}
    with NameServer(table) as server:
        told = crawl(
            project, site, before="browser = true", GWC_DNS_SERVERS=server.text, GWC_KEEP_HTML="all",
            GWC_BROWSER_SANDBOX=os.geteuid() != 0,
        )  # fmt: skip
    [(body,)] = project.rows("SELECT body FROM pages")
    assert "all tried" in body, told
    assert not inside.hits


def test_what_a_person_permits_is_fetched(project: Project, site: SiteServer, inside: SiteServer) -> None:
    secret = inside.url.rpartition(":")[2]
    site.links = {"/": [f"http://evil.shop.test:{secret}/secret"]}
    table = {"shop.test": addresses("127.0.0.1"), "evil.shop.test": addresses(INSIDE)}
    with NameServer(table) as server:
        crawl(project, site, GWC_DNS_SERVERS=server.text, GWC_ALLOW_PRIVATE="127.0.0.64/26")
    assert inside.hits["/secret"] == 1


def test_the_site_file_says_where_a_host_is(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/end"], "/end": []}
    with NameServer() as server:
        crawl(project, site, GWC_DNS_SERVERS=server.text, more='[dns]\nhosts = { "shop.test" = "127.0.0.1" }\n')
        assert not server.asked
    assert site.page_hits() == {"/": 1, "/end": 1}
    assert set(project.states().values()) == {"C"}


def test_robots_txt_and_sitemaps_lead_nowhere_inside(project: Project, site: SiteServer, inside: SiteServer) -> None:
    port, secret = (one.url.rpartition(":")[2] for one in (site, inside))
    site.links = {"/": [f"http://away.shop.test:{port}/page", "/end"], "/end": [], "/page": []}
    maps = "".join(f"Sitemap: http://{host}:{secret}/map.xml\n" for host in ("evil.shop.test", "127.0.0.77"))
    site.bodies["/robots.txt"] = (f"User-agent: *\nDisallow:\n{maps}".encode(), "text/plain")
    table = {name: addresses("127.0.0.1") for name in ("shop.test", "away.shop.test")}
    with NameServer({**table, "evil.shop.test": addresses(INSIDE)}) as server:
        told = crawl(project, site, hosts='"away.shop.test"', more="sitemap = true\n", GWC_DNS_SERVERS=server.text)
        assert not inside.hits, told
        assert project.states()[f"http://shop.test:{port}/end"] == "C"
        site.statuses["/robots.txt"] = 302
        site.headers["/robots.txt"] = {"Location": f"http://evil.shop.test:{secret}/robots.txt"}
        project.write_graph_site(f"http://shop.test:{port}", name="moved")
        project.write_knowledge("moved")
        outcome = project.scrapy("crawl", "moved", settings={"GWC_DNS_SERVERS": server.text})
    assert not inside.hits
    assert (outcome.code, "private address" in outcome.err) == (3, True), outcome.err


@pytest.mark.parametrize("proxy", [HttpProxy, pytest.param(SocksProxy, marks=pytest.mark.slow)])
def test_through_a_proxy_addresses_are_refused_and_the_proxy_itself_is_found(
    project: Project,
    site: SiteServer,
    inside: SiteServer,
    proxy: type[HttpProxy | SocksProxy],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port, secret = (int(one.url.rpartition(":")[2]) for one in (site, inside))
    targets = [f"http://{host}.shop.test:{secret}/secret" for host in ("a", "b")]
    site.links = {"/": [*targets, "/end"], "/end": []}
    with proxy({"shop.test": ("127.0.0.1", port)}) as served, NameServer() as server:
        monkeypatch.setenv("HTTP_PROXY", served.url)
        override = '[dns]\nhosts = { "a.shop.test" = "127.0.0.1" }\n'
        told = crawl(project, site, more=override, GWC_DNS_SERVERS=server.text)
        assert project.states()[f"http://shop.test:{port}/end"] == "C", told
        assert not server.asked, "names are the proxy's"
        site.links = {"/": [], "/robots.txt": []}
        site.statuses["/robots.txt"], site.headers["/robots.txt"] = 302, {"Location": f"http://127.77:{secret}/secret"}
        project.write_graph_site(f"http://shop.test:{port}", name="moved")
        project.write_knowledge("moved")
        outcome = project.scrapy("crawl", "moved", settings={"GWC_DNS_SERVERS": server.text})
        assert ("127.0.0.77", secret) not in served.asked
    assert "private address" in outcome.err
    assert not inside.hits
