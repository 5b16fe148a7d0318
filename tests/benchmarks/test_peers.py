"""The benchmark beside other crawlers: its site is whole, its checks notice what is missing."""

from __future__ import annotations

import sys
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import BenchmarkError, Ours
from benchmarks.measure import Cost, Job, run_in_turns
from benchmarks.peers.__main__ import table
from benchmarks.peers.contenders import Peer
from benchmarks.peers.site import Site
from tests.processes import wait_until

CATALOGUE = Catalogue(100)
COST = Cost(exit_code=0, cpu_seconds=1.0, wall_seconds=1.0, peak_mb=1.0)


def test_nginx_serves_the_catalogue_and_counts_for_each_contender(tmp_path: Path) -> None:
    with Site(CATALOGUE, tmp_path, 2) as site:
        first, second = site.urls
        for path in CATALOGUE.paths():
            with urllib.request.urlopen(first + path) as answer:
                assert answer.read() == CATALOGUE.render(path)
                assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(first + "/product/0")
        hits, wanted = Counter[str](), {**dict.fromkeys(CATALOGUE.paths(), 1), "/missing/": 1}

        def are_written() -> bool:
            hits.update(site.take_hits(first))
            return hits.total() >= len(wanted)

        wait_until(are_written)  # nginx writes its log behind the answer
        assert hits == wanted
        assert site.take_hits(first) == site.take_hits(second) == {}


def test_a_peer_that_leaves_a_page_out_fails_the_benchmark(tmp_path: Path) -> None:
    peer = Peer("other", "1.0", CATALOGUE, tmp_path, ["true"])
    peer.job()
    everything = Counter(CATALOGUE.paths())
    peer.check(COST, everything + Counter({"/": 1, "/missing/": 1}))
    with pytest.raises(BenchmarkError, match="1 pages not fetched, such as"):
        peer.check(COST, everything - Counter({"/product/5": 1}))


def test_what_a_job_starts_is_measured_with_it(tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < .3: pass"
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"
    (cost,) = run_in_turns([Job([sys.executable, "-c", starts], tmp_path / "log", tmp_path)], 60)
    assert cost.cpu_seconds >= 0.3


def test_the_table_says_what_was_reached() -> None:
    ours = Ours(CATALOGUE, "http://a.example", Path())
    theirs = Peer("theirs", "1", CATALOGUE, Path(), [])
    costs = [Cost(0, cpu_seconds, wall_seconds=2.0, peak_mb=50.0) for cpu_seconds in (1.0, 4.0)]
    assert "| theirs | 1 | 40.00 | 0.250 x | 25 | 50 | 50 |" in table(100, [ours, theirs], [costs])
