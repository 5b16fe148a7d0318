"""A shop whose reviews go over several pages: one record a product, with all its reviews, however the crawl is run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Project
from tests.processes import kill_when
from tests.site_server import SiteServer

PRODUCTS = 12
PAGES = 4
A_PAGE = 3

SITE = """entry = ["{url}/"]

[[samples]]
url = "{url}/item/1"
[samples.fields]
name = "Thing 1"
price = "$1.50"
reviews = [{reviews_1}]

[[samples]]
url = "{url}/item/2"
[samples.fields]
name = "Thing 2"
price = "$2.50"
reviews = [{reviews_2}]

[types]
price = "price"
"reviews.date" = "date"

[paging]
reviews = true
"""


def review(product: int, number: int) -> dict[str, str]:
    return {"author": f"Author {product}-{number}", "date": f"{number} June 2010", "text": f"Says {number * 7}."}


def shown(product: int, page: int) -> list[dict[str, str]]:
    """Three reviews a page; each page repeats the last one of the page before, as happens where reviews are added."""
    first = (page - 1) * A_PAGE
    return [review(product, number) for number in range(max(1, first), first + A_PAGE + 1)]


def shop(site: SiteServer, *, chain: bool = True) -> None:
    """A home page with all products; their further pages are linked in a chain, or from the home page."""
    site.links["/"] = [f"/item/{n}" for n in range(1, PRODUCTS + 1)]
    for product in range(1, PRODUCTS + 1):
        for page in range(1, PAGES + 1):
            path = f"/item/{product}" + (f"?rpage={page}" if page > 1 else "")
            rows = "".join(
                f"<li class='review'><b>{one['author']}</b> <i>{one['date']}</i><p>{one['text']}</p></li>"
                for one in shown(product, page)
            )
            site.texts[path] = (
                f"<h2 class='name'>Thing {product}</h2><span class='price'>${product}.50</span>"
                f"<ol class='reviews'>{rows}</ol>"
            )
            site.links[path] = ["/", f"/item/{product}"]
            if page < PAGES:
                site.links[path] += [f"/item/{product}?rpage={page + 1}"]
            if not chain and page > 1:
                site.links["/"] = [path, *site.links["/"]]


def write_site(project: Project, site: SiteServer) -> None:
    def toml(product: int) -> str:
        rows = ("{ " + ", ".join(f'{key} = "{part}"' for key, part in one.items()) + " }" for one in shown(product, 1))
        return ", ".join(rows)

    project.write_site("shop", SITE.format(url=site.url, reviews_1=toml(1), reviews_2=toml(2)))


def records(project: Project, site: SiteServer) -> dict[str, tuple[Any, ...]]:
    rows = project.rows("SELECT url, name, price, price_raw, reviews FROM records_shop", name="shop")
    return {url.removeprefix(site.url): (*rest, json.loads(reviews)) for url, *rest, reviews in rows}


def everything() -> dict[str, tuple[Any, ...]]:
    return {
        f"/item/{product}": (
            f"Thing {product}",
            product + 0.5,
            f"${product}.50",
            [
                {**one, "date": f"2010-06-{number:02}", "date_raw": one["date"]}
                for number in range(1, PAGES * A_PAGE + 1)
                for one in [review(product, number)]
            ],
        )
        for product in range(1, PRODUCTS + 1)
    }


@pytest.mark.parametrize("chain", [True, False])
def test_a_record_has_the_lists_of_all_its_pages(project: Project, site: SiteServer, chain: bool) -> None:
    shop(site, chain=chain)
    write_site(project, site)
    outcome = project.scrapy("crawl", "shop", "-O", "shop.jsonl")
    assert outcome.code == 0, outcome.err
    assert records(project, site) == everything()
    kinds = dict(project.rows("SELECT kind, count(*) FROM pages GROUP BY kind", name="shop"))
    assert kinds == {"directory": 1, "target": PRODUCTS, "continuation": PRODUCTS * (PAGES - 1)}
    assert project.rows("SELECT * FROM exceptions", name="shop") == []
    lines = [json.loads(line) for line in (project.directory / "shop.jsonl").read_text().splitlines()]
    assert {line["url"].removeprefix(site.url) for line in lines} == set(everything())
    assert list(lines[0])[:5] == ["url", "name", "price", "price_currency", "price_raw"]
    assert all(len(line["reviews"]) == A_PAGE for line in lines)  # what the product's own page shows

    again = project.scrapy("extract", "shop")
    assert again.code == 0, again.err
    assert records(project, site) == everything()


def test_whoever_comes_in_by_a_further_page_gets_the_record_too(project: Project, site: SiteServer) -> None:
    shop(site)
    write_site(project, site)
    assert project.scrapy("learn", "shop").code == 0
    knowledge = project.knowledge("shop")
    assert knowledge["paging"]["reviews"]["cut"] == "[?&;]rpage=([0-9]+)(?=[&;]|$)"
    assert {item["value"] % 1 for item in knowledge["evidence"]["fields"]["price"]["values"]} == {0.5}
    site.links["/"] = [f"/item/{n}?rpage=3" for n in range(1, PRODUCTS + 1)]
    for path, links in site.links.items():
        site.links[path] = [link for link in links if "rpage" in link or path == "/"]
    for path in site.links:  # pages further back are linked from page 3 alone
        if path.endswith("rpage=3"):
            site.links[path] = [*site.links[path], path.replace("=3", "=2")]
    outcome = project.scrapy("crawl", "shop", settings={"GWC_REUSE_SAMPLES_SECONDS": 0})
    assert outcome.code == 0, outcome.err
    assert records(project, site) == everything()


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (0, 2))])
def test_a_killed_crawl_puts_the_same_records_together(project: Project, site: SiteServer, seed: int) -> None:
    shop(site)
    write_site(project, site)
    assert project.scrapy("learn", "shop").code == 0
    site.delays["*"] = 0.02
    fresh = {"GWC_REUSE_SAMPLES_SECONDS": 0, "GWC_COMMIT_PAGES": 5, "CONCURRENT_REQUESTS_PER_DOMAIN": 2}
    kills = 0
    for _ in range(2):
        moment = site.hits.total() + 7 + 6 * seed
        process = project.start("crawl", "shop", settings=fresh)
        kills += kill_when(process, lambda moment=moment: site.hits.total() >= moment)
    assert kills
    outcome = project.scrapy("crawl", "shop", settings=fresh)
    assert outcome.code == 0, outcome.err
    assert records(project, site) == everything()
    assert project.scrapy("queue", "shop", "retry", "--yes", "--state", "C", "*rpage=2").code == 0
    outcome = project.scrapy("crawl", "shop", settings=fresh)
    assert outcome.code == 0, outcome.err
    assert records(project, site) == everything()
