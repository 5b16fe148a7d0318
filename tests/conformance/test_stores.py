"""What reading commands answer in every store and mode; see `tests/conformance/stores.py`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance import stores
from tests.conformance.stores import Shops
from tests.conformance.table import Case


@pytest.fixture(scope="module")
def env() -> Iterator[Shops]:
    with stores.serving() as env:
        yield env


@pytest.mark.parametrize("case", stores.CASES, ids=lambda case: case.name)
def test_stores(case: Case, env: Shops) -> None:
    assert stores.outcome(case, env) == case.expected
