"""Sitemaps: what a site lists of itself enters the crawl like links of a page, whatever state the lists are in."""

from __future__ import annotations

import gzip
import time
from collections import Counter

import pytest

from tests.conftest import Project
from tests.processes import kill_when
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

XML = "application/xml"
NOW_DUE = {"GWC_RECRAWL_START_SECONDS": 86_400, "GWC_RECRAWL_MIN_SECONDS": 0.01}


def urlset(*urls: str) -> bytes:
    """A sitemap; an entry may be "URL lastmod"."""
    entries = []
    for url, _, moment in (one.partition(" ") for one in urls):
        entries.append(f"<url><loc>{url}</loc>{f'<lastmod>{moment}</lastmod>' if moment else ''}</url>")
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(entries)}</urlset>'.encode()


def index(*urls: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f'<?xml version="1.0"?><sitemapindex>{entries}</sitemapindex>'.encode()


def robots(site: SiteServer, *lines: str) -> None:
    site.bodies["/robots.txt"] = ("\n".join(["User-agent: *", "Disallow: /no", *lines]).encode(), "text/plain")


def listed(
    site: SiteServer, project: Project, *, sitemap: str = "true", directories: tuple[str, ...] = (r".*",)
) -> None:
    """A site whose entry leads nowhere: what is found is found in its sitemaps."""
    site.links |= {"/": [], **{f"/p/{number}": [] for number in range(8)}}
    project.write_graph_site(site.url, more=f"sitemap = {sitemap}\n")
    project.write_knowledge(directories=directories)


def test_what_robots_txt_names_is_read_whatever_its_form_and_every_page_is_fetched_once(
    site: SiteServer, project: Project
) -> None:
    listed(site, project, directories=(r".*/", r".*/p/[0-9]+"))
    robots(site, f"Sitemap: {site.url}/index.xml", "sitemap: /feed", f"Sitemap: {site.url}/list.txt")
    site.bodies["/index.xml"] = (
        index(f"{site.url}/one.xml.gz", f"{site.url}/broken.xml", "http://b.example/x.xml"),
        XML,
    )
    site.bodies["/one.xml.gz"] = (
        gzip.compress(urlset(f"{site.url}/p/1", f"{site.url}/p/2", f"{site.url}/no/1")),
        "x/y",
    )
    site.bodies["/broken.xml"] = (b"\n<urlset><url><loc>/p/3</loc></url><url><loc>/p/4?a=1&b=2</loc></ur", "text/html")
    site.links["/p/4?a=1&b=2"] = []
    site.bodies["/feed"] = (f"<rss><channel><item><link>{site.url}/p/5</link></item></channel></rss>".encode(), XML)
    site.bodies["/list.txt"] = (f"{site.url}/p/6\n{site.url}/p/2\n{site.url}/elsewhere\n".encode(), "text/plain")
    assert project.scrapy("crawl", "graph").code == 0
    pages = {"/", "/p/1", "/p/2", "/p/3", "/p/5", "/p/6"}
    assert set(site.page_hits()) == {*pages, "/index.xml", "/one.xml.gz", "/broken.xml", "/feed", "/list.txt"}
    assert set(site.hits.values()) == {1}
    assert project.rows("SELECT DISTINCT weight, depth FROM urls WHERE url LIKE '%/p/6'") == [(1, 2)]
    told = project.scrapy("why", "graph", f"{site.url}/p/1").out
    assert f"listed in {site.url}/one.xml.gz" in told
    assert "robots.txt names it" in project.scrapy("why", "graph", f"{site.url}/index.xml").out
    assert "sitemap" in project.scrapy("status", "graph").out


def test_a_notice_before_a_list_costs_nothing_and_a_named_one_that_is_none_is_told(
    site: SiteServer, project: Project
) -> None:
    listed(site, project)
    robots(site, *(f"Sitemap: {site.url}/{name}.xml" for name in ("behind", "page", "cut", "index", "others")))
    notice = b"<br />\n<b>Notice</b>: Undefined index in <b>/x.php</b> on line <b>3</b><br />\n<?xml version='1.0'?>"
    site.bodies["/behind.xml"] = (notice + urlset(f"{site.url}/p/1", f"{site.url}/p/2"), XML)
    site.bodies["/page.xml"] = (b"<html><body>Down for maintenance</body></html>", "text/html")
    site.bodies["/cut.xml"] = (urlset(f"{site.url}/p/3", f"{site.url}/p/4")[:-30], XML)
    site.bodies["/index.xml"] = (index(f"{site.url}/gone.xml"), XML)
    site.bodies["/others.xml"] = (urlset("http://b.example/1"), XML)
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 0, outcome.err
    assert {"/p/1", "/p/2", "/p/3"} <= set(site.page_hits())
    told = dict(project.rows("SELECT url, reason FROM exceptions"))
    assert "it is named as a sitemap, but the answer is none (text/html)" in told[f"{site.url}/page.xml"]
    assert "the sitemap is cut off" in told[f"{site.url}/cut.xml"]
    assert "all that it lists is on other sites, such as http://b.example/1" in told[f"{site.url}/others.xml"]
    assert f"sitemap url={site.url}/gone.xml: not read, what it lists is not known: HTTP 404" in outcome.err
    assert outcome.err.count("WARNING: sitemap url=") == 4


def test_filters_hold_for_what_a_sitemap_lists(site: SiteServer, project: Project) -> None:
    listed(site, project, directories=(r".*/", r".*/p/[0-9]"))
    robots(site)
    site.bodies["/sitemap.xml"] = (urlset(f"{site.url}/p/1", f"{site.url}/q/1"), XML)
    site.links["/q/1"] = []
    assert project.scrapy("crawl", "graph").code == 0
    assert set(site.page_hits()) == {"/", "/sitemap.xml", "/p/1"}


def test_without_a_word_in_the_site_file_none_is_asked_for(site: SiteServer, project: Project) -> None:
    listed(site, project, sitemap="false")
    robots(site, f"Sitemap: {site.url}/index.xml")
    assert project.scrapy("crawl", "graph").code == 0
    assert set(site.page_hits()) == {"/"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<urlset",
        b"\x1f\x8b\x08broken",
        b'<!DOCTYPE u [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
        gzip.compress(b" " * 3_000_000),
        b"<urlset>" + b"<url>" * 5000,
    ],
    ids=["empty", "cut", "no gzip", "entities", "packed", "deep"],
)
def test_a_hostile_sitemap_ends_no_crawl(site: SiteServer, project: Project, body: bytes) -> None:
    listed(site, project, sitemap=f'["{site.url}/a.xml", "{site.url}/b.xml"]')
    site.bodies |= {"/a.xml": (body, XML), "/b.xml": (urlset(f"{site.url}/p/1"), XML)}
    outcome = project.scrapy("crawl", "graph", settings={"GWC_SITEMAP_BYTES": 1_000_000})
    assert outcome.code == 0, outcome.err
    assert "Traceback" not in outcome.err
    assert site.page_hits()["/p/1"] == 1


