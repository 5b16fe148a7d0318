"""The drift watch: an alarm for a field that falls away, once, and none for chance or for what was always rare."""

from __future__ import annotations

import random
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as some

from gwc_crawler.items import Record
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.ops.drift import (
    LEAST_PAGES,
    WINDOW_PAGES,
    DriftAlarm,
    DriftWatch,
    expected_coverage,
    lowest_credible,
)


def watch(expected: float, pages: Iterable[bool]) -> list[DriftAlarm]:
    watching = DriftWatch({"price": expected})
    alarms = []
    for number, present in enumerate(pages):
        record = Record(f"http://a.example/{number}", {"price": "$1" if present else None})
        alarms += watching.see(record)
    return alarms


def test_a_field_that_falls_away_is_reported_once() -> None:
    (alarm,) = watch(1.0, [True] * 100 + [False] * 200)
    assert (alarm.field, alarm.expected) == ("price", 1.0)
    assert alarm.seen < 0.5
    assert alarm.url == f"http://a.example/{100 + round(WINDOW_PAGES * (1 - alarm.seen)) - 1}"


def test_a_field_that_is_never_there_is_reported_as_soon_as_it_can_be_known() -> None:
    (alarm,) = watch(0.9, [False] * 100)
    assert alarm.pages == LEAST_PAGES
    assert alarm.seen == 0.0


def test_a_field_that_is_there_as_often_as_learned_is_never_reported() -> None:
    rng = random.Random(1)
    for expected in (0.3, 0.6, 0.95):
        assert watch(expected, [rng.random() < expected for _ in range(5000)]) == []


def test_rare_fields_are_not_watched() -> None:
    assert watch(0.05, [False] * 500) == []
    assert watch(0.0, [False] * 500) == []


def test_an_empty_list_counts_as_missing() -> None:
    watching = DriftWatch({"tags": 1.0})
    alarms = [alarm for n in range(40) for alarm in watching.see(Record(f"http://a.example/{n}", {"tags": []}))]
    assert [alarm.field for alarm in alarms] == ["tags"]


def test_the_alarm_says_what_helps() -> None:
    text = str(DriftAlarm("price", 1.0, 0.25, 60, "http://a.example/7"))
    for part in ("'price'", "25% of the last 60", "100%", "http://a.example/7", "exceptions", "learn again"):
        assert part in text


def test_expected_coverage_comes_from_the_evidence() -> None:
    evidence = {"fields": {"price": {"coverage": 0.9}, "title": {}, "rare": {"coverage": 0}}}
    knowledge = Knowledge("shop", "best", (), (), 1, evidence=evidence)
    assert expected_coverage(knowledge) == {"price": 0.9}
    assert expected_coverage(Knowledge("shop", "best", (), (), 1)) == {}


@given(some.floats(0, 1), some.integers(LEAST_PAGES, WINDOW_PAGES))
def test_the_limit_lies_between_nothing_and_half_of_what_was_expected(expected: float, pages: int) -> None:
    assert 0.0 <= lowest_credible(expected, pages) <= expected / 2
