"""`python -m benchmarks.sampled FILE scrapy …`: run Scrapy, look at the stack each 5 ms of CPU time, count in FILE.

The clock is the process's own CPU time, so that a busy machine changes nothing. Time in C code is that of the Python
function which called it. A line of FILE is `frame;frame;… count`, a frame `function (file)`, the outermost first.
"""

from __future__ import annotations

import atexit
import runpy
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

SECONDS = 0.005


def sample_to(path: Path) -> None:
    """Begin to look; write what was seen when the process ends."""
    seen: Counter[tuple[str, ...]] = Counter()

    def look(_number: int, frame: FrameType | None) -> None:
        frames = []
        while frame is not None:
            frames.append(f"{frame.f_code.co_name} ({frame.f_code.co_filename})")
            frame = frame.f_back
        seen[tuple(reversed(frames))] += 1

    def write() -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        path.write_text("".join(f"{';'.join(frames)} {count}\n" for frames, count in seen.items()), encoding="utf-8")

    signal.signal(signal.SIGPROF, look)
    signal.siginterrupt(signal.SIGPROF, False)
    atexit.register(write)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)


if __name__ == "__main__":
    sample_to(Path(sys.argv[1]))
    sys.argv = sys.argv[3:]  # its own name, FILE and -m
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
