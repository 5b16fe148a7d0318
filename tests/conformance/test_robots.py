"""robots.txt: each host is crawled as its case says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance import robots


@pytest.fixture(scope="module")
def env() -> Iterator[robots.Crawled]:
    with robots.serving() as env:
        yield env


@pytest.mark.parametrize("case", robots.CASES, ids=lambda case: case.name)
def test_a_host_is_crawled_as_its_robots_txt_says(case, env):
    assert robots.outcome(case, env) == case.expected
