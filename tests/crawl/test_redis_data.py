"""Redis for data: records in a list, scrapy-redis's settings held or refused, a `RedisSpider` of a user's own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from gwc_crawler import Sample, learn_wrapper
from tests.conftest import ROOT, Project, ended
from tests.crawl.test_cluster import prepare
from tests.crawl.test_endings import assert_clear
from tests.processes import wait_until
from tests.redis_server import DURABLE, RedisServer
from tests.shop_site import SAMPLES, product, put_products, shop
from tests.site_server import SiteServer

RECORDS = 40


def sink(server: RedisServer, **more: Any) -> dict[str, Any]:
    return {"GWC_SINK": "sqlite,redis", "REDIS_URL": server.url, "GWC_COMMIT_PAGES": 5, **more}


def toml(fields: Any) -> str:
    return "{ " + ", ".join(f"{name} = {json.dumps(value)}" for name, value in fields.items()) + " }"


@pytest.fixture
def products(project: Project, site: SiteServer) -> Project:
    """A site whose records have been learned."""
    put_products(site, RECORDS)
    samples = [
        Sample(f"{site.url}/item/{n}", product(n)[0], {"title": f"Product number {n}", "price": f"${n}.50"})
        for n in (1, 2)
    ]
    written = (f'[[samples]]\nurl = "{one.url}"\nfields = {toml(one.fields)}\n' for one in samples)
    project.write_site("shop", f'entry = ["{site.url}/"]\n{"".join(written)}')
    project.write_knowledge(
        "shop", targets=[f"{re.escape(site.url)}/item/[0-9]+"], keywords="", wrapper=learn_wrapper(samples).to_json()
    )
    return project


def titles(client: redis.Redis, key: str = "shop:items") -> list[str]:
    return [json.loads(text)["title"] for text in client.lrange(key, 0, -1)]


def test_records_are_in_a_list_as_the_pipeline_of_scrapy_redis_has_them(
    project: Project, site: SiteServer, redis_server: RedisServer, client: redis.Redis
) -> None:
    shop(site)
    project.write_site("shop", f'entry = ["{site.url}/"]\n' + SAMPLES.format(url=site.url))
    assert_clear(project.scrapy("crawl", "shop", settings=sink(redis_server)), 0)
    found = {row.pop("url"): row for row in map(json.loads, client.lrange("shop:items", 0, -1))}
    assert client.llen("shop:items") == len(found) == 12
    assert all(row.pop("fetched_at") > 1.7e9 for row in found.values())
    assert found[f"{site.url}/item/2"] == {"title": "From Dead to Worse", "price": "$7.19"}


def test_key_and_serializer_are_those_of_scrapy_redis(
    products: Project, redis_server: RedisServer, client: redis.Redis
) -> None:
    more = {"REDIS_ITEMS_KEY": "data:%(spider)s", "REDIS_ITEMS_SERIALIZER": "json.dumps", "GWC_SINK": "redis"}
    assert_clear(products.scrapy("crawl", "shop", settings=sink(redis_server, **more)), 0)
    assert sorted(titles(client, "data:shop")) == sorted(f"Product number {n}" for n in range(RECORDS))


def test_workers_of_a_shared_crawl_append_each_record_once(
    products: Project, site: SiteServer, redis_server: RedisServer, client: redis.Redis
) -> None:
    site.delays["*"] = 0.05
    settings = sink(redis_server, GWC_REUSE_SAMPLES_SECONDS=0, GWC_LEASE_BATCH=4)
    workers = [products.start("crawl", "shop", profile="cluster", settings=settings) for _ in range(2)]
    for worker in workers:
        assert_clear(ended(worker), 0)
    assert sorted(titles(client)) == sorted(f"Product number {n}" for n in range(RECORDS))


@pytest.fixture
def durable_redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis", options=DURABLE) as server:
        yield server


def test_a_redis_that_is_killed_and_comes_back_has_every_record(
    products: Project, site: SiteServer, durable_redis: RedisServer
) -> None:
    site.delays["*"] = 0.05
    crawl = products.start("crawl", "shop", settings=sink(durable_redis, GWC_REUSE_SAMPLES_SECONDS=0))
    with durable_redis.client() as client:
        wait_until(lambda: client.llen("shop:items") >= 5, 30)
        durable_redis.kill()
        site.clear()
        site.wait_for_pages(4)
        durable_redis.start()
        assert_clear(ended(crawl), 0)
        assert set(titles(client)) == {f"Product number {n}" for n in range(RECORDS)}


def test_a_redis_that_stays_away_ends_the_crawl_and_the_next_brings_the_rest(
    products: Project, site: SiteServer, durable_redis: RedisServer
) -> None:
    site.delays["*"] = 0.05
    settings = sink(durable_redis, GWC_REUSE_SAMPLES_SECONDS=0)
    crawl = products.start("crawl", "shop", settings=settings)
    with durable_redis.client() as client:
        wait_until(lambda: client.llen("shop:items") >= 5, 30)
        durable_redis.kill()
        crawl.send_signal(signal.SIGINT)
        assert_clear(ended(crawl), 5, "sink redis could not store", "Redis can't be reached", "nothing is lost")
        durable_redis.start()
        assert_clear(products.scrapy("crawl", "shop", settings=settings), 0)
        assert set(titles(client)) == {f"Product number {n}" for n in range(RECORDS)}


@pytest.mark.parametrize(
    ("settings", "code", "words"),
    [
        ({"REDIS_URL": "redis://127.0.0.1:9/0"}, 5, "sink redis could not be opened (OutageError: Redis can't be"),
        ({"REDIS_ITEMS_SERIALIZER": "no.such"}, 2, "REDIS_ITEMS_SERIALIZER can't be used: No module named 'no'"),
        ({"REDIS_ITEMS_KEY": "a:%(name)s"}, 2, "REDIS_ITEMS_KEY or REDIS_ITEMS_SERIALIZER can't be used: 'name'"),
        ({"REDIS_ITEMS_KEY": "a:string"}, 5, "the Redis key a:string holds a string, and a crawl keeps a list there"),
    ],
)
def test_what_can_not_be_is_told_before_anything_is_fetched(
    products: Project, site: SiteServer, redis_server: RedisServer, settings: dict[str, str], code: int, words: str
) -> None:
    site.clear()
    with redis_server.client() as client:
        client.set("a:string", "x")
    assert_clear(products.scrapy("crawl", "shop", settings=sink(redis_server, **settings)), code, words)
    assert not site.page_hits()


# --- scrapy-redis's settings of queue and dupefilter ------------------------------------------------------------------


def test_what_can_not_hold_in_a_shared_crawl_is_refused_by_name(
    project: Project, site: SiteServer, redis_server: RedisServer
) -> None:
    prepare(project, site, 3, delay=0.0)
    settings = {"REDIS_URL": redis_server.url, "SCHEDULER_PERSIST": False}
    outcome = project.scrapy("crawl", "graph", profile="cluster", settings=settings)
    assert_clear(outcome, 2, "setting SCHEDULER_PERSIST is 'False' on the command line, and can't hold for a site")
    assert not site.page_hits()


def test_what_holds_is_taken(
    project: Project, site: SiteServer, redis_server: RedisServer, client: redis.Redis
) -> None:
    prepare(project, site, 30, delay=0.3)
    site.links["/extra"] = []
    client.sadd("starts:graph", f"{site.url}/extra")
    settings = {
        "REDIS_URL": redis_server.url,
        "SCHEDULER_PERSIST": True,
        "SCHEDULER_FLUSH_ON_START": True,
        "SCHEDULER_QUEUE_KEY": "%(spider)s:own-queue",
        "SCHEDULER_DUPEFILTER_KEY": "%(spider)s:own-known",
        "REDIS_START_URLS_KEY": "starts:%(name)s",
        "REDIS_START_URLS_AS_SET": True,
    }
    for number in (1, 2):  # the second run forgets the first
        assert_clear(project.scrapy("crawl", "graph", profile="cluster", settings=settings), 0)
        assert site.page_hits()["/p/3"] == number
    assert site.page_hits()["/extra"] >= 1
    keys = {key.decode() for key in client.keys("*graph*")}
    assert any(":own-queue" in key for key in keys)
    assert any(":own-known" in key for key in keys)
    assert not any(key.startswith(("{graph}:requests", "{graph}:dupefilter")) for key in keys)


# --- A spider of a user's own, with scrapy-redis's own scheduler ------------------------------------------------------

SPIDER = """
from scrapy_redis.spiders import RedisSpider

