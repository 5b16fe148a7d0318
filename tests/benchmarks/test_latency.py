"""The benchmark with slow servers: the server waits as long as it says, and the pace is that of a crawl's middle."""

from __future__ import annotations

import urllib.request
from collections import Counter

import pytest

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import BenchmarkError, check_hits
from benchmarks.latency import middle_pace, table
from benchmarks.server import CatalogueServer


def test_the_pace_leaves_out_how_a_crawl_begins_and_ends() -> None:
    slow_start = [0.0, 5.0, *(10 + number / 10 for number in range(16)), 20.0, 30.0]
    assert middle_pace(slow_start) == pytest.approx(10)


def test_the_server_waits_before_it_answers_and_says_when_it_did() -> None:
    with CatalogueServer(100, ("127.0.0.1", "127.0.0.2")) as server:
        server.wait_before_answers(0.05)
        for url in server.urls:
            urllib.request.urlopen(url + "/").read()
        hits, times = server.take()
        assert hits == {"/": 2}
        assert times[1] - times[0] >= 0.05
        assert server.take() == (Counter(), [])


def test_each_page_is_wanted_from_each_host() -> None:
    catalogue = Catalogue(100)
    check_hits(catalogue, Counter(dict.fromkeys(catalogue.paths(), 2)), "two", times=2)
    with pytest.raises(BenchmarkError, match="100 of 100 pages not fetched"):
        check_hits(catalogue, Counter(catalogue.paths()), "two", times=2)


def test_the_table_says_how_much_of_what_is_allowed_was_reached() -> None:
    row = {"name": "one", "delay_ms": 300, "allowed": 200.0, "reached": 190.0, "cpu_ms": 2.0}
    assert "| one | 300 | 200 | 190 | 95% | 2.00 | 38% | 90 |" in table({"rows": [{**row, "peak_mb": 90.0}]})
