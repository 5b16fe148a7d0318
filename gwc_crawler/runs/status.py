"""What `scrapy status` tells: looks at sites, their files and servers; with --watch again and again.

The full screen obeys keys, and is drawn by Rich on the terminal's other screen. Ctrl-C, SIGTERM and a terminal that
goes away end it like q.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.live import Live
from rich.text import Text
from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

from gwc_crawler.errors import GwcError, OutageError, StoreError
from gwc_crawler.frontier.sqlite.stats import Past, read_past
from gwc_crawler.operate.fleet.control import Action, outcome_line
from gwc_crawler.operate.status import SiteStatus, WorkerStatus, fleet_stats, reported
from gwc_crawler.operate.status_text import StatusReport
from gwc_crawler.operate.view import Trend, fitted, name_stats, overview_screen, site_screen
from gwc_crawler.runs.lookup import Servers, SiteLocation, ask_crawl, look_at, opened, places
from gwc_crawler.runs.output import console, heeding
from gwc_crawler.runs.records import kept_elsewhere, server_reader
from gwc_crawler.store.sqlite.side_file import NAMES_DB, NameFile
from gwc_crawler.store.sqlite.upkeep import file_sizes
from gwc_crawler.wiring.options import data_directory, fleet_name

NAP_SECONDS = 0.25
"""Seconds until a new size of the terminal is noticed."""

KEYS = {"p": Action.PAUSE, "r": Action.RESUME, "s": Action.STOP}
ENDS = ("q", "Q", "\x03", "\x04")

MOST_SHARE = 9
"""Length of the rest after a look, in times of the look: for a large store all URLs are counted."""

Counted = dict[str, tuple[float, dict[str, Any]]]
"""Site → the time when a server was last asked, and its counts: with --watch it is not asked at every look."""

COUNTED_SECONDS = 10.0


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


def look(
    command: ScrapyCommand, name: str | None, servers: Servers, counted: Counted | None = None, *, sized: bool = False
) -> StatusReport:
    """Look at the site called *name* or at all; *sized*: also at what it takes on disk, and at its last hour."""
    assert command.settings is not None
    register, workers = _fleet_of(command.settings, servers, name)
    meant = places(command, name, register)
    counted = {} if counted is None else counted
    found = (_status_of(place, servers, counted, register.get(place.name), sized=sized) for place in meant)
    return StatusReport(name, [one for one in found if name is not None or one.has_data], workers)


def watch(command: ScrapyCommand, name: str | None, servers: Servers, every: float, *, as_json: bool) -> None:
    """Show it again and again: on a terminal as a full screen, elsewhere as lines."""
    counted: Counted = {}
    if as_json or not (sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")):
        while True:
            began = time.monotonic()
            seen = look(command, name, servers, counted)
            rest = max(every, MOST_SHARE * (time.monotonic() - began))
            print(json.dumps(seen.as_json(whole=True), ensure_ascii=False) if as_json else seen.lines(), flush=True)
            time.sleep(rest)
    ask = partial(_asked, command, name, servers)
    FullScreen(name, partial(look, command, name, servers, counted), ask, every).run()


def _asked(command: ScrapyCommand, name: str | None, servers: Servers, action: Action) -> str:
    told = [one for place in places(command, name) for one in ask_crawl(place, servers, action, 0)]
    shown = [one for one in told if not one.idle] or told[:1]
    return "; ".join(map(outcome_line, shown)) or "nothing runs"


def _fleet_of(
    settings: Settings, servers: Servers, name: str | None
) -> tuple[dict[str, dict[str, Any]], list[WorkerStatus]]:
    """Return the fleet register's entries for sites, and its workers; none while Redis is away: the status says so."""
    try:
        fleet = servers.fleet(settings)
        if fleet is None:
            return {}, []
        from gwc_crawler.spiders.fleet.worker import fleet_channel

        entries = fleet.sites() if name is None else filter(None, [fleet.site(Path(name).name.removesuffix(".toml"))])
        channel = fleet_channel(fleet.server, fleet_name(settings))
        workers = [reported(one, channel.now()) for one in channel.reports()] if name is None else []
        return {entry.name: fleet_stats(entry) for entry in entries}, workers
    except OutageError:
        return {}, []


def _sizes_of(place: SiteLocation) -> dict[str, Any]:
    sizes = {}
    for path in (place.crawl_db, place.samples_db):
        with suppress(StoreError):
            sizes[path.name] = file_sizes(path)
    return {name: found for name, found in sizes.items() if found is not None}


def _past_of(place: SiteLocation) -> Past | None:
    """Return the pace and the queue of a site's last hour; a queue in Redis keeps no past, pages of this machine do."""
    with suppress(StoreError):
        for path in (place.crawl_db, place.samples_db):
            with opened(path) as database:
                if database is not None:
                    past, is_shared = read_past(database), place.shared and path == place.crawl_db
                    return replace(past, waiting=()) if past and is_shared else past
    return None


def _status_of(
    place: SiteLocation, servers: Servers, counted: Counted, fleet: Mapping[str, Any] | None, *, sized: bool
) -> SiteStatus:
    """Look at one site, in its files and, where its crawl is shared, in Redis; *sized*: also what they take on disk."""
    status = look_at(place, servers)
    known, counts = NameFile(data_directory(place.settings) / NAMES_DB).totals()
    if status.crawl is not None and (kept_at := kept_elsewhere(place.settings, place.directory)):
        status = _elsewhere(status, kept_at, place, counted)
    sizes, past = (_sizes_of(place), _past_of(place)) if sized else (None, None)
    return replace(status, fleet=fleet, names=name_stats(known, counts), sizes=sizes, past=past)


def _elsewhere(status: SiteStatus, kept_at: str, place: SiteLocation, counted: Counted) -> SiteStatus:
    """Return the status of a crawl with pages and records elsewhere: with a server's counts, if it keeps them."""
    assert status.crawl is not None
    crawl = replace(status.crawl, kept_at=kept_at, records=None, exceptions={})
    try:
        at, counts = counted.get(place.name, (0.0, {}))
        if status.checked_at > at + COUNTED_SECONDS:
            counts = _on_server(place)
            counted[place.name] = status.checked_at, counts
    except GwcError as error:
        return replace(status, crawl=crawl, problem="; ".join(filter(None, (status.problem, str(error)))))
    tally = replace(crawl.tally, kinds=counts.get("kinds", crawl.tally.kinds))
    figures = {name: value for name, value in counts.items() if name != "kinds"}
    return replace(status, crawl=replace(crawl, tally=tally, **figures))


def _on_server(place: SiteLocation) -> dict[str, Any]:
    reader = server_reader(place.settings, place.name)
    if reader is None:
        return {}
    with closing(reader):
        rows = reader.records()
        return {
            "records": rows.count() if rows else 0,
            "exceptions": reader.exception_counts(),
            "kinds": reader.pages_by_kind(),
        }