class Pages(RedisSpider):
    name = "pages"
    custom_settings = {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "ITEM_PIPELINES": {"scrapy_redis.pipelines.RedisPipeline": 300},
        "MAX_IDLE_TIME_BEFORE_CLOSE": 3,
    }

    def parse(self, response):
        yield {"url": response.url}
        yield from response.follow_all(response.css("a"), self.parse)
"""


def test_a_redis_spider_of_a_users_own_has_scrapy_redis_own_scheduler(
    project: Project, site: SiteServer, redis_server: RedisServer, client: redis.Redis
) -> None:
    prepare(project, site, 60, delay=0.02)
    (project.directory / "mine").mkdir()
    (project.directory / "mine" / "__init__.py").touch()
    (project.directory / "mine" / "pages.py").write_text(SPIDER, encoding="utf-8")
    path = f"{ROOT}:{project.directory}"
    options = (
        "SPIDER_MODULES=mine",
        f"REDIS_URL={redis_server.url}",
        "SCHEDULER_PERSIST=True",
        "CONCURRENT_REQUESTS=4",
    )
    command = [sys.executable, "-m", "scrapy", "crawl", "pages", *(word for one in options for word in ("-s", one))]
    workers = [
        subprocess.Popen(
            command,
            cwd=project.directory,
            env={**os.environ, "SCRAPY_SETTINGS_MODULE": "settings_profiles.cluster", "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    project.processes += workers
    client.lpush("pages:start_urls", json.dumps({"url": f"{site.url}/p/0"}))
    outcomes = [ended(worker) for worker in workers]
    assert [outcome.code for outcome in outcomes] == [0, 0], outcomes[0].err
    pages = {f"{site.url}{path}" for path in site.links}
    assert {json.loads(text)["url"] for text in client.lrange("pages:items", 0, -1)} == pages
    assert client.type("pages:dupefilter") == b"set"
    assert any("scheduler/dequeued/redis" in outcome.err for outcome in outcomes)
    assert not any("Traceback" in outcome.err for outcome in outcomes)
