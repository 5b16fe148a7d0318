"""`python -m gwc_crawler.spiders.fleet.bound PID WORD …` is `scrapy WORD …` for as long as the process PID lives.

It asks the kernel itself: a worker has threads, beside which no code runs safely between fork and exec.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from gwc_crawler.errors import EXIT_INTERRUPTED

_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Have this process ended when *parent*, which started it, ends, however that comes; where Linux can do it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    end_with(int(sys.argv[1]))
    from scrapy.cmdline import execute  # it takes its time, in which the other may end

    execute(["scrapy", *sys.argv[2:]])
