"""The simulated day: nothing waits, every page is fetched once, and a cache of names saves the time of asking."""

from __future__ import annotations

import asyncio
import time

import pytest

from benchmarks.day import NAME_SECONDS, PAGE_SECONDS, SLOTS, SimulatedLoop, crawled


def test_the_simulated_clock_jumps_to_what_comes_next() -> None:
    loop = SimulatedLoop()
    began = time.monotonic()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(asyncio.sleep(100_000))
    assert loop.now >= 100_000
    assert time.monotonic() - began < 60


def test_an_hour_with_both_brings_what_asking_for_names_would_have_taken() -> None:
    without, having = (sum(crawled(200_000, 1, has_both=both).pages.values()) for both in (False, True))
    alone = 3600 * SLOTS / (PAGE_SECONDS + NAME_SECONDS)
    assert 0.95 * alone < without < 1.05 * alone
    assert without < having < 1.05 * 3600 * SLOTS / PAGE_SECONDS


@pytest.mark.slow
def test_no_page_is_fetched_twice() -> None:
    for both in (False, True):
        assert sum(crawled(500, 1, has_both=both).pages.values()) in (500, 501)  # page 0 is where it begins
