"""The browser in which the dashboard is clicked through."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.dashboard.windows import FOREIGN_NAME
from tests.site_server import SiteServer


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium; whatever it would ask a foreign host for, it would get."""
    playwright = pytest.importorskip("playwright.sync_api")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("Chromium is not installed: make chromium")
    with playwright.sync_playwright() as running, SiteServer({"/x": [], "/y": []}) as evil:
        rules = f"MAP {FOREIGN_NAME} 127.0.0.1, MAP evil.example 127.0.0.1:{evil.port}"
        options = ["--no-sandbox", f"--host-resolver-rules={rules}"]
        started = running.chromium.launch(executable_path=chromium, args=options)
        yield started
        started.close()
        assert evil.hits == {}
