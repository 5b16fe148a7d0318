"""A whole shop, killed on its way and crawled again later: a SQL Server has row by row what SQLite has."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from gwc_crawler.store.server.units import iso_time
from tests.conftest import Project, ended
from tests.crawl import test_paging as paging
from tests.crawl.test_endings import assert_clear
from tests.processes import kill_when
from tests.redis_server import RedisServer
from tests.site_server import SiteServer
from tests.tds_server import TdsServer

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
SETTINGS = {
    "GWC_SINK": "sqlite,mssql",
    "GWC_COMMIT_PAGES": 5,
    "GWC_REUSE_SAMPLES_SECONDS": 0,
    "GWC_LEASE_SECONDS": 2,
    "GWC_MSSQL_RETRY_SECONDS": 0.3,
    "GWC_RECRAWL_START_SECONDS": 0.01,
    "GWC_RECRAWL_MIN_SECONDS": 0.01,
}


def plain(value: object) -> object:
    return value


def number(value: Any) -> float | None:
    return None if value is None else float(value)


def moment(value: str | float) -> str:
    """A moment as a DATETIME2(6) in UTC has it; SQLite's own seconds are finer than its microseconds."""
    if isinstance(value, float):
        return iso_time(value)
    return datetime.fromisoformat(value).isoformat(timespec="microseconds")


def loaded(value: str | None) -> Any:
    return json.loads(value) if value else value


Column = Callable[[Any], object]
TABLES: dict[str, dict[str, Column]] = {
    "records_shop": {
        "url": plain, "fetched_at": moment, "name": plain, "price": number, "price_raw": plain, "reviews": loaded,
        "image": plain, "image_file": plain,
    },
    "pages": {
        "url": plain, "requested": plain, "title": plain, "kind": plain, "relevant": plain, "weight": plain,
        "depth": plain, "status": plain, "content_type": plain, "charset": plain, "fetched_at": moment,
        "abstract": plain, "body": plain,
    },
    "links": {"src_url": plain, "dst_url": plain, "pruned": plain},
    "exceptions": {"url": plain, "field": plain, "reason": plain, "closest": plain},
    "files": {"url": plain, "path": plain, "type": plain, "size": plain, "sha256": plain, "name": plain},
    "record_parts": {"page_url": plain, "field": plain, "number": plain, "items": loaded},
}  # fmt: skip


def assert_equal(project: Project, tds: TdsServer) -> None:
    for table, columns in TABLES.items():
        names = ", ".join(columns)
        here = project.rows(f"SELECT {names} FROM {table}", name="shop")  # noqa: S608  # constants
        there = tds.rows(f"SELECT {names} FROM dbo.{table}")  # noqa: S608  # constants
        assert as_told(there, columns) == as_told(here, columns), table


def as_told(rows: list[tuple[Any, ...]], columns: dict[str, Column]) -> list[str]:
    return sorted(repr(tuple(read(value) for read, value in zip(columns.values(), row, strict=True))) for row in rows)


def write_shop(project: Project, site: SiteServer) -> None:
    """The shop of reviews over several pages; each product has an image, too."""
    paging.shop(site)
    paging.write_site(project, site)
    for product in range(1, paging.PRODUCTS + 1):
        site.texts[f"/item/{product}"] += f"<img class='pic' src='/img/{product}.png'>"
        site.bodies[f"/img/{product}.png"] = (PNG + b"%d" % product, "image/png")
    path = project.directory / "sites" / "shop.toml"
    text = path.read_text("utf-8").replace("[types]\n", '[types]\nimage = "file"\n')
    for product in (1, 2):
        name = f'name = "Thing {product}"\n'
        text = text.replace(name, f'{name}image = "{site.url}/img/{product}.png"\n')
    path.write_text(text, "utf-8")


def change(site: SiteServer) -> None:
    """One product costs otherwise, one is gone, one has moved, and one's list has become shorter."""
    site.texts["/item/1"] = site.texts["/item/1"].replace("$1.50", "$99.50")
    site.statuses["/item/3"] = 404
    site.links["/item/40"], site.texts["/item/40"] = site.links["/item/4"], site.texts["/item/4"]
    site.statuses["/item/4"], site.headers["/item/4"] = 301, {"Location": "/item/40"}
    site.texts["/item/5?rpage=4"] = "<p>No reviews here.</p>"


def test_a_moment_near_the_border_of_two_milliseconds_is_one_for_both() -> None:
    seconds = 1764209666.6625004
    assert iso_time(seconds) == "2025-11-27T02:14:26.662500"
    assert moment(seconds) == moment("2025-11-27 02:14:26.662500")


@pytest.mark.parametrize("profile", ["local", pytest.param("cluster", marks=pytest.mark.slow)])
def test_the_server_has_what_sqlite_has(
    profile: str, project: Project, site: SiteServer, tds: TdsServer, request: pytest.FixtureRequest
) -> None:
    settings: dict[str, Any] = dict(SETTINGS)
    if profile == "cluster":
        server: RedisServer = request.getfixturevalue("redis_server")
        settings["REDIS_URL"] = server.url
    write_shop(project, site)
    learned = project.scrapy("learn", "shop")
    assert learned.code == 0, learned.err
    site.clear()
    site.delays["*"] = 0.02
    first = project.start("crawl", "shop", settings=settings, profile=profile)
    assert kill_when(first, lambda: site.hits.total() > 12)
    ended(first)
    site.delays.clear()
    assert_clear(project.scrapy("crawl", "shop", settings=settings, profile=profile), 0)
    assert len(paging.records(project, site)) == paging.PRODUCTS
    assert_equal(project, tds)
    change(site)
    assert_clear(project.scrapy("crawl", "shop", "-a", "recrawl=all", settings=settings, profile=profile), 0)
    prices = {path: row[1] for path, row in paging.records(project, site).items()}
    assert (prices["/item/1"], "/item/3" in prices, "/item/4" in prices, prices["/item/40"]) == (99.5, True, False, 4.5)
    assert_equal(project, tds)
