"""A writer that dies whenever a page of one title is written: `python -m tests.store.server.deadly_writer`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from gwc_crawler.store.server import writer
from gwc_crawler.store.server.staged import Unit

DEADLY = "deadly"


class DeadlyTable(writer.BatchTable):
    """Dies at a page, as a driver that crashes would."""

    def write(self, units: Sequence[Unit]) -> None:
        if any(unit["title"] == DEADLY for unit in units):
            os.kill(os.getpid(), signal.SIGKILL)
        super().write(units)


if __name__ == "__main__":
    writer.BatchTable = DeadlyTable  # type: ignore[misc]
    writer.main(sys.stdin, sys.stdout)
