"""The first records: what a few pages of a site show already; and when they are shown."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from gwc_crawler.crawl.first_records import FirstRecords
from gwc_crawler.crawl.precrawl import GLIMPSES, Settling
from gwc_crawler.demo.mall import Mall
from gwc_crawler.errors import LearnError
from gwc_crawler.learn.precrawl.judge import Judge
from gwc_crawler.learn.precrawl.watch import next_look
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.operate.summary import FIRST_RECORDS
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import ChannelRows
from tests.learn.mall_crawl import ORIGIN, precrawl_mall


@pytest.fixture(scope="module")
def mall() -> Mall:
    return Mall(seed=3, size=60)


@pytest.fixture(scope="module")
def task(mall: Mall) -> LearnTask:
    fields = ("title", "sku", "brand")
    rows = [(path, record) for path, record in sorted(mall.records.items()) if all(map(record.get, fields))]
    samples = [(ORIGIN + path, {name: record[name] for name in fields}) for path, record in rows[:2]]
    return LearnTask("mall", (f"{ORIGIN}/",), samples=tuple(samples))  # type: ignore[arg-type]


def test_records_of_few_pages_are_right_and_none_is_a_samples(mall: Mall, task: LearnTask) -> None:
    pages = precrawl_mall(mall, "SKU", pages=60)
    samples = dict(task.samples)
    first = FirstRecords.of(pages, learn_site(task, [*precrawl_mall(mall, "SKU")]), but=samples)
    assert first.pages == 60
    assert first.records
    assert not set(first.records) & set(samples)
    for url, record in first.records.items():
        true = mall.records[url.removeprefix(ORIGIN)]
        assert [record[name] for name in record] == [true[name] for name in record]
    assert next(first.lines()).startswith(f"{list(first.records)[-1]} title=")
    told = first.told()
    assert (told["pages"], told["count"], told["refused"]) == (60, len(first.records), "")
    assert told["latest"][0] == {"url": list(first.records)[-1], **list(first.records.values())[-1]}
    assert len(told["latest"]) <= FIRST_RECORDS


def test_the_decision_is_the_same_with_them(mall: Mall, task: LearnTask) -> None:
    pages = precrawl_mall(mall, "SKU", pages=200)
    alone, shown = Judge(task), Judge(task)
    for count in GLIMPSES:
        with suppress(LearnError):
            shown.learn(pages[:count])
    one, other = alone.judge(pages), shown.judge(pages)
    assert (one.draft, one.doubt, one.wanted, one.since) == (other.draft, other.doubt, other.wanted, other.since)
    if one.knowledge is not None and other.knowledge is not None:
        assert replace(one.knowledge, learned_at="") == replace(other.knowledge, learned_at="")


def test_who_asks_sees_them_until_something_else_is_to_be_learned(tmp_path: Path, task: LearnTask) -> None:
    with CrawlDatabase(tmp_path / "samples.db") as database:
        SqliteSink(database, site="mall", fields=[])
        told = asyncio.run(Settling(database, task, "one task", 1_000).glimpse()).told()
        assert told["refused"]
        for digest, left in (("one task", told), ("another", None)):
            Settling(database, task, digest, 1_000)
            first = ChannelRows(database).first_records()
            assert (first and {name: first[name] for name in told}) == left


def test_they_are_shown_once_after_so_many_pages_of_sites_with_samples(tmp_path: Path, task: LearnTask) -> None:
    with CrawlDatabase(tmp_path / "samples.db") as database:
        settling = Settling(database, task, "", 1_000)
        assert settling.next_at(0) == GLIMPSES[0]
        assert [settling.takes_glimpse() for _ in range(4)] == [True, True, True, False]
        assert settling.next_at(0) == next_look(0)
        assert Settling(database, LearnTask("mall", (f"{ORIGIN}/",)), "", 1_000).next_at(0) == next_look(0)
