"""The simulation of a fleet: workers come, die and stall, and nothing is asked too often or completed twice."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.simulate.simulation import Case, fill, jain, simulate
from benchmarks.simulate.world import World


@pytest.fixture
def client(redis_server: Any) -> Any:
    with redis_server.client() as client:
        client.flushdb()
        yield client


def test_a_fleet_in_virtual_time_keeps_its_promises(client: Any) -> None:
    world = World(hosts=300, urls=6000, sites=2)
    case = Case(workers=4, seconds=12.0, per_host=1, churn=2.5)
    fill(client, world, case)
    outcome = simulate(client, world, case)
    assert (outcome.most_at_once, outcome.twice) == (1, 0)
    assert outcome.pages_a_second > 5
    assert 0 < outcome.fairness <= 1
    assert 0 < outcome.busiest_master < 1
    assert 0 < outcome.name_hits < 1


def test_a_delay_is_kept_across_workers_that_are_killed(client: Any) -> None:
    world = World(hosts=5, urls=200, sites=1)
    case = Case(workers=3, seconds=15.0, per_host=1, delay=1.0, churn=8.0)
    fill(client, world, case)
    outcome = simulate(client, world, case)
    assert outcome.shortest_gap > 0.99
    assert outcome.limit.startswith("the hosts")


def test_fairness_is_one_where_all_have_the_same() -> None:
    assert jain([3, 3, 3]) == 1
    assert jain([9, 0, 0]) == pytest.approx(1 / 3)
