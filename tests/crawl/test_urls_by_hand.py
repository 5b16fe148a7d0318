"""`[learn] also, exclude, listing` in whole crawls, in `scrapy why`, and when a site is learned again."""

from __future__ import annotations

import pytest

from tests.conftest import Project
from tests.shop_site import put_products
from tests.site_server import SiteServer

PRODUCTS = 24
GIFTS = [f"/gift/{number}" for number in range(6)]


@pytest.fixture
def shop(project: Project, site: SiteServer) -> str:
    """Products, gifts that are built otherwise, and a shelf that leads over a page to further gifts; all is learned."""
    put_products(site, PRODUCTS)
    site.links["/"] = [*site.links["/"], *GIFTS, "/shelf/a"]
    for number, path in enumerate(GIFTS):
        text = f"<table><tr><td><em>Gift {number}</em></td></tr></table><section><i>For you</i></section>"
        site.texts[path], site.links[path] = text, ["/"]
    site.links |= {"/shelf/a": ["/shelf/b"], "/shelf/b": ["/shelf/c"], "/shelf/c": ["/"]}
    fields = 'fields = {{ title = "Product number {0}", price = "${0}.50" }}'
    samples = "".join(f'[[samples]]\nurl = "{site.url}/item/{n}"\n{fields.format(n)}\n' for n in (3, 7))
    by_hand = 'also = ["/gift/*"]\nexclude = ["/item/1*", "re:/gift/[5-9]"]\nlisting = ["/shelf/*"]\n'
    project.write_site("shop", f'entry = ["{site.url}/"]\n{samples}[learn]\npages = 60\n{by_hand}')
    return site.url


def test_what_a_person_says_of_urls_holds_in_a_crawl(project: Project, shop: str, site: SiteServer) -> None:
    outcome = project.scrapy("crawl", "shop")
    assert outcome.code == 0, outcome.err
    said = " ".join(outcome.out.split())
    assert f"also /gift/* takes 6 known URLs, such as {shop}/gift/0" in said
    assert "exclude /item/1* takes 11 known URLs" in said
    records = {url.removeprefix(shop) for (url,) in project.rows("SELECT url FROM records_shop", name="shop")}
    assert {f"/item/{number}" for number in (0, *range(2, 10), *range(20, 24))} <= records
    assert not any(path.startswith("/item/1") for path in records)
    refused = dict(project.rows("SELECT url, reason FROM exceptions WHERE field = ''", name="shop"))
    assert not any("mark" in reason for url, reason in refused.items() if "/gift/" in url)
    assert {"/shelf/a", "/shelf/b", "/shelf/c"} <= {path for path in site.hits if path.startswith("/shelf/")}
    assert f"{shop}/gift/5" not in project.states("shop")


def test_why_names_what_a_person_said(project: Project, shop: str) -> None:
    assert project.scrapy("learn", "shop").code == 0
    also, exclude, listing = (project.scrapy("why", "shop", shop + path) for path in ("/gift/1", "/gift/5", "/shelf/z"))
    assert "a target filter takes it, of the site file ([learn] also)" in also.out
    assert "the site file says it is no target ([learn] exclude)" in exclude.out
    assert "a directory filter takes it, of the site file ([learn] listing)" in listing.out


def test_learning_again_by_hand_needs_no_request(project: Project, shop: str, site: SiteServer) -> None:
    assert project.scrapy("learn", "shop").code == 0
    path = project.directory / "sites" / "shop.toml"
    path.write_text(path.read_text().replace('also = ["/gift/*"]', 'also = ["/gfit/*"]'))
    site.clear()
    again = project.scrapy("learn", "shop", "--offline")
    assert again.code == 0
    assert not site.hits
    warned = " ".join(again.out.split())
    assert "also '/gfit/*' in [learn] takes none of" in warned
    assert "the nearest that takes some is '/gift/*'" in warned
    assert "is no target" not in project.scrapy("why", "shop", f"{shop}/gift/1").out
