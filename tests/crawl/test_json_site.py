"""Sites that answer in JSON: the mall's API, and an app's empty shells; learned from two samples, crawled whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import A_LIST, MallServer, api_document, api_path, api_record, api_site_toml
from gwc_crawler.items import Extracted
from tests.conftest import Project
from tests.mall_truth import truth_of
from tests.site_server import SiteServer

MALL = Mall(seed=1, size=45)
PRODUCTS = MALL.records
RECORDS = {api_path(path): api_record(record) for path, record in PRODUCTS.items()}
ENOUGH = "\n[learn]\npages = 60\n"


@pytest.fixture
def api() -> Iterator[MallServer]:
    with MallServer(MALL) as running:
        yield running


def found(project: Project, url: str) -> dict[str, Mapping[str, Extracted]]:
    """The stored records by path."""
    names = [row[1] for row in project.rows("PRAGMA table_info(records_shop)", name="shop")]
    rows = project.rows("SELECT * FROM records_shop", name="shop")
    records = [dict(zip(names, map(listed, row), strict=True)) for row in rows]
    fields = {record.pop("url").removeprefix(url): record for record in records}
    return {path: {name: record[name] for name in truth_of(MALL).fields} for path, record in fields.items()}


def listed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value.startswith("[") else value or None


def without_empty(records: Mapping[str, Mapping[str, Extracted]]) -> dict[str, dict[str, Extracted]]:
    """Records in which what has no members is absent."""
    return {path: {name: value or None for name, value in record.items()} for path, record in records.items()}


def crawl(project: Project, text: str) -> None:
    project.write_site("shop", text)
    outcome = project.scrapy("crawl", "shop", timeout=90)
    assert outcome.code == 0, outcome.err


@pytest.fixture
def shells(site: SiteServer) -> SiteServer:
    """The same shop as an app: empty pages, whose data stand in a script, half of them in another form."""
    listed = [{"title": record["title"], "href": path} for path, record in PRODUCTS.items()]
    site.bodies["/"] = shell({"props": {"pageProps": {"products": listed}}}, plain=True)
    for number, (path, record) in enumerate(PRODUCTS.items()):
        data = {"props": {"pageProps": {"product": api_document(path, record)}}, "page": "/products/[id]"}
        site.bodies[path] = shell(data, plain=number % 2 == 0)
    return site


def shell(data: dict[str, Any], *, plain: bool) -> tuple[bytes, str]:
    text = json.dumps(data).replace("</", "<\\/")
    script = f"<script>window.__INITIAL_STATE__ = {text};</script>"
    if not plain:
        script = f'<script id="__NEXT_DATA__" type="application/json">{text}</script>'
    page = f"<html><head><title>Shop</title></head><body><div id='app'>Loading</div>{script}</body></html>"
    return page.encode(), "text/html"


def test_an_api_is_learned_from_two_samples_and_crawled_whole(project: Project, api: MallServer) -> None:
    crawl(project, api_site_toml(MALL, api.url) + ENOUGH)
    assert without_empty(found(project, api.url)) == without_empty(RECORDS)
    assert set(api.hits) - {"/robots.txt"} == {*RECORDS, "/api/", *lists()}


def test_what_reads_a_field_of_an_api_is_named_as_one_would_write_it(project: Project, api: MallServer) -> None:
    crawl(project, api_site_toml(MALL, api.url) + ENOUGH)
    url = f"{api.url}{next(iter(RECORDS))}"
    assert json.loads(project.scrapy("why", "shop", url, "--json").out)["read_by"]["brand"] == "jmespath brand.name"
    assert "read by  jmespath price.amount\n" in project.scrapy("why", "shop", url).out
    assert "price is read by jmespath price.amount\n" in project.scrapy("learn", "shop", "--offline", "--verbose").out
    assert ", jmespath title" in project.scrapy("shell", "--nolog", url, "-c", "locate('title')").out


def lists() -> set[str]:
    return {f"/api/products?page={number}" for number in range(1, len(RECORDS) // A_LIST + 2)}


def test_an_api_is_read_by_jmespath(project: Project, api: MallServer) -> None:
    fields = {name: f'jmespath = "{name}"' for name in next(iter(RECORDS.values()))} | {
        "price": 'jmespath = "price.amount"',
        "brand": 'jmespath = "brand.name"',
        "tags": 'jmespath = "tags"\nmany = true',
        "reviews": 'rows = { jmespath = "reviews" }\n'
        + "\n".join(f'parts.{one} = {{ jmespath = "{one}" }}' for one in ("author", "text", "date")),
        "description": 'css = ".description"',
    }
    shown = "".join(f"[fields.{name}]\n{lines}\n" for name, lines in fields.items())
    learn = f"{ENOUGH}target = '{api.url}/api/products/[0-9]+'\n"
    crawl(project, f'entry = ["{api.url}/api/"]\n{shown}{learn}')
    assert without_empty(found(project, api.url)) == without_empty(RECORDS)


def test_an_api_is_followed_from_its_entry_alone(project: Project, api: MallServer) -> None:
    outcome = project.scrapy("crawl", f"{api.url}/api/", timeout=90)
    assert outcome.code == 0, outcome.err
    assert {*RECORDS, "/api/", *lists()} <= set(api.hits)


def test_an_app_is_followed_from_its_entry_alone(project: Project, shells: SiteServer) -> None:
    outcome = project.scrapy("crawl", f"{shells.url}/", timeout=90)
    assert outcome.code == 0, outcome.err
    assert {"/", *PRODUCTS} <= set(shells.page_hits())


def test_on_a_site_of_html_an_answer_in_json_is_no_page(project: Project, site: SiteServer) -> None:
    site.links = {"/": [f"/item/{n}" for n in range(1, 13)]}
    for number in range(1, 13):
        site.links[f"/item/{number}"] = ["/", f"/api/item/{number}"]
        site.texts[f"/item/{number}"] = f"<h2>Thing {number}</h2><b>${number}.50</b>"
        told = json.dumps({"title": f"Thing {number}", "price": f"${number}.50"})
        site.bodies[f"/api/item/{number}"] = (told.encode(), "application/json; charset=utf-8")
    text = f'entry = ["{site.url}/"]\n'
    for number in (1, 2):
        text += f'[[samples]]\nurl = "{site.url}/item/{number}"\n'
        text += f'fields = {{ title = "Thing {number}", price = "${number}.50" }}\n'
    crawl(project, text)
    urls = {url for (url,) in project.rows("SELECT url FROM records_shop", name="shop")}
    assert urls == {f"{site.url}/item/{n}" for n in range(1, 13)}


def test_an_app_s_empty_shell_is_read_by_the_data_in_its_script(project: Project, shells: SiteServer) -> None:
    text = api_site_toml(MALL, shells.url) + ENOUGH
    for path in PRODUCTS:
        text = text.replace(f"{shells.url}{api_path(path)}", f"{shells.url}{path}")
    crawl(project, text.replace(f'"{shells.url}/api/"', f'"{shells.url}/"'))
    records = {api_path(path): record for path, record in found(project, shells.url).items()}
    assert without_empty(records) == without_empty(RECORDS)
