"""Whatever happens to workers, Redis and the store: the balance is even in the end. `make bench` has the long form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import Plan, run_chaos


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "queue_lease",
    [pytest.param(0.0, id="shared queues"), pytest.param(3.0, marks=pytest.mark.slow, id="owned queues")],
)
def test_the_balance_is_even_after_kills_outages_and_a_store_that_fails(tmp_path: Path, queue_lease: float) -> None:
    sheet = run_chaos(Plan(pages=300, kills=3, limit_seconds=300, queue_lease=queue_lease), tmp_path)
    print(sheet)
    assert sheet.problems() == []
    assert sheet.faults["kill"] == 3
    assert sheet.faults["redis"] == sheet.faults["lock"] == 1


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_balance_is_even_where_pages_also_go_to_a_sql_server_that_is_killed(tmp_path: Path) -> None:
    plan = Plan(pages=300, kills=4, redis_restarts=1, locks=0, full_disks=0, servers=2, limit_seconds=300)
    sheet = run_chaos(plan, tmp_path)
    print(sheet)
    assert sheet.problems() == []
    assert sheet.faults["server"] == 2
