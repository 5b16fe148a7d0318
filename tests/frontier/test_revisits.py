"""When a page is looked at again: properties of the interval, and what becomes of what is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gwc_crawler.errors import InputError
from gwc_crawler.frontier.recrawl import (
    Intervals,
    Recrawl,
    RevisitResult,
    gone,
    look_again,
    missed,
    next_interval,
    not_modified,
    recrawl_choice,
)
from gwc_crawler.items import PageKind

LIMITS = Intervals(start_seconds=100.0, min_seconds=10.0, max_seconds=1000.0)
inside = some.floats(LIMITS.min_seconds, LIMITS.max_seconds)
passed = some.floats(0.0, 1e6)


@given(inside, passed, some.booleans())
def test_an_interval_keeps_its_limits(old: float, gone_by: float, changed: bool) -> None:
    assert LIMITS.min_seconds <= next_interval(old, gone_by, changed=changed, limits=LIMITS) <= LIMITS.max_seconds


@given(inside, passed)
def test_a_change_never_lengthens_it_and_none_never_shortens_it(old: float, gone_by: float) -> None:
    assert next_interval(old, gone_by, changed=True, limits=LIMITS) <= old
    assert next_interval(old, gone_by, changed=False, limits=LIMITS) >= old


@given(inside, passed, passed, some.booleans())
def test_it_grows_with_the_time_that_has_passed(old: float, one: float, other: float, changed: bool) -> None:
    less, more = sorted((one, other))
    assert next_interval(old, less, changed=changed, limits=LIMITS) <= next_interval(
        old, more, changed=changed, limits=LIMITS
    )


@given(inside)
def test_looking_too_early_proves_nothing(old: float) -> None:
    assert next_interval(old, old / 2, changed=False, limits=LIMITS) == old


@given(some.floats(20.0, 500.0))
def test_it_settles_near_the_time_between_changes(period: float) -> None:
    """A page that changes regularly: its interval ends up within what is told apart by one step either way."""
    now = 0.0
    kept = look_again(None, RevisitResult(0, PageKind.TARGET, True), now, LIMITS)
    intervals = []
    for _ in range(200):
        now = kept.due_at
        kept = look_again(kept, RevisitResult(int(now // period), PageKind.TARGET, True), now, LIMITS)
        intervals.append(kept.interval_seconds)
    settled = sorted(intervals[100:])
    assert period / 4 < settled[50] < 2 * period
    assert 0.2 < (kept.changes / kept.checks) < 0.7


def test_a_304_keeps_what_is_known_and_takes_new_validators() -> None:
    first = look_again(None, RevisitResult(7, PageKind.TARGET, True, '"a"', "Mon"), 0.0, LIMITS)
    again = not_modified(first, 100.0, LIMITS, '"b"')
    assert (again.signature, again.etag, again.last_modified) == (7, '"b"', "Mon")
    assert (again.checked_at, again.changed_at, again.due_at, again.unchanged) == (100.0, 0.0, 250.0, True)


def test_a_page_is_gone_once_and_back_once() -> None:
    first = look_again(None, RevisitResult(7, PageKind.TARGET, True), 0.0, LIMITS)
    lost = gone(first, 100.0, LIMITS)
    still = gone(lost, 250.0, LIMITS)
    assert (still.gone_at, still.checks, still.changes) == (100.0, 2, 1)
    assert still.due_at > lost.due_at
    back = look_again(still, RevisitResult(7, PageKind.TARGET, True), 500.0, LIMITS)
    assert (back.gone_at, back.unchanged, back.changes) == (None, False, 2)


def test_a_failed_look_says_nothing_of_the_page() -> None:
    first = look_again(None, RevisitResult(7, PageKind.TARGET, True), 0.0, LIMITS)
    later = missed(first, 100.0)
    assert later.due_at == 200.0
    assert (later.interval_seconds, later.checked_at, later.checks) == (100.0, 0.0, 0)


def test_limits_that_contradict_each_other_are_named() -> None:
    with pytest.raises(InputError, match="GWC_RECRAWL_MIN_SECONDS"):
        Intervals(start_seconds=5.0, min_seconds=10.0)


def test_the_words_for_a_recrawl() -> None:
    assert recrawl_choice("due") is Recrawl.DUE
    for wrong, right in (("error", "errors"), ("done", "due")):
        with pytest.raises(InputError, match=f"did you mean '{right}'"):
            recrawl_choice(wrong)
