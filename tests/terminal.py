"""`scrapy` in a terminal of its own: what it prints is read, what a person types is typed."""

from __future__ import annotations

import os
import pty
import select

from tests.conftest import Project, ended

LONGEST_SECONDS = 120


class Terminal:
    """`scrapy ARGS` in a terminal of 100 columns."""

    def __init__(self, project: Project, *args: str) -> None:
        self._end, its_end = pty.openpty()
        self.process = project.start(*args, stdin=its_end, stdout=its_end, start_new_session=True)
        os.close(its_end)
        self.seen = b""

    def until(self, text: bytes) -> str:
        """Read on until *text* was printed once more; what was printed since."""
        start = len(self.seen)
        while text not in self.seen[start:] and self._read():
            pass
        assert text in self.seen[start:], self.seen.decode()
        return self.seen[start:].decode()

    def answer(self, text: bytes) -> None:
        """Type."""
        os.write(self._end, text)

    def to_the_end(self) -> tuple[int, str]:
        """Read what is left; the exit code, and all that was printed."""
        while self._read():
            pass
        os.close(self._end)
        return ended(self.process).code, self.seen.decode()

    def _read(self) -> bytes:
        assert select.select([self._end], [], [], LONGEST_SECONDS)[0], self.seen.decode()
        try:
            found = os.read(self._end, 65_536)
        except OSError:  # nobody has its other end any more
            return b""
        self.seen += found
        return found
