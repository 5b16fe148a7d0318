"""Settings and plug-ins of Scrapy's users; see `tests/conformance/settings.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import pytest

from tests.conformance import settings
from tests.conformance.table import Case


@pytest.fixture(scope="module")
def env() -> Iterator[Mapping[str, Any]]:
    with settings.serving() as env:
        yield env


@pytest.mark.parametrize("case", settings.CASES, ids=lambda case: case.name)
def test_settings(case: Case, env: Mapping[str, Any]) -> None:
    plug_in = case.name.partition("'")[0].partition(",")[0].replace("-", "_")
    if plug_in.startswith("scrapy_") and find_spec(plug_in) is None:
        pytest.skip(f"{plug_in} is not installed")
    assert settings.outcome(case, env) == case.expected
