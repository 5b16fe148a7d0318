"""Sinks as a user writes them: one that keeps a journal, two that fail, one that ends the process."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from gwc_crawler.items import Visit
from gwc_crawler.store.sink import SinkConfig


class Journal:
    """Appends to `journal.txt` the URL of each page, and "closed" at its end."""

    def __init__(self, config: SinkConfig) -> None:
        self.directory = config.directory
        self.file = (config.directory / "journal.txt").open("a", encoding="utf-8")

    def write(self, visits: Sequence[Visit]) -> None:
        """Store a batch."""
        self.note(*(visit.page.url for visit in visits))

    def note(self, *lines: str) -> None:
        """Write lines, and have them safe."""
        self.file.writelines(f"{line}\n" for line in lines)
        self.file.flush()
        os.fsync(self.file.fileno())

    def close(self) -> None:
        """End."""
        self.note("closed")
        self.file.close()


class Broken(Journal):
    """Fails at its second batch, as long as there is a file `broken`."""

    batches = 0

    def write(self, visits: Sequence[Visit]) -> None:
        """Store a batch, or fail."""
        self.batches += 1
        if self.batches > 1 and (self.directory / "broken").exists():
            raise ConnectionError("the warehouse does not answer")
        super().write(visits)


class BrokenAtClose(Journal):
    """Fails when it is closed."""

    def close(self) -> None:
        """Fail."""
        super().close()
        raise OSError("no space left for the last page of the book")


class Deadly(Journal):
    """Kills its process after its second batch, before the frontier hears of it; once."""

    batches = 0

    def write(self, visits: Sequence[Visit]) -> None:
        """Store a batch."""
        super().write(visits)
        self.batches += 1
        mark = self.directory / "killed"
        if self.batches == 2 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
