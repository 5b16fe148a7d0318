"""The package does not grow without a word: no figure of its size rises above what `measures` says."""

from __future__ import annotations

import pytest

from tests.architecture.measures import CEILINGS, measures


@pytest.mark.dear
def test_no_figure_rises() -> None:
    found = measures()
    assert {name: figure for name, figure in found.items() if figure > CEILINGS[name]} == {}
    assert set(found) == set(CEILINGS)
