"""Decisions about a second try: pure functions of status, attempt and clock."""

from __future__ import annotations

import pytest

from gwc_crawler.download import RetryPolicy, retry_after_seconds

POLICY = RetryPolicy(3, frozenset({429, 503}), base_seconds=1.0, max_seconds=60.0)


@pytest.mark.parametrize(("attempt", "wait"), [(1, 1.0), (2, 2.0), (3, 4.0)])
def test_waits_double_with_each_attempt(attempt: int, wait: float) -> None:
    assert POLICY.after_status(503, attempt, now=100.0).retry_at == 100.0 + wait


def test_after_the_last_attempt_it_is_given_up() -> None:
    assert POLICY.after_status(503, 4, now=0.0).retry_at is None


def test_a_status_that_will_not_change_is_given_up_at_once() -> None:
    failure = POLICY.after_status(404, 1, now=0.0)
    assert (failure.reason, failure.retry_at) == ("HTTP 404", None)


def test_the_servers_wish_is_kept_up_to_the_limit() -> None:
    assert POLICY.after_status(429, 1, now=0.0, retry_after=30.0).retry_at == 30.0
    assert POLICY.after_status(429, 1, now=0.0, retry_after=9000.0).retry_at == 60.0


def test_a_shorter_wish_does_not_hurry() -> None:
    assert POLICY.after_status(429, 3, now=0.0, retry_after=1.0).retry_at == 4.0


@pytest.mark.parametrize("passing", [True, False])
def test_only_passing_errors_are_tried_again(passing: bool) -> None:
    assert (POLICY.after_error("timeout", 1, now=0.0, passing=passing).retry_at is not None) is passing


@pytest.mark.parametrize("value", [None, "", "soon", "-5", "1e3", "Thu, 99 Foo 1970 00:00:00 GMT"])
def test_a_header_that_says_nothing_is_no_wait(value: str | None) -> None:
    assert retry_after_seconds(value, 0.0) is None


def test_a_date_in_the_past_is_no_wait() -> None:
    assert retry_after_seconds("Thu, 01 Jan 1970 00:00:10 GMT", 60.0) == 0.0