def test_limits_are_kept_and_said(site: SiteServer, project: Project) -> None:
    listed(site, project)
    for number in range(6):
        site.bodies[f"/s/{number}.xml"] = (index(*(f"{site.url}/s/{number}{more}.xml" for more in range(4))), XML)
    site.bodies["/sitemap.xml"] = (index(*(f"{site.url}/s/{number}.xml" for number in range(6))), XML)
    limits = {"GWC_SITEMAP_FILES": 3, "GWC_SITEMAP_LEVELS": 2}
    assert project.scrapy("crawl", "graph", settings=limits).code == 0
    assert set(site.page_hits()) == {"/", "/sitemap.xml", "/s/0.xml", "/s/2.xml", "/s/4.xml"}
    reasons = project.rows("SELECT reason FROM exceptions ORDER BY url DESC")
    assert reasons[0] == ("3 of its sitemaps are left out, limit 3 (GWC_SITEMAP_FILES)",)
    assert "GWC_SITEMAP_LEVELS" in reasons[1][0]
    refused = project.scrapy("crawl", "graph", settings={"GWC_SITEMAP_URLS": 0})
    assert (refused.code, "GWC_SITEMAP_URLS is '0'" in refused.err) == (2, True)


def test_without_robots_txt_it_is_read_for_its_sitemaps_alone(site: SiteServer, project: Project) -> None:
    listed(site, project)
    robots(site, "Sitemap: /other.xml")
    site.bodies["/other.xml"] = (urlset(f"{site.url}/p/1"), XML)
    assert project.scrapy("crawl", "graph", settings={"ROBOTSTXT_OBEY": False}).code == 0
    assert site.hits["/robots.txt"] == 1
    assert {"/other.xml", "/p/1"} <= set(site.page_hits())


