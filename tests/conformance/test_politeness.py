"""Each case of politeness comes out as its table says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance import politeness
from tests.conformance.table import Case


@pytest.fixture(scope="module")
def env() -> Iterator[Any]:
    with politeness.serving() as env:
        yield env


@pytest.mark.parametrize("case", politeness.CASES, ids=lambda case: case.name)
def test_politeness(case: Case, env: Any) -> None:
    assert politeness.outcome(case, env) == case.expected
