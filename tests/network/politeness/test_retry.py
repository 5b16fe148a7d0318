"""Decisions about a second try: pure functions of status, attempt and clock."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from gwc_crawler.network.politeness.retry import RetryPolicy, retry_after_seconds, wait_asked_for

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


NOTHING = [
    *(None, "", " ", "soon", "-5", "+5", "1e3", "0x10", "inf", "nan", "5 s", "1.5.2", ".", "²", "٣", "\0", ";" * 9000),
    *("Thu, 99 Foo 1970 00:00:00 GMT", "Thu, 01 Jan -5 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 +9999999999999999"),
    *(
        "Thu, 01 Jan 99999 00:00:00 GMT",
        "Thu, 01 Jan 1970 25:61:61 GMT",
        "Thu, 30 Feb 2030 00:00:00 GMT",
        "01 Jan 1970",
    ),
]


@pytest.mark.parametrize("value", NOTHING, ids=lambda value: ascii(value)[:40])
def test_a_header_that_says_nothing_is_no_wait(value: str | None) -> None:
    assert retry_after_seconds(value, 0.0) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0), ("007", 7.0), (" 5\t", 5.0), ("1.5", 1.5), ("3.", 3.0), ("9" * 30, 1e30), ("9" * 400, inf),
        ("Thu, 01 Jan 1970 00:00:10 GMT", 0.0),
        ("Thursday, 01-Jan-70 00:02:00 GMT", 60.0), ("Thu Jan  1 00:02:00 1970", 60.0),
        ("Thu, 01 Jan 1970 02:02:00 +0200", 60.0), ("Fri, 31 Dec 9999 23:59:59 GMT", 253402300799.0 - 60.0),
        ("Fri, 31 Dec 9999 23:59:59 -2359", approx(253402300799.0, rel=0.01)),
    ],
)  # fmt: skip
def test_seconds_and_dates_however_absurd_are_read(value: str, seconds: float) -> None:
    assert retry_after_seconds(value, 60.0) == approx(seconds)
    assert POLICY.after_status(429, 1, 60.0, retry_after_seconds(value, 60.0)).retry_at <= 120.0


@pytest.mark.parametrize("year", ["0000", "0001", "1583", "1970", "2001"])
def test_a_date_long_past_is_no_wait(year: str) -> None:
    assert retry_after_seconds(f"Mon, 01 Jan {year} 00:00:00 GMT", 1.7e9) == 0.0


@given(st.text() | st.from_regex(r"[A-Z][a-z]{2}, [0-9]{1,3} [A-Z][a-z]{2} -?[0-9]{1,7} [0-9:]{1,9} [-+A-Z0-9]{0,6}"))
def test_no_header_raises(value: str) -> None:
    wait = retry_after_seconds(value, 1.7e9)
    assert wait is None or wait >= 0


def test_of_several_headers_the_longest_wait_counts() -> None:
    assert wait_asked_for([b"5", b"soon", b"20", b"\xff"], 0.0) == 20.0
    assert wait_asked_for([b"soon"], 0.0) is None
    assert wait_asked_for([], 0.0) is None
