"""A dashboard as a process, and a window of a real browser that looks at it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tests.conftest import FAST, Project

FOREIGN_NAME = "rebound.example"
"""A name that the browser takes for this machine, as one does whose address has been changed by its owner."""
WAIT_MS = 60_000


def begin_dashboard(project: Project) -> str:
    """Start the dashboard of a project; what it printed as its address."""
    given = [word for name, value in FAST.items() for word in ("-s", f"{name}={value}")]
    process = project.start("dashboard", "--port", "0", *given)
    assert process.stdout is not None
    found = re.search(r"http\S+", process.stdout.readline())
    assert found is not None
    return found[0]


@dataclass
class Window:
    """A page of the browser that has been let in, and what it did that it must not do."""

    page: Any
    origin: str
    sins: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("dialog", self._asked)
        self.page.on("pageerror", lambda error: self.sins.append(f"script: {error}"))
        self.page.on("response", self._answered)

    def _asked(self, dialog: Any) -> None:
        self.sins.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _answered(self, response: Any) -> None:
        if not response.url.startswith(self.origin):
            self.sins.append(f"fetched: {response.url}")

    def go(self, path: str) -> None:
        """Open a page of the dashboard."""
        self.page.goto(self.origin + path)

    def press(self, name: str, *, role: str = "button") -> None:
        """Click what has this name."""
        self.page.get_by_role(role, name=name, exact=True).first.click()

    def told(self, text: str) -> None:
        """Wait until the dashboard says so."""
        self.page.locator(".told", has_text=text).wait_for()

    def shows(self, text: str) -> None:
        """Wait until this stands on the page; parts of it are loaded again by its script."""
        self.page.get_by_text(text).first.wait_for()