def test_a_kill_loses_no_sitemap_and_takes_none_twice(site: SiteServer, project: Project) -> None:
    listed(site, project)
    robots(site, f"Sitemap: {site.url}/index.xml")
    site.bodies["/index.xml"] = (index(*(f"{site.url}/s{number}.xml" for number in range(4))), XML)
    for number in range(4):
        urls = [f"{site.url}/p/{number}-{page}" for page in range(10)]
        site.links |= {url.removeprefix(site.url): [] for url in urls}
        site.bodies[f"/s{number}.xml"] = (urlset(*urls), XML)
    site.delays["*"] = 0.02
    settings = {"GWC_COMMIT_PAGES": 5, "CONCURRENT_REQUESTS_PER_DOMAIN": 2}
    process = project.start("crawl", "graph", settings=settings)
    kill_when(process, lambda: sum(site.hits.values()) > 14)
    site.delays.clear()
    assert project.scrapy("crawl", "graph", settings=settings).code == 0
    states = project.rows("SELECT state, kind, count(*) FROM urls GROUP BY 1, 2 ORDER BY 2")
    assert states == [("C", "directory", 41), ("C", "sitemap", 5)]
    assert project.rows("SELECT count(*), count(DISTINCT url) FROM pages") == [(46, 46)]
    assert max(Counter(site.page_hits()).values()) <= 2


@pytest.mark.parametrize("shared", [False, True], ids=["sqlite", "redis"])
def test_lastmod_says_what_is_due(site: SiteServer, project: Project, redis_server: RedisServer, shared: bool) -> None:
    listed(site, project)
    more = {"GWC_FRONTIER": "redis", "REDIS_URL": redis_server.url} if shared else {}
    site.bodies["/sitemap.xml"] = (index(f"{site.url}/a.xml"), XML)
    site.bodies["/a.xml"] = (urlset(*(f"{site.url}/p/{number} 2020-01-01" for number in range(5))), XML)
    assert project.scrapy("crawl", "graph", settings={**NOW_DUE, **more}).code == 0
    site.clear()
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60))
    changed = [f"{site.url}/p/3 {soon}", f"{site.url}/p/4 2100-01-01", f"{site.url}/p/7 {soon}"]
    site.bodies["/a.xml"] = (urlset(*(f"{site.url}/p/{number} 2020-01-01" for number in range(3)), *changed), XML)
    assert project.scrapy("crawl", "graph", "-a", "recrawl=due", settings={**NOW_DUE, **more}).code == 0
    assert site.page_hits() == {"/": 1, "/sitemap.xml": 1, "/a.xml": 1, "/p/3": 1, "/p/7": 1}


def test_a_pre_crawl_sees_what_is_listed_and_learns_from_pages_alone(site: SiteServer, project: Project) -> None:
    from tests.shop_site import fresh_products, product_site_file

    fresh_products(site, 12)
    site.links["/"] = ["/item/0"]
    site.bodies["/sitemap.xml"] = (urlset(*(f"{site.url}/item/{number}" for number in range(12))), XML)
    project.write_site("shop", "sitemap = true\n" + product_site_file(site.url, (3, 7)))
    outcome = project.scrapy("crawl", "shop")
    assert outcome.code == 0, outcome.err
    assert project.rows("SELECT count(*) FROM records_shop", name="shop") == [(12,)]
    assert set(site.hits.values()) == {1}
