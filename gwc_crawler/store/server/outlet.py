"""The way out to a server, for a sink and for a pipeline: safe on disk first, on the server soon.

A thread packs batches and has them on disk, so the event loop does not wait. Writers, a thread and a process each,
bring them over in their order, and wait with growing, random pauses while the server is away. So a crawl never notices
a server that is slow, and one that is gone only when the spool is full.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.errors import StoreError, unwritten
from gwc_crawler.network.masking import hide, masked
from gwc_crawler.store.server.config import MSSQL, NAMES, POSTGRES, OutletConfig, ServerConfig
from gwc_crawler.store.server.spool import REFUSED, TRIES, Closing, Spool, waiting
from gwc_crawler.store.server.units import encode

logger = logging.getLogger(__name__)


# --- A writer's process, from the crawl's side ------------------------------------------------------------------------


MODULE = "gwc_crawler.store.server.writer"
DIED = {"away": "the writer's process has ended"}


class WriterProcess:
    """One process that writes; after its end the next `ask` starts another. One thread at a time may ask."""

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._process: subprocess.Popen[str] | None = None
        self.deaths = 0
        """So often in a row it has ended without an answer."""
        self.at: int | None = None
        """The unit it was at by its last word; -1: at reading them."""

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to an order, see `writer`; `DIED` where it was killed, or can't be run."""
        self.at = None
        try:
            process = self._process or self._start()
            _send(process, order)
            assert process.stdout is not None
            while "at" in (answer := json.loads(process.stdout.readline())):
                self.at = answer["at"]
        except (OSError, ValueError) as error:  # no answer is no JSON
            logger.debug("%s", DIED["away"], exc_info=error)
            self.end()
            self.deaths += 1
            return DIED
        self.deaths = 0
        if "refusal" in answer:
            self.end()  # the driver repeats what a server first refused for as long as its process lives
        return answer  # type: ignore[no-any-return]

    def _start(self) -> subprocess.Popen[str]:
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is not for it: the crawl says when it is enough
        )
        _send(process, {"server": dataclasses.asdict(self._config)})
        return process

    def end(self) -> None:
        """End it, and let go of its pipes; nobody may wait for its answer."""
        self.kill()
        process, self._process = self._process, None
        if process is not None:
            with suppress(OSError), process:
                pass

    def kill(self) -> None:
        """End it now: whoever waits for its answer is told so."""
        if self._process is not None:
            self._process.kill()


def _send(process: subprocess.Popen[str], order: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(order) + "\n")
    process.stdin.flush()


# --- How an outlet does, in a small file beside its batches, for `scrapy status` --------------------------------------


STATE_FILE = "state.json"
ITEMS_FOLDER = "mssql-items"
"""What that of all spiders with a pipeline is called in the data directory."""


@dataclass(slots=True)
class OutletState:
    """What became of the batches of a crawl.

    Attributes:
        server: where they go, for people.
        reachable: whether the last try got through; None before the first.
        problem: what went wrong in it, "" for nothing.
        written: pages (or items) that the server has taken in this run; `refused`: those it has not.
        replaced: characters that no server keeps (NUL, lone surrogates), for which U+FFFD stands.
        waiting_batches, waiting_bytes: what is safe on disk and not there yet.
        at: when this was so, epoch seconds.
        engine: what kind of server it is.
    """

    server: str
    reachable: bool | None = None
    problem: str = ""
    written: int = 0
    refused: int = 0
    replaced: int = 0
    waiting_batches: int = 0
    waiting_bytes: int = 0
    at: float = 0.0
    engine: str = MSSQL

    def as_json(self) -> dict[str, Any]:
        """Return the form of `scrapy status --json`."""
        return dataclasses.asdict(self)

    @property
    def name(self) -> str:
        """What kind of server it is, for people."""
        return NAMES[self.engine]

    @property
    def told(self) -> str:
        """In a sentence."""
        there = {True: "answers", False: f"can't be written: {self.problem}", None: "not asked yet"}[self.reachable]
        words = [f"{self.server} {there}", f"{self.written} written in its last run"]
        if self.refused:
            words.append(f"{self.refused} refused ({self.engine}/refused/; `deliver SITE --refused` tries again)")
        if self.waiting_batches:
            words.append(f"{self.waiting_batches} batches of {self.waiting_bytes / 1e6:.1f} MB wait on disk")
        return "; ".join(words)


def write_state(directory: Path, state: OutletState) -> None:
    """Leave it; that it can't be left is no reason to end a crawl."""
    half = directory / f"{STATE_FILE}.{os.getpid()}"
    with suppress(OSError):
        half.write_text(json.dumps(state.as_json()), encoding="utf-8")
        half.replace(directory / STATE_FILE)


def read_states(site_directory: Path) -> list[OutletState]:
    """Return how the outlets of a site did when they last said so, and what waits now."""
    folders = [site_directory / engine for engine in NAMES]
    found = [(folder, state) for folder in folders if (state := last_state(folder)) is not None]
    return [dataclasses.replace(state, **waiting(folder)) for folder, state in found]


