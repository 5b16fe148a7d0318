"""The drift watch: an alarm for a field that falls away, once, and none for chance or for what was always rare."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gwc_crawler.items import Record
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.operate.drift import (
    LEAST_PAGES,
    WINDOW_PAGES,
    DriftAlarm,
    DriftWatch,
    absence_pages,
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
    (alarm,) = watch(1.0, [False] * 100)
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


PAGES = 2000
SEEDS = 5
CHANGE = 1000
"""The page at which the site of an order that drifts is redesigned."""


def iid(share: float, rng: random.Random) -> list[bool]:
    return [rng.random() < share for _ in range(PAGES)]


def clustered(share: float, rng: random.Random, size: int = 25) -> list[bool]:
    flags: list[bool] = []
    while len(flags) < PAGES:
        flags += [rng.random() < share] * rng.randint(1, 2 * size)
    return flags[:PAGES]


def with_first(share: float, rng: random.Random) -> list[bool]:
    return [number < share * PAGES for number in range(PAGES)]


def with_last(share: float, rng: random.Random) -> list[bool]:
    return with_first(share, rng)[::-1]


ORDERS = {"iid": iid, "clustered": clustered, "with it first": with_first, "without it first": with_last}


def alarms_of(share: float, flags: Iterable[bool], urls: Iterable[str] | None = None) -> list[tuple[int, DriftAlarm]]:
    """Return the alarms with the number of the page that brought each."""
    watching = DriftWatch({"author": share})
    addresses = urls or (f"http://a.example/{number}" for number in range(PAGES))
    found = []
    for number, (present, url) in enumerate(zip(flags, addresses, strict=False)):
        found += [(number, one) for one in watching.see(Record(url, {"author": "Ann" if present else None}))]
    return found


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
@pytest.mark.parametrize("share", [0.2, 0.42, 0.7, 0.95])
def test_a_sound_site_is_left_alone_in_any_order(order: Callable[..., list[bool]], share: float) -> None:
    for seed in range(SEEDS):
        assert not alarms_of(share, order(share, random.Random(seed))), seed


@pytest.mark.parametrize("order", [iid, clustered])
@pytest.mark.parametrize("share", [0.42, 0.7, 0.95, 1.0])
def test_a_redesign_is_told_within_so_many_pages(order: Callable[..., list[bool]], share: float) -> None:
    for seed in range(SEEDS):
        flags = order(share, random.Random(seed))[:CHANGE] + [False] * (PAGES * 2)
        before = sum(flags[:CHANGE]) / CHANGE
        longest = max(len(run) for run in "".join("+" if one else "-" for one in flags[:CHANGE]).split("+"))
        urls = (f"http://a.example/{number}" for number in count())
        ((page, alarm),) = alarms_of(share, flags, urls)
        surplus = max(0.0, CHANGE * (before / share - 1))  # where more were seen than expected
        assert CHANGE <= page <= CHANGE + 1 + max(absence_pages(min(share, before)) + surplus, 3 * longest, 31)
        assert alarm.seen < before / 2


def test_a_section_that_changes_its_template_is_told_and_one_that_never_had_the_field_is_not() -> None:
    """Two sections take turns: books have an author, films never had one; then books lose theirs."""
    urls = [f"http://a.example/{'books' if number % 2 else 'films'}/{number}" for number in range(PAGES)]
    sound = [number % 2 == 1 for number in range(PAGES)]
    assert not alarms_of(0.5, sound, urls)
    assert not alarms_of(0.5, sorted(sound), sorted(urls, reverse=True)), "films first"
    assert not alarms_of(0.5, sorted(sound, reverse=True), sorted(urls)), "books first"
    changed = [present and number < CHANGE for number, present in enumerate(sound)]
    ((page, alarm),) = alarms_of(0.5, changed, urls)
    assert CHANGE <= page <= CHANGE + 2 * WINDOW_PAGES
    assert "/books/" in alarm.url


def test_many_sections_one_after_the_other_are_no_drift() -> None:
    for seed in range(SEEDS):
        rng = random.Random(seed)
        has = [rng.random() < 0.42 for _ in range(40)]
        urls = [f"http://a.example/{number // 50}/{number}" for number in range(PAGES)]
        assert not alarms_of(0.42, [has[number // 50] for number in range(PAGES)], urls), seed
