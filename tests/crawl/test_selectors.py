"""Fields by hand from the site file to records: crawled, changed, taken away, read again from stored pages, killed."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from tests.conftest import Project
from tests.processes import wait_until
from tests.site_server import SiteServer

PRODUCTS = 12
FILE = """entry = ["{url}/"]

[[samples]]
url = "{url}/item/1"
{values1}
[[samples]]
url = "{url}/item/2"
{values2}
"""
BY_HAND = """
[fields.title]
css = ["h2.no", "h2::text"]

[fields.price]
jmespath = "offers.price"

[fields.picture]
xpath = "//img/@src"

[fields.sizes]
regex = 'data-size="(\\w+)"'
many = true

[fields.reviews]
rows = ".review"
parts.author = "b::text"
parts.stars = { css = "i", regex = '\\d' }

[types]
price = "number"
"reviews.stars" = "number"
"""


def page(number: int) -> str:
    review = f"<div class='review'><b>Ann {number}</b> <i>{number % 5 + 1} stars</i></div>" * (number % 3)
    return (
        f'<script type=\'application/ld+json\'>{{"@type": "Product", "offers": {{"price": {number}.50}}}}</script>'
        f"<h2>\n Product {number}\n</h2><img src='../p/{number}.jpg'><b class='maker'>Maker {number}</b>"
        f'<i data-size="S"></i><i data-size="XL"></i>{review}'
    )


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    site.links = {"/": [f"/item/{number}" for number in range(1, PRODUCTS + 1)]}
    for number in range(1, PRODUCTS + 1):
        site.links[f"/item/{number}"] = ["/"]
        site.texts[f"/item/{number}"] = page(number)
    return site


def write(project: Project, site: SiteServer, more: str, values: str = "") -> None:
    shown = {f"values{n}": values.replace("#", str(n)) for n in (1, 2)}
    project.write_site("shop", FILE.format(url=site.url, **shown) + more)


def run(project: Project, *args: str, code: int = 0) -> str:
    outcome = project.scrapy(*args, timeout=90)
    assert outcome.code == code, outcome.err
    return outcome.err + outcome.out


def records(project: Project, *columns: str) -> list[Any]:
    rows = project.rows("SELECT * FROM records_shop ORDER BY price", name="shop")
    names = [row[1] for row in project.rows("PRAGMA table_info(records_shop)", name="shop")]
    return [tuple(row[names.index(column)] for column in columns) for row in rows]


def test_every_field_by_hand_is_read_on_every_page(project: Project, shop: SiteServer) -> None:
    write(project, shop, BY_HAND)
    run(project, "crawl", "shop")
    assert records(project, "title", "price", "price_raw", "picture", "sizes", "reviews") == [
        (
            f"Product {number}",
            number + 0.5,
            f"{number}.50",
            f"{shop.url}/p/{number}.jpg",
            '["S", "XL"]',
            json.dumps(
                [{"author": f"Ann {number}", "stars": number % 5 + 1, "stars_raw": str(number % 5 + 1)}] * (number % 3)
            ),
        )
        for number in range(1, PRODUCTS + 1)
    ]


def test_a_selector_that_is_changed_or_taken_away_holds_at_once(project: Project, shop: SiteServer) -> None:
    values = 'fields = { maker = "Maker #", title = "Product #" }'
    write(project, shop, BY_HAND, values)
    run(project, "crawl", "shop")
    asked = shop.page_hits()

    write(project, shop, BY_HAND.replace('"h2::text"', '".maker"'), values)
    run(project, "extract", "shop")
    assert records(project, "title", "maker") == [(f"Maker {n}", f"Maker {n}") for n in range(1, PRODUCTS + 1)]
    assert shop.page_hits() == asked

    write(project, shop, BY_HAND.replace('[fields.title]\ncss = ["h2.no", "h2::text"]\n', ""), values)
    refused = run(project, "extract", "shop", code=2)
    assert "has no 'title'" in refused
    assert "scrapy learn shop --offline" in refused
    run(project, "learn", "shop", "--offline")
    run(project, "extract", "shop")
    assert records(project, "title") == [(f"Product {n}",) for n in range(1, PRODUCTS + 1)], "learned from the samples"


def test_a_mistyped_selector_is_refused_before_the_first_request(project: Project, shop: SiteServer) -> None:
    write(project, shop, BY_HAND.replace("h2::text", "h2::txt"))
    refused = run(project, "crawl", "shop", code=2)
    assert "shop.toml:11: css 'h2::txt' in [fields.title], column 20, is no CSS selector" in refused
    assert "Traceback" not in refused
    assert not shop.hits


def test_killed_in_the_middle_it_goes_on_with_the_same_selectors(project: Project, shop: SiteServer) -> None:
    write(project, shop, BY_HAND + "[settings]\nGWC_REUSE_SAMPLES_SECONDS = 0\n")
    run(project, "learn", "shop")
    shop.clear()
    shop.delays["*"] = 0.2
    process = project.start("crawl", "shop")
    wait_until(lambda: len(shop.page_hits()) > PRODUCTS // 2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    shop.delays.clear()
    run(project, "crawl", "shop")
    assert records(project, "title") == [(f"Product {n}",) for n in range(1, PRODUCTS + 1)]
