"""A site that answers in JSON alone: learned from two samples, followed over its links, crawled whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Project
from tests.site_server import SiteServer

PRODUCTS = 30
A_PAGE = 6


def product(number: int) -> dict[str, Any]:
    """One record of the API, some parts of it missing, null or empty on some."""
    reviews = [{"author": f"Reader {number + n}", "stars": n + 1, "text": f"Opinion {number}-{n}."} for n in range(3)]
    return {
        "id": number,
        "name": f"Product number {number}",
        "price": {"amount": number + 0.5, "currency": "EUR"},
        "in_stock": number % 2 == 0,
        "maker": None if number % 5 == 0 else {"name": f"Workshop {number % 7}", "id": number % 7},
        "tags": [f"tag{number % 4}", "api", f"kind{number % 3}"],
        "description": f"<p>A <b>fine</b> thing, number {number} &amp; more.</p>",
        "image": f"/pictures/{number}.jpg",
        "reviews": reviews[: number % 4],
        "links": {"self": f"/api/products/{number}", "list": "/api/products?page=1"},
    }


@pytest.fixture
def api(site: SiteServer) -> SiteServer:
    pages = (PRODUCTS + A_PAGE - 1) // A_PAGE
    put(site, "/api", {"service": "Shop", "products_url": f"{site.url}/api/products?page=1"})
    for page in range(1, pages + 1):
        numbers = range((page - 1) * A_PAGE + 1, min(page * A_PAGE, PRODUCTS) + 1)
        listed = [{"id": n, "name": f"Product number {n}", "url": f"{site.url}/api/products/{n}"} for n in numbers]
        further = {"next": f"?page={page + 1}" if page < pages else None}
        put(site, f"/api/products?page={page}", {"count": PRODUCTS, "results": listed, **further})
    for number in range(1, PRODUCTS + 1):
        put(site, f"/api/products/{number}", product(number))
    return site


def put(site: SiteServer, path: str, value: Any) -> None:
    site.bodies[path] = (json.dumps(value).encode(), "application/json; charset=utf-8")


def samples(url: str, *numbers: int) -> str:
    text = f'entry = ["{url}/api"]\n'
    for number in numbers:
        one = product(number)
        reviews = ", ".join(f'{{ author = "{r["author"]}", text = "{r["text"]}" }}' for r in one["reviews"])
        text += (
            f'[[samples]]\nurl = "{url}/api/products/{number}"\n[samples.fields]\nname = "{one["name"]}"\n'
            f'price = "{one["price"]["amount"]}"\ntags = {json.dumps(one["tags"])}\nreviews = [{reviews}]\n'
            f'description = "A fine thing, number {number} & more."\nmaker = "{one["maker"]["name"]}"\n'
        )
    return text


def check(project: Project) -> None:
    rows = project.rows("SELECT name, price, tags, reviews, description, maker FROM records_shop", name="shop")
    assert sorted(rows, key=lambda row: float(row[1])) == [
        (
            one["name"],
            str(one["price"]["amount"]),
            json.dumps(one["tags"]),
            json.dumps([{"author": r["author"], "text": r["text"]} for r in one["reviews"]]),
            f"A fine thing, number {one['id']} & more.",
            one["maker"] and one["maker"]["name"],
        )
        for one in map(product, range(1, PRODUCTS + 1))
    ]


def test_an_api_is_learned_from_two_samples_and_crawled_whole(project: Project, api: SiteServer) -> None:
    project.write_site("shop", samples(api.url, 3, 7))
    outcome = project.scrapy("crawl", "shop", timeout=90)
    assert outcome.code == 0, outcome.err
    check(project)
    assert set(api.page_hits()) >= {f"/api/products/{n}" for n in range(1, PRODUCTS + 1)}


def test_an_api_is_read_by_jmespath(project: Project, api: SiteServer) -> None:
    fields = {
        "name": 'jmespath = "name"',
        "price": 'jmespath = "price.amount"',
        "tags": 'jmespath = "tags"\nmany = true',
        "reviews": 'rows = { jmespath = "reviews" }\nparts.author = { jmespath = "author" }\n'
        'parts.text = { jmespath = "text" }',
        "description": 'css = ".description"',
        "maker": 'jmespath = "maker.name"',
    }
    shown = "".join(f"[fields.{name}]\n{lines}\n" for name, lines in fields.items())
    learn = f"[learn]\ntarget = '{api.url}/api/products/[0-9]+'\n"
    project.write_site("shop", f'entry = ["{api.url}/api"]\n{shown}{learn}')
    outcome = project.scrapy("crawl", "shop", timeout=90)
    assert outcome.code == 0, outcome.err
    check(project)


def test_on_a_site_of_html_an_answer_in_json_is_no_page(project: Project, site: SiteServer) -> None:
    site.links = {"/": [f"/item/{n}" for n in range(1, 13)]}
    for number in range(1, 13):
        site.links[f"/item/{number}"] = ["/", f"/api/item/{number}"]
        site.texts[f"/item/{number}"] = f"<h2>Thing {number}</h2><b>${number}.50</b>"
        put(site, f"/api/item/{number}", {"title": f"Thing {number}", "price": f"${number}.50"})
    text = f'entry = ["{site.url}/"]\n'
    for number in (1, 2):
        text += f'[[samples]]\nurl = "{site.url}/item/{number}"\n'
        text += f'fields = {{ title = "Thing {number}", price = "${number}.50" }}\n'
    project.write_site("shop", text)
    outcome = project.scrapy("crawl", "shop", timeout=90)
    assert outcome.code == 0, outcome.err
    urls = {url for (url,) in project.rows("SELECT url FROM records_shop", name="shop")}
    assert urls == {f"{site.url}/item/{n}" for n in range(1, 13)}


@pytest.fixture
def shells(site: SiteServer) -> SiteServer:
    """The same shop as an app: empty pages, whose data stand in a script, half of them in another form."""
    listed = [{"id": n, "name": f"Product number {n}", "href": f"/products/{n}"} for n in range(1, PRODUCTS + 1)]
    site.bodies["/"] = shell({"props": {"pageProps": {"products": listed}}}, plain=True)
    for number in range(1, PRODUCTS + 1):
        data = {"props": {"pageProps": {"product": product(number)}}, "page": "/products/[id]"}
        site.bodies[f"/products/{number}"] = shell(data, plain=number % 2 == 0)
    return site


def shell(data: dict[str, Any], *, plain: bool) -> tuple[bytes, str]:
    text = json.dumps(data).replace("</", "<\\/")
    script = f"<script>window.__INITIAL_STATE__ = {text};</script>"
    if not plain:
        script = f'<script id="__NEXT_DATA__" type="application/json">{text}</script>'
    page = f"<html><head><title>Shop</title></head><body><div id='app'>Loading</div>{script}</body></html>"
    return page.encode(), "text/html"


def test_an_app_s_empty_shell_is_read_by_the_data_in_its_script(project: Project, shells: SiteServer) -> None:
    project.write_site("shop", samples(shells.url, 3, 7).replace("/api/products/", "/products/").replace("/api", "/"))
    outcome = project.scrapy("crawl", "shop", timeout=90)
    assert outcome.code == 0, outcome.err
    check(project)
