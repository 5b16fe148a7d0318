"""A reading process that dies at some pages, as one does in which a library breaks."""

from __future__ import annotations

import os
import signal
import sys

from gwc_crawler.extract.reading.orders import Order, ReadAnswer
from gwc_crawler.extract.reading.process import PageWork, run

READ = PageWork.read


def read(work: PageWork, order: Order) -> ReadAnswer:
    """Die at a deadly page, fail at a broken one."""
    if b"deadly" in order.body:
        os.kill(os.getpid(), signal.SIGKILL)
    if b"broken" in order.body:
        raise ValueError("broken")
    return READ(work, order)


if __name__ == "__main__":
    PageWork.read = read  # type: ignore[method-assign]
    run(int(sys.argv[1]))
