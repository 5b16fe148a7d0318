"""Selectors of site files: each is refused, or reads, as its case says."""

from __future__ import annotations

import pytest

from tests.conformance import site_files


@pytest.mark.parametrize("case", site_files.CASES, ids=lambda case: case.name)
def test_a_selector_reads_or_is_refused_as_its_case_says(case, tmp_path):
    assert site_files.outcome(case, tmp_path) == case.expected
