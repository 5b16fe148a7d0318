"""The pages in docs/conformance are those of today's cases."""

from __future__ import annotations

import pytest

from tests.conformance.table import PAGES, page, subjects


@pytest.mark.parametrize("name", subjects())
def test_the_page_in_the_docs_shows_the_cases_as_they_are(name):
    written = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert written == page(name, subjects()[name]), f"run `python -m tests.conformance {name} --write`"
    assert len({case.name for case in subjects()[name].CASES}) == len(subjects()[name].CASES), "each case has its name"
