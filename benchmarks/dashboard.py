"""`python -m benchmarks.dashboard`: how long each view of the dashboard takes over a large store.

SQL makes the store of a site (default: 100,000 pages, as many records, 1,000,000 URLs of which most wait); each view is
then asked over HTTP, twice. Either look may be answered while figures of the whole store are still being counted in the
background, as a user sees it. Exit code 1 where a view takes longer than `--most-ms`.

With `--redis` the URLs are those of a shared crawl, in a Redis that is filled up to as many; then it is also told how
long a preview of a drop, and a comparison of edited filters, are looked for in the background, and how long the longest
command held Redis up for others: its SLOWLOG, which is emptied for that.

    python -m benchmarks.dashboard --pages 1000000 --urls 10000000     # 5 GB of disk
    python -m benchmarks.dashboard --urls 10000000 --redis redis://localhost:6379/9     # 1.7 GB of its memory
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from aiohttp import CookieJar
from aiohttp.test_utils import TestClient, TestServer
from scrapy.settings import Settings

from benchmarks.measure import machine
from gwc_crawler.commands.watching.dashboard import Command
from gwc_crawler.dashboard import make_app
from gwc_crawler.dashboard.web import Project, VisitorCheck
from gwc_crawler.frontier.redis import RedisFrontier
from gwc_crawler.frontier.sqlite import SqliteFrontier
from gwc_crawler.items import Link
from gwc_crawler.knowledge import Knowledge, UrlClass
from gwc_crawler.modes import LearnMode
from gwc_crawler.store import CrawlDatabase, SqliteSink

SHOP = "http://shop.example"
SITE = """entry = ["http://shop.example/"]
keywords = "treasure"
"""
SHARED_BATCH = 10_000
SOUGHT = (
    ("/sites/shop/queue/preview", {"what": "drop", "pattern": "*/page/7777?"}),
    ("/sites/shop/queue/preview", {"what": "drop", "pattern": "*/shelf/5/*"}),
    ("/sites/shop/change/filters", {"targets": f"{SHOP}/item/[0-9]+", "directories": f"{SHOP}/shelf/[0-4]/.*"}),
)
"""What is looked for in the background: address and form."""

READY = re.compile('class="danger"|value="apply"')
"""What the page has when it was found."""

TOKEN = "a-token-of-the-benchmark"
BATCH = 200_000

URL = f"'{SHOP}/' || CASE WHEN i <= :pages THEN 'item/' ELSE 'shelf/' || (i % 97) || '/page/' END || i"
FILL_URLS = f"""
WITH RECURSIVE n(i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i < :last)
INSERT INTO urls (id, url, md5, host, state, kind, weight, depth, attempts, reason, queue, done_at)
SELECT i, {URL}, (i * 2654435761) % 9007199254740881 * 1000 + i % 1000, 'shop.example',
    CASE WHEN i <= :pages THEN 'C' WHEN i % 50 = 0 THEN 'E' ELSE 'U' END,
    CASE WHEN i <= :pages THEN 'target' END, i % 7, i % 12, 1,
    CASE WHEN i > :pages AND i % 50 = 0 THEN CASE i % 100 WHEN 0 THEN '404' ELSE 'no answer' END END,
    :queue, CASE WHEN i <= :pages THEN 1.7e9 + i END
FROM n
"""  # noqa: S608
FILL_PAGES = f"""
INSERT INTO pages (id, url, title, kind, relevant, weight, depth, status, content_type, fetched_at, abstract, body)
SELECT id, url, 'Item ' || id, 'target', 1, 0, depth, 200, 'text/html', 1.7e9 + id, 'What item ' || id || ' is.',
    '{"treasure " * 100}' || id
