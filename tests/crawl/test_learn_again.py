"""`scrapy learn` again and again: it ends each time, and asks for what is missing alone."""

from __future__ import annotations

from tests.conftest import Outcome, Project
from tests.shop_site import product, product_site_file, put_products
from tests.site_server import SiteServer

PRODUCTS = 120
PAGES = 40
"""`[learn] pages` of `product_site_file`: far fewer than the site has."""


def learned(project: Project, *options: str) -> Outcome:
    outcome = project.scrapy("learn", "shop", *options, timeout=90)
    assert outcome.code == 0, outcome.err
    return outcome


def test_what_is_stored_is_kept_and_what_is_missing_is_fetched(project: Project, site: SiteServer) -> None:
    put_products(site, PRODUCTS)
    project.write_site("shop", product_site_file(site.url, (1, 2)))
    learned(project)
    first = dict(site.hits)
    assert PAGES <= sum(site.page_hits().values()) < PRODUCTS, "the pre-crawl has reached its limit"

    for _ in range(2):
        learned(project)
    assert dict(site.hits) == first, "nothing was missing, so nothing is asked for"

    new = next(number for number in range(PRODUCTS) if f"/item/{number}" not in first)
    project.write_site("shop", product_site_file(site.url, (1, new)))
    learned(project)
    asked = set(site.page_hits()) - set(first)
    assert asked == {f"/item/{new}"}, "of a pre-crawl at its limit only the new sample is missing"

    site.clear()
    site.bodies["/item/5"] = (b"gone", "text/html")
    site.statuses["/item/5"] = 404
    site.bodies["/item/1"] = product(1, advert="news")
    learned(project, "-s", "GWC_REUSE_SAMPLES_SECONDS=0")
    assert site.hits["/"] == site.hits["/item/1"] == site.hits[f"/item/{new}"] == 1, "all is too old"
    assert sum(site.page_hits().values()) >= PAGES


def test_after_a_mistyped_sample_was_mended_the_crawl_goes_on(project: Project, site: SiteServer) -> None:
    put_products(site, PRODUCTS)
    text = product_site_file(site.url, (1, 2))
    project.write_site("shop", text.replace("Product number 2", "No such product").replace("$2.50", "$9,999.99"))
    for _ in range(2):
        outcome = project.scrapy("crawl", "shop", timeout=90)
        assert outcome.code == 4, outcome.err
    project.write_site("shop", text)
    outcome = project.scrapy("crawl", "shop", timeout=90)
    assert outcome.code == 0, outcome.err
    assert project.rows("SELECT count(*) FROM records_shop", name="shop") == [(PRODUCTS,)]
    assert set(site.page_hits().values()) == {1}, "no page is fetched twice"
