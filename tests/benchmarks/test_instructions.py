"""The guard over hot functions says which became dearer, and by how much, and compares nothing with other versions."""

from __future__ import annotations

import json

import pytest

from benchmarks import instructions
from benchmarks.instructions import RECORDED, TIMES, TOLERANCE, dearer_ones, differences, least, table


def test_what_is_dearer_than_the_tolerance_is_named() -> None:
    recorded = {"read": {"instructions": 1_000_000, "bytes": 1_000}, "strip": {"instructions": 500, "bytes": 10}}
    within = {"read": {"instructions": int(1_000_000 * (1 + TOLERANCE)), "bytes": 900}, "strip": recorded["strip"]}
    assert dearer_ones(recorded, within) == []
    slower = {**within, "read": {"instructions": 1_050_000, "bytes": 2_000}}
    assert dearer_ones(recorded, slower) == [
        "read: 1,050,000 instructions a call, 5.0% more than the recorded 1,000,000",
        "read: 2,000 bytes a call, 100.0% more than the recorded 1,000",
    ]


def test_a_function_that_is_only_recorded_is_named() -> None:
    assert dearer_ones({"read": {"instructions": 1, "bytes": 1}}, {}) == ["read: counted or recorded only"]


def test_other_versions_are_told_and_not_compared() -> None:
    assert differences({"Python": "3.11", "lxml": "6.1"}, {"Python": "3.12", "lxml": "6.1"}) == (
        "Python 3.12 instead of 3.11"
    )


def test_twelve_functions_are_recorded() -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert len(recorded["functions"]) == 12
    shown = table(recorded["functions"], recorded["functions"], recorded["versions"])
    assert shown.count("+0.0%") == 24


def test_the_least_of_what_is_counted_again_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter(range(100, 0, -1))
    monkeypatch.setattr(instructions, "count", lambda: {"read": {"instructions": next(counts), "bytes": 7}})
    assert least(lambda some: some["read"]["instructions"] == 99) == {"read": {"instructions": 99, "bytes": 7}}
    assert least(lambda _: False) == {"read": {"instructions": 98 - TIMES + 1, "bytes": 7}}
