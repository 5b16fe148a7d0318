"""Proposals keep their floors on a few pages; `python -m tests.eval.proposals` has the whole tables."""

from __future__ import annotations

import pytest

from tests.eval.corpora import CorporaAbsent, corpora_root
from tests.eval.proposals import score

FLOORS = {"booksamillion": 0.9, "gitrknows": 0.9, "nomura": 0.9, "quotes": 0.9}
"""Share of right values on one pair of pages of each site; junk is none there."""


@pytest.mark.parametrize("site", FLOORS)
def test_what_is_proposed_is_right_as_often_as_it_was(site: str) -> None:
    try:
        corpora_root()
    except CorporaAbsent as error:
        pytest.skip(str(error))
    got = score(site, 1)
    assert got.share >= FLOORS[site], got
    assert [one.name for one in got.junk] == []
