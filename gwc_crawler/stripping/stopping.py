"""Ctrl-C once: finish what is at work; twice: end at once."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopOnSignal:
    """While it is entered, the first Ctrl-C (or SIGTERM) is noted, and the second raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.stopped = False
        self._before: dict[signal.Signals, Any] = {}

    def __call__(self) -> bool:
        """Say whether one came."""
        return self.stopped

    def __enter__(self) -> StopOnSignal:
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, _: int, __: FrameType | None) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = True
        print("finishing the pages at work; once more ends at once, and loses nothing either", file=sys.stderr)
