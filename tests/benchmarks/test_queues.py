"""The benchmark of queue policies, small: what BKDR gains where politeness allows it, and only there."""

from __future__ import annotations

import pytest

from benchmarks.queues import SLOTS, WORKERS, Case, crawl, table


@pytest.mark.slow
@pytest.mark.parametrize(("per_host", "times"), [(WORKERS * SLOTS, WORKERS), (SLOTS, 1)])
def test_bkdr_keeps_all_workers_busy_on_one_site_as_far_as_its_limit_allows(per_host: int, times: int) -> None:
    host, bkdr = (crawl(Case("one site", 1, policy, per_host), 300, 0.5) for policy in ("host", "bkdr"))
    assert bkdr.active >= times * host.active
    assert host.most <= SLOTS
    assert bkdr.most <= per_host
    assert "one site" in table([host, bkdr], 0.5)
