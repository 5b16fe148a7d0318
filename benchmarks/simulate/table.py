"""Outcomes of simulations as a Markdown table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

HEADINGS = {
    "workers": "workers", "masters": "masters", "pages/s": "pages_a_second", "slots used": "slots_used",
    "idle": "workers_idle", "CPU": "workers_cpu", "busiest master": "busiest_master",
    "calls/s": "redis_calls_a_second", "a call waits ms": "redis_wait_ms", "Redis ms/page": "redis_ms_a_page",
    "Redis MB": "redis_mb", "fairness": "fairness", "names known": "name_hits",
}  # fmt: skip


def table(outcomes: Sequence[Mapping[str, Any]]) -> str:
    """A row for each outcome."""
    rows = [[_cell(one[name]) for name in HEADINGS.values()] for one in outcomes]
    lines = [HEADINGS, ["---:"] * len(HEADINGS), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