def read_state(site_directory: Path) -> OutletState | None:
    """Return the first of them."""
    return next(iter(read_states(site_directory)), None)


def last_state(directory: Path) -> OutletState | None:
    """Return what stands beside batches, as it was left."""
    try:
        return OutletState(**json.loads((directory / STATE_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


LOGIN_SETTINGS = {MSSQL: "GWC_MSSQL_USER, GWC_MSSQL_PASSWORD and GWC_MSSQL_DATABASE", POSTGRES: "GWC_POSTGRES_URL"}
FIRST_PAUSE_SECONDS = 0.25
DOUBT_TRIES = 6
"""A batch that was tried so often may have a row that the server chokes on."""
DEADLY = 3
"""A batch at which the writer's process ends so often in a row is written unit by unit."""
AWAY_SECONDS = 3.0
"""The end of a crawl waits no longer for a server that does not answer."""


class Outlet:
    """Opens the spool in a *directory*, sees whether the server takes us, and starts the writers.

    Raises:
        StoreError: the folder can't be used, or the server refuses the login; one that is away is no reason.
    """

    def __init__(self, config: OutletConfig, directory: Path) -> None:
        server = config.server
        if server.password:
            hide(server.password)
        self._config, self._server, self._name, self._place = config, server, server.name, server.place
        self._spool, self._directory = Spool(directory, config.spill_bytes), directory
        self._state = OutletState(server.place, engine=server.engine)
        self._guard = threading.Lock()
        self._first_refusal = ""
        self._stop = threading.Event()
        self._alarm: threading.Timer | None = None
        self._packer = ThreadPoolExecutor(1, "spool")
        self._packing: Future[None] | None = None
        self._writers = [WriterProcess(server) for _ in range(config.writers)]
        self._threads: list[threading.Thread] = []
        try:
            self._check()
            self._tell_of_another_server()
            write_state(directory, self.state)
        except BaseException:
            self._end()
            raise
        for one in self._writers:
            self._threads.append(threading.Thread(target=self._bring_over, args=(one,), name="writer", daemon=True))
            self._threads[-1].start()

    def is_empty_within(self, seconds: float) -> bool:
        """Wait until the server has all that was put; returns whether it has."""
        deadline = time.monotonic() + seconds
        if self._packing is not None and not wait([self._packing], seconds).done:
            return False
        return self._spool.wait_until_empty(max(0.0, deadline - time.monotonic()))

    @property
    def state(self) -> OutletState:
        """How it does now."""
        with self._guard:
            self._state.waiting_batches, self._state.waiting_bytes = len(self._spool), self._spool.size_bytes
            self._state.at = time.time()
            return self._state

    def put(self, head: Mapping[str, Any], units: Callable[[], Iterable[Mapping[str, Any]]]) -> Future[None]:
        """Take a batch; *units* is called in another thread. The Future is done when the batch is safe.

        It fails with a StoreError where the disk does not take it, or the outlet was closed before there was room.
        """
        self._packing = self._packer.submit(self._keep, head, units)
        return self._packing

    def _keep(self, head: Mapping[str, Any], units: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        body, replaced = encode(head, units())
        waits = not self._spool.has_room_for(len(body))
        if waits:
            told = "%s is away and the disk holds as much as it may, so the crawl waits bytes=%d problem=%r"
            logger.warning(told, self._name, self._spool.size_bytes, self._state.problem)
        try:
            self._spool.put(body)
        except Closing as error:
            raise StoreError(
                f"{self._directory} is full ({self._spool.size_bytes / 1e6:.0f} MB) and {self._name} is away "
                f"({self._state.problem}); bring it back and run again, or raise GWC_MSSQL_SPILL_BYTES: nothing is lost"
            ) from error
        except OSError as error:
            raise unwritten(self._directory, error, "mend it and run again: nothing is lost") from error
        if waits:
            logger.info("%s takes batches again, so the crawl goes on", self._name)
        with self._guard:
            self._state.replaced += replaced

    # --- the writers' side --------------------------------------------------------------------------------------------

    def _check(self) -> None:
        answer = self._writers[0].ask({"check": True})
        if answer is DIED:
            raise StoreError(f"{DIED['away']}; run again, and look at the log")
        if "refusal" in answer:
            login = "" if answer["help"] else f"; mend {LOGIN_SETTINGS[self._server.engine]}"
            who = "can't be used" if answer["help"] else f"refuses user {self._server.user}"
            raise StoreError(f"{self._name} at {self._place} {who}: {masked(answer['refusal'])}{login}")
        self._note(answer)

    def _tell_of_another_server(self) -> None:
        before = last_state(self._directory)
        if before is not None and before.server != self._place and len(self._spool):
            told = (
                "what waits on disk was meant for another %s and goes to the one that is named now batches=%d "
                "before=%s now=%s; if that is wrong, end this and name the other again"
            )
            logger.warning(told, self._name, len(self._spool), before.server, self._place)

    def _bring_over(self, process: WriterProcess) -> None:
        while not self._stop.is_set() and (path := self._spool.take()) is not None:
            attempt, ends = 0, Counter[int]()
            while not self._wrote(process, path, ends, doubt=attempt >= DOUBT_TRIES):
                if process.at is not None and process.deaths > DEADLY and not self._stop.is_set():
                    continue  # one more death at a unit is counted, and no reason to wait or to doubt others
                attempt += 1
                if self._stop.wait(pause_seconds(attempt, self._config.retry_seconds)):
                    return
            write_state(self._directory, self.state)

    def _wrote(self, process: WriterProcess, path: Path, ends: Counter[int], *, doubt: bool) -> bool:
        """Try to write a batch; False where it has to be tried again.

        Args:
            ends: how often the process has ended at which unit, of those that were written singly.
        """
        if self._stop.is_set():
            return False
        deadly = [number for number, times in ends.items() if number >= 0 and times >= TRIES]
        is_singly = bool(deadly) or process.deaths >= DEADLY
        order = {"write": str(path), "doubt": doubt, "deadly": deadly if is_singly else None}
        answer = process.ask(order)
        if self._stop.is_set() and "ok" not in answer:
            return False  # we may have ended it ourselves
        if answer is DIED:
            logger.warning("%s, another one takes over order=%s", DIED["away"], order)
            if is_singly and process.at is not None:
                ends[process.at] += 1
            if ends[-1] >= TRIES:
                answer = {"damaged": "the writer's process ends at it"}
        self._note(answer)
        if "damaged" in answer:
            aside = self._spool.set_aside(path)
            told = "a batch can't be read, its pages are not on the server file=%s reason=%s"
            logger.error(told, aside, answer["damaged"])
        elif "ok" in answer:
            self._spool.done(path)
        else:
            write_state(self._directory, self.state)
            return False
        return True

    def _note(self, answer: Mapping[str, Any]) -> None:
        problem = masked(answer.get("away") or answer.get("refusal") or "")
        with self._guard:
            state, was = self._state, self._state.reachable
            is_news = was is not False or ("refusal" in answer and problem != state.problem)
            state.reachable, state.problem = not problem, problem
            state.written += answer.get("pages", 0)
            state.refused += answer.get("refused", 0)
        if problem and is_news:
            told = "%s can't be written, what goes there waits on disk server=%s problem=%s"
            logger.warning(told, self._name, self._place, problem)
        elif not problem and was is False:
            logger.info("%s can be written again server=%s", self._name, self._place)
        if answer.get("refused"):
            self._first_refusal, place = self._first_refusal or answer["why"], self._directory / REFUSED
            told = "%s refuses what a page gives, kept in %s pages=%d first=%s"
            logger.warning(told, self._name, place, answer["refused"], masked(answer["why"]))

    # --- the end ------------------------------------------------------------------------------------------------------

    def ending(self) -> None:
        """The crawl ends: should the server stay away, what has no room is given up."""
        if self._alarm is None:
            self._alarm = threading.Timer(AWAY_SECONDS, self._give_up)
            self._alarm.daemon = True
            self._alarm.start()

    def _give_up(self) -> None:
        if not self._state.reachable:
            self._spool.close()

    def close(self) -> None:
        """Wait for what is not on the server yet, as long as it may take; the rest is for the next run."""
        if self._stop.is_set():
            return
        deadline = time.monotonic() + self._config.close_seconds
        away_since: float | None = None
        try:
            while (now := time.monotonic()) < deadline and not self.is_empty_within(min(0.2, deadline - now)):
                away_since = None if self._state.reachable else away_since or now
                if away_since is not None and now - away_since > AWAY_SECONDS:
                    break
        finally:
            self._end()
        state = self.state
        write_state(self._directory, state)
        level = logging.WARNING if state.waiting_batches else logging.INFO
        logger.log(level, "%s: %s", self._name, masked(state.told))

    def require_some(self) -> None:
        """After the end: see whether the server has anything of what this run gave.

        Raises:
            StoreError: nothing of it; with the server's words.
        """
        state = self._state
        if self._packing is not None and not state.written and (state.waiting_batches or state.refused):
            problem = state.problem or self._first_refusal or "its time was up (GWC_MSSQL_CLOSE_SECONDS)"
            raise StoreError(
                f"of all that this run gave nothing is on the {self._name} at {self._place}: {masked(problem)}; it is "
                f"safe in {self._directory}: mend that, and run again, or `scrapy deliver`"
            )

    def _end(self) -> None:
        self._stop.set()
        if self._alarm is not None:
            self._alarm.cancel()
        self._spool.close()
        self._packer.shutdown(wait=True)
        for process in self._writers:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._writers:
            process.end()
        self._spool.release()


def pause_seconds(attempt: int, longest: float, chance: Callable[[], float] = random.random) -> float:
    """Return how long to wait before a try: twice as long each time, and half of it by chance.

    >>> [pause_seconds(attempt, 30.0, lambda: 1.0) for attempt in (1, 2, 3, 20)]
    [0.25, 0.5, 1.0, 30.0]
    """
    whole: float = min(longest, FIRST_PAUSE_SECONDS * 2 ** min(attempt - 1, 30))
    return whole * (0.5 + chance() / 2)
