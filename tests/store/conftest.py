"""The processes that write to servers, as the tests of the store start them."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from gwc_crawler.store.server import outlet
from tests import started


@pytest.fixture(autouse=True)
def writers(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[str]]:
    """The writers' processes that sinks start, as a fork has them; the last is the one at work."""
    begun: list[subprocess.Popen[str]] = []

    def start(command: list[str], **options: Any) -> subprocess.Popen[str]:
        begun.append(started.start(command[-1], **options))
        return begun[-1]

    ours = SimpleNamespace(Popen=start, PIPE=subprocess.PIPE, TimeoutExpired=subprocess.TimeoutExpired)
    monkeypatch.setattr(outlet, "subprocess", ours)
    return begun