FROM urls WHERE id BETWEEN :first AND :last
"""  # noqa: S608
FILL_RECORDS = """
INSERT INTO records_shop (url, fetched_at, title, price, text)
SELECT url, 1.7e9 + id, 'Item ' || id, CASE WHEN id % 10 THEN '$' || id END, 'What one can say of item ' || id
FROM urls WHERE id BETWEEN :first AND :last
"""
FILL_EXCEPTIONS = """
INSERT INTO exceptions (url, field, reason, closest)
SELECT url, 'price', 'missing', '' FROM urls WHERE id BETWEEN :first AND :last AND id % 10 = 0
"""


@dataclass(frozen=True)
class Timed:
    """A view: its first and second look in ms, and how long it is."""

    name: str
    first: float
    second: float
    bytes: int


def store(directory: Path, pages: int, urls: int) -> Path:
    """Make the project with its one site."""
    (directory / "sites").mkdir()
    (directory / "sites" / "shop.toml").write_text(SITE, encoding="utf-8")
    data = directory / "data" / "shop"
    data.mkdir(parents=True)
    targets, directories = (UrlClass(f"{SHOP}/item/[0-9]+"),), (UrlClass(f"{SHOP}/shelf/.*"),)
    Knowledge("shop", LearnMode.PAPER, targets, directories, 99, "treasure").save(data / "knowledge.json")
    path = data / "crawl.db"
    with CrawlDatabase(path) as database:
        SqliteSink(database, site="shop", fields=["title", "price", "text"])
        frontier = SqliteFrontier(database, exclusive=False)
        frontier.add([Link(f"{SHOP}/")])
        _fill(database, pages, urls)
    return path


def _fill(database: CrawlDatabase, pages: int, urls: int) -> None:
    sql = database.connection
    queue, taken = sql.execute("SELECT queue, max(id) FROM urls").fetchone()
    values: dict[str, Any] = {"pages": pages, "queue": queue}
    for first in range(taken + 1, urls + 1, BATCH):
        with database.transaction():
            sql.execute(FILL_URLS, {**values, "first": first, "last": min(first + BATCH - 1, urls)})
    for first in range(taken + 1, pages + 1, BATCH):
        ends = {"first": first, "last": min(first + BATCH - 1, pages)}
        for statement in (FILL_PAGES, FILL_RECORDS, FILL_EXCEPTIONS):
            with database.transaction():
                sql.execute(statement, ends)
    with database.transaction():
        counts = sql.execute("SELECT state, count(*) FROM urls GROUP BY 1").fetchall()
        sql.executemany("INSERT OR REPLACE INTO frontier_values (name, value) VALUES (?, ?)", counts)


def views(pages: int) -> tuple[str, ...]:
    """The addresses of all views, some of them deep in the store."""
    shop = "/sites/shop"
    deep = f"{SHOP}/item/{pages // 2}"
    records = f"{shop}/records"
    return (
        *("/", "/live", shop, f"{shop}/live", f"{shop}/queue", records, f"{records}?before={pages // 2}"),
        *(f"{records}?q=item+{pages - 5}", f"{records}?q=nowhere", f"{shop}/record?url={deep}"),
        *(f"{shop}/record/page?url={deep}", f"{shop}/fields", f"{shop}/learned", f"{shop}/links", f"{shop}/change"),
        f"{shop}/do/start",
    )


def fill_shared(url: str, urls: int) -> str:
    """Let as many URLs wait in Redis, if not so many wait there; return what it takes."""
    with redis.Redis.from_url(url) as client:
        frontier = RedisFrontier(client, "shop", max_weight=99)
        for first in range(frontier.counts().waiting, urls, SHARED_BATCH):
            numbers = range(first, min(first + SHARED_BATCH, urls))
            frontier.add([Link(f"{SHOP}/shelf/{i % 97}/page/{i}", weight=i % 7, depth=1 + i % 11) for i in numbers])
        return str(client.info("memory")["used_memory_human"])


@contextmanager
def longest_command(url: str) -> Iterator[list[str]]:
    """Have Redis note what holds it up meanwhile; the list has a line on the longest command in the end."""
    told: list[str] = []
    if not url:
        yield told
        return
    with redis.Redis.from_url(url) as client:
        before = client.config_get("slowlog-*")
        try:
            client.config_set("slowlog-log-slower-than", 100)
            client.config_set("slowlog-max-len", 1000)
            client.slowlog_reset()
            yield told
            noted = sorted(client.slowlog_get(1000), key=lambda one: float(one["duration"]))
        finally:
            for name, value in before.items():
                client.config_set(name, value)
        if noted:
            usual, longest = (noted[place]["duration"] / 1000 for place in (9 * len(noted) // 10, -1))
            name = noted[-1]["command"].split()[0].decode(errors="replace")
            told.append(
                f"\nof the commands over .1 ms nine of ten held Redis up for {usual:.1f} ms at most, the longest for "
                f"{longest:.1f} ms ({name})"
            )


async def timed(directory: Path, pages: int, shared: str = "") -> list[Timed]:
    """Ask for each view twice; with *shared* (the address of a Redis) also for what is looked for in the background."""
    settings = Settings()
    settings.setmodule("settings_profiles.local")
    places = {"GWC_SITES_DIR": str(directory / "sites"), "GWC_DATA_DIR": str(directory / "data")}
    settings.setdict(places | ({"GWC_FRONTIER": "redis", "REDIS_URL": shared} if shared else {}), "cmdline")
    command = Command()
    command.settings = settings
    server = TestServer(make_app(Project(command), VisitorCheck(TOKEN)))
    found: list[Timed] = []
    async with TestClient(server, cookie_jar=CookieJar(unsafe=True)) as client:
        await client.get(f"/?token={TOKEN}")
        for view in views(pages):
            first, _ = await _look(client, view)
            second, size = await _look(client, view)
            found.append(Timed(view, first, second, size))
        if shared:
            found += [await _sought(client, view, form) for view, form in SOUGHT]
    return found


async def _sought(client: TestClient[Any, Any], view: str, form: dict[str, str]) -> Timed:
    """The slowest look at a page that is asked for until all is found (`second`: when that was)."""
    headers = {"Origin": f"http://{client.host}:{client.port}"}
    token = {"form_token": VisitorCheck(TOKEN).form_token}
    began = time.perf_counter()
    async with client.post(view, data=form | token, headers=headers) as answer:
        slowest, where = 1000 * (time.perf_counter() - began), answer.url.path
        text = await answer.text()
    while "being counted" in text or ("data-live" in text and READY.search(text) is None):
        await asyncio.sleep(0.2)
        asked = time.perf_counter()
        async with client.get(where) as answer:
            text = await answer.text()
        slowest = max(slowest, 1000 * (time.perf_counter() - asked))
    return Timed(f"POST {view}", slowest, 1000 * (time.perf_counter() - began), len(text))


async def _look(client: TestClient[Any, Any], view: str) -> tuple[float, int]:
    began = time.perf_counter()
    answer = await client.get(view)
    text = await answer.text()
    if answer.status != 200:
        raise SystemExit(f"{view} answers {answer.status}: {text[-500:]}")
    return 1000 * (time.perf_counter() - began), len(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the store, ask, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000, help="pages, and records (default 100,000)")
    parser.add_argument("--urls", type=int, default=1_000_000, help="URLs, most of which wait (default 1,000,000)")
    parser.add_argument("--redis", default="", metavar="URL", help="have the URLs in this Redis, filled up as asked")
    parser.add_argument("--most-ms", type=float, default=300.0, help="what a view may take (default 300)")
    options = parser.parse_args(arguments)
    if not 10 <= options.pages <= options.urls:
        parser.error("--pages has to be 10 or more, and no more than --urls")
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        began = time.perf_counter()
        path = store(Path(name), options.pages, options.pages if options.redis else options.urls)
        taken = f"; Redis has {fill_shared(options.redis, options.urls)}" if options.redis else ""
        took, size = time.perf_counter() - began, path.stat().st_size / 1e9
        print(
            f"{machine()}; {options.pages:,} pages, {options.urls:,} URLs, {size:.1f} GB, made in {took:.0f} s{taken}\n"
        )
        with longest_command(options.redis) as longest:
            found = asyncio.run(timed(Path(name), options.pages, options.redis))
    print("| view | first look, ms | second look, ms | KB |\n|---|---|---|---|")
    for one in found:
        print(f"| `{one.name}` | {one.first:.0f} | {one.second:.0f} | {one.bytes / 1000:.0f} |")
    print(*longest, sep="\n")
    looks = (max(one.first, one.second if one.name.startswith("/") else 0.0) for one in found)
    return int(any(took > options.most_ms for took in looks))


if __name__ == "__main__":
    sys.exit(main())
