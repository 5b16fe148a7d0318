"""The benchmark with slow servers: the server waits as long as it says, and the pace is that of a crawl's middle."""

from __future__ import annotations

import urllib.request
from collections import Counter

import pytest

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import BenchmarkError, check_hits
from benchmarks.latency import middle_pace, row
from benchmarks.measure import Cost
from benchmarks.server import CatalogueServer


def test_the_pace_leaves_out_how_a_crawl_begins_and_ends() -> None:
    slow_start = [0.0, 5.0, *(10 + number / 10 for number in range(16)), 20.0, 30.0]
    assert middle_pace(slow_start) == pytest.approx(10)


def test_the_server_waits_before_it_answers_and_says_when_it_was_asked() -> None:
    with CatalogueServer(100, hosts=2) as server:
        server.delay_seconds = 0.05
        for url in server.urls:
            urllib.request.urlopen(url + "/").read()
        first, second = server.log
        assert second.arrived - first.arrived >= 0.05
        assert server.take_hits() == {"/": 2}
        assert server.take_hits() == Counter(server.log) == {}


def test_each_page_is_wanted_from_each_host() -> None:
    catalogue = Catalogue(100)
    check_hits(catalogue, Counter(dict.fromkeys(catalogue.paths(), 2)), "two", times=2)
    with pytest.raises(BenchmarkError, match="100 of 100 pages not fetched"):
        check_hits(catalogue, Counter(catalogue.paths()), "two", times=2)


def test_the_table_says_how_much_of_what_is_allowed_was_reached() -> None:
    times = [number / 190 for number in range(100)]
    cost = Cost(exit_code=0, cpu_seconds=0.2, wall_seconds=1.0, peak_mb=90.0)
    assert row("one", 300, 200.0, cost, times) == "| one | 300 | 200 | 190 | 95% | 2.00 | 38% | 90 |"
