"""The development corpora as a fixture; tests that need them skip where they are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval.corpora import CorporaAbsent, corpora_root


@pytest.fixture(scope="session")
def corpora() -> Path:
    try:
        return corpora_root()
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
