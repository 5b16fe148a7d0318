"""Real servers: their pages come to what each case says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance import servers


@pytest.fixture(scope="module")
def env() -> Iterator[servers.Crawled]:
    with servers.serving() as env:
        yield env


@pytest.mark.parametrize("case", servers.CASES, ids=lambda case: case.name)
def test_a_server_s_pages_come_to_what_is_expected(case, env):
    if env.found.get(case.name) == servers.NO_NODE:
        pytest.skip(servers.NO_NODE)
    assert servers.outcome(case, env) == case.expected
