"""`make test-fast`: the tests that start no process and take no seconds. What the others show, `make test` shows.

A plugin of pytest's (`-p tests.fast`). Left out are tests marked `dear`, and those with a fixture that is there to
start processes; any other test that is about to start one is skipped in that moment: Python itself tells of it, so no
list can grow stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

STARTING = frozenset({"project", "fleet", "session_redis", "session_cluster", "built", "all_parts", "browser"})
"""Fixtures that start processes, or serve tests that do."""

STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec"})
"""Audit events of Python's."""

_testing = False


def pytest_configure(config: pytest.Config) -> None:
    """What a skipped test had opened is left to the collector: it ends in the middle."""
    config.addinivalue_line("filterwarnings", "ignore::ResourceWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is known to start processes, or to take long."""
    left_out = [
        one for one in items if one.get_closest_marker("dear") or STARTING & set(getattr(one, "fixturenames", ()))
    ]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[object]:
    """Around a test with its fixtures."""
    global _testing  # an audit hook can't be taken off again
    _testing = True
    try:
        return (yield)
    finally:
        _testing = False


def _skip(event: str, _: object) -> None:
    if _testing and event in STARTS:
        pytest.skip("starts a process")


sys.addaudithook(_skip)
