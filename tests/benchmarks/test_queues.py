"""The benchmark of queue policies, small: what BKDR gains where queues are owned and politeness allows it."""

from __future__ import annotations

from itertools import islice

import pytest
import redis

from benchmarks import hashes
from benchmarks.catalogue import Catalogue
from benchmarks.hashes import balance, elf_hash, sdbm_hash
from benchmarks.queue_simulation import SEEDS, SLOTS_A_WORKER, Crawl
from benchmarks.queues import CASES, SLOTS, WAYS, WORKERS, Case, crawl, table


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("per_host", "times"), [(WORKERS * SLOTS, WORKERS), (SLOTS, 1)])
def test_bkdr_keeps_all_workers_busy_on_one_site_as_far_as_its_limit_allows(per_host: int, times: int) -> None:
    shared, host, bkdr = results = [crawl(Case("one site", 1, per_host), *WAYS[way], 300, 0.5) for way in (0, 2, 3)]
    assert host.most == SLOTS
    assert bkdr.most == times * SLOTS
    assert shared.most == bkdr.most, "nobody idles where all workers take URLs of all queues"
    assert (host.workers_a_site, bkdr.workers_a_site) == (1, WORKERS)
    assert "owned" in table([results] * len(CASES), 0.5)


def test_by_bkdr_all_slots_are_active_and_by_host_those_of_one_worker_a_site(client: redis.Redis) -> None:
    """In simulated time: the paper's three figures."""
    host, bkdr = (Crawl(client, policy, 200, 0.5) for policy in ("host", "bkdr"))
    active = []
    for crawling in (host, bkdr):
        crawling.go_on(6)
        active.append(crawling.active)
    assert active == [SEEDS * SLOTS_A_WORKER, 200]
    assert bkdr.urls > 1.5 * host.urls
    assert bkdr.kilobytes > 1.5 * host.kilobytes


def test_elf_and_sdbm_are_what_they_have_always_been() -> None:
    assert (elf_hash(""), elf_hash("abc"), elf_hash("jdfgsdhfsdfsd 6445dsfsd7fg/*/+bfjsdgf%$^")) == (
        0,
        26_499,
        248_446_350,
    )
    assert (sdbm_hash(""), sdbm_hash("a"), sdbm_hash("abc")) == (0, 97, 807_794_786)
    assert sdbm_hash("x" * 99) < 2**32


def test_balance_is_one_where_all_queues_have_the_same() -> None:
    assert balance(range(160), 16) == (1.0, 0.0)
    assert balance([0] * 16, 16) == (16.0, 16.0)


def test_the_table_has_a_row_for_each_hash(capsys: pytest.CaptureFixture[str]) -> None:
    assert hashes.main(["--urls", "300"]) == 0
    rows = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert rows == ["hash", "BKDR", "ELF", "SDBM"]


def test_bkdr_deals_a_shops_urls_out_more_evenly_than_elf_and_sdbm() -> None:
    urls = [f"http://shop.example{path}" for path in islice(Catalogue(5_000).paths(), 5_000)]
    for queues in (16, 64):
        squares = {name: balance([of(url) for url in urls], queues)[1] for name, of in hashes.HASHES.items()}
        assert squares["BKDR"] < 1 < min(squares["ELF"], squares["SDBM"]), squares
