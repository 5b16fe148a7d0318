"""Figures counted in the background: kept, counted anew when they are old, and after a failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from gwc_crawler.dashboard.web.project import LEAST_SECONDS, Background


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def background(clock: Clock) -> Iterator[Background]:
    background = Background(1, clock)
    yield background
    background.close()


def test_what_is_counted_once_is_not_counted_anew_but_what_failed_is(background: Background, clock: Clock) -> None:
    answers: list[int | Exception] = [ConnectionError("Redis is away"), 7, 8]

    def count() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def look() -> tuple[int | None, str]:
        figure = background.found("key", count, patience_seconds=10, again=False)
        while figure.counting:
            figure = background.found("key", count, patience_seconds=10, again=False)
        return figure.value, figure.problem

    clock.now = 1.0
    assert look() == (None, "ConnectionError: Redis is away")
    clock.now += LEAST_SECONDS / 2
    assert look() == (None, "ConnectionError: Redis is away")
    clock.now += LEAST_SECONDS
    assert look() == (7, "")
    clock.now += 100 * LEAST_SECONDS
    assert look() == (7, "")
