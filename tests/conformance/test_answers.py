"""Odd and broken answers: each comes to what its case says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance import answers


@pytest.fixture(scope="module")
def env() -> Iterator[answers.Fetched]:
    with answers.serving() as env:
        yield env


@pytest.mark.parametrize("case", answers.CASES, ids=lambda case: case.name)
def test_an_answer_comes_to_what_is_expected(case, env):
    assert answers.outcome(case, env) == case.expected
