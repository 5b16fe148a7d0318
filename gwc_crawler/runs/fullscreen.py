"""The full screen of `scrapy status --watch`: looks again and again, and obeys keys; leaves the terminal as it was.

Drawn by Rich on the terminal's other screen. Ctrl-C, SIGTERM and a terminal that goes away end it like q.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.live import Live
from rich.text import Text

from gwc_crawler.errors import GwcError
from gwc_crawler.operate.fleet.control import Action
from gwc_crawler.operate.status_text import StatusReport
from gwc_crawler.operate.view import Trend, fitted, overview_screen, site_screen
from gwc_crawler.runs.output import console, heeding

NAP_SECONDS = 0.25
"""Seconds until a new size of the terminal is noticed."""

KEYS = {"p": Action.PAUSE, "r": Action.RESUME, "s": Action.STOP}
ENDS = ("q", "Q", "\x03", "\x04")

MOST_SHARE = 9
"""Length of the rest after a look, in times of the look: for a large store all URLs are counted."""


class FullScreen:
    """One view, of the site called *name* or of all.

    `look` reads the figures; `ask` asks the site's crawl for something, and says what came of it; may raise GwcError.
    """

    def __init__(
        self, name: str | None, look: Callable[[], StatusReport], ask: Callable[[Action], str], every: float
    ) -> None:
        self._name, self._look, self._ask, self._every = name, look, ask, every
        self._trend = Trend()
        self._word = ""
        self._may_stop = False
        self._listens = sys.stdin.isatty()
        self._seen = StatusReport(name, [], [])

    def run(self) -> None:
        """Show it until a key or a signal ends it."""
        screen = console()
        with (
            heeding(_end, signal.SIGTERM, signal.SIGHUP),
            _keys_at_once(self._listens),
            Live(console=screen, auto_refresh=False, screen=True, vertical_overflow="crop") as live,
        ):
            while True:
                began = time.monotonic()
                self._seen = self._look()
                took = time.monotonic() - began
                if self._name is not None:
                    self._trend.add(self._seen.sites[0])
                next_look = time.monotonic() + max(self._every, MOST_SHARE * took)
                drawn: Any = None
                while (left := next_look - time.monotonic()) > 0 or drawn is None:
                    shown = (screen.size, self._word)
                    if shown != drawn:
                        live.update(self._drawn(*screen.size), refresh=True)
                        drawn = shown
                    key = self._key(max(0.0, min(NAP_SECONDS, left)))
                    if key in ENDS:
                        return
                    if key and self._obey(key.lower()):
                        next_look = 0.0  # what it has brought is looked at now

    def _drawn(self, width: int, height: int) -> Text:
        if self._name is not None:
            lines = site_screen(self._seen.sites[0], self._trend, width=width, height=height - 1)
        else:
            lines = overview_screen(self._seen.sites, self._seen.workers, width=width, height=height - 1)
        lines += [""] * (height - 1 - len(lines))
        (foot,) = fitted([self._foot()], width=width, height=1)
        screen = Text("\n".join([*lines, ""]), no_wrap=True, overflow="crop")
        screen.append(foot.ljust(width), "reverse")
        screen.highlight_regex(r"\A.*", "bold")
        return screen

    def _foot(self) -> str:
        if not self._listens:
            return "Ctrl-C ends (no keys: standard input is no terminal)"
        keys = "q quit" if self._name is None else "p pause  r resume  s stop  q quit"
        return f"{self._word}  ({keys})" if self._word else keys

    def _key(self, seconds: float) -> str:
        """Wait for a key; "" where none came. The end of the input counts as q, of several at once the last counts."""
        if not self._listens:
            time.sleep(seconds)
            return ""
        number = sys.stdin.fileno()
        if not select.select([number], [], [], seconds)[0]:
            return ""
        pressed = os.read(number, 64).decode(errors="ignore")
        if not pressed or set(pressed) & set(ENDS):  # pressed while the figures were read
            return "q"
        return "" if pressed.startswith("\x1b") else pressed[-1]  # an arrow or the like does not count

    def _obey(self, key: str) -> bool:
        """Perform a key's action; returns whether it was sent to the crawl."""
        action = KEYS.get(key) if self._name is not None else None
        if action is Action.STOP and not self._may_stop:
            self._may_stop, self._word = True, "s again stops the crawl"
            return False
        self._may_stop, self._word = False, ""
        if action is None:
            return False
        try:
            self._word = self._ask(action)
        except GwcError as error:
            self._word = str(error)
        return True


@contextmanager
def _keys_at_once(listens: bool) -> Iterator[None]:
    """Have keys without Return and unseen; Ctrl-C still interrupts, Ctrl-Z does nothing."""
    if not listens:
        yield
        return
    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        now = termios.tcgetattr(number)
        now[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(number, termios.TCSANOW, now)
        yield
    finally:
        termios.tcsetattr(number, termios.TCSAFLUSH, before)


def _end(number: int, _: object) -> None:
    raise SystemExit(128 + number)  # in order, so that the terminal is as it was
