"""The reading processes of a crawl, as its first process sees them: it hands out a body and awaits the content.

The pages of a process that dies are read again one at a time, so that the page at which a process dies twice by itself
is told from those that only waited; that page is given up with a reason."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from gwc_crawler.errors import GwcError, InputError
from gwc_crawler.extract.reading.orders import TOGETHER_BYTES, Frames, Order, ReadAnswer, ReadPlan, framed
from gwc_crawler.items import RejectionReason
from gwc_crawler.urls import KEPT_URLS

logger = logging.getLogger(__name__)

AHEAD = 256
"""Queue length per process. Long enough that readers stay busy while the first process stores a batch of a hundred
pages; the first process reads a page itself only if all queues are full."""

AHEAD_BYTES = 8_000_000  # bytes of bodies that a process has, at which it gets no more
DEATHS = 2  # number of processes that must die at a page, each reading it alone, before it is given up
FALSE_STARTS = 3  # processes in a row that may die before they have read anything; then no more are started

PROGRAM = "gwc_crawler.extract.reading.process"


class ReaderDied(GwcError):
    """The process that read a page died at it, more than once."""


@dataclass(slots=True, eq=False)
class _Given:
    """An order, the future of its answer, and the number of processes that died at it alone."""

    order: Order
    answer: asyncio.Future[ReadAnswer | None]
    deaths: int = 0

    def tell(self, answer: ReadAnswer | None) -> None:
        """Give an answer to the asker, if it still waits."""
        if not self.answer.done():
            self.answer.set_result(answer)

    def fail(self, why: str) -> None:
        """Fail the order: its page kills reading processes."""
        if not self.answer.done():
            self.answer.set_exception(ReaderDied(why))


class Readers:
    """Reading processes, started by `start`, replaced as needed; *on_left_out* hears of links that look like traps."""

    def __init__(
        self, count: int, plan: ReadPlan, on_left_out: Callable[[RejectionReason, str], None], *, ahead: int = AHEAD
    ) -> None:
        self.count = count
        self.ahead = ahead
        self.pages = 0  # pages that were read by others
        self.deaths = 0
        self._plan = plan
        self._on_left_out = on_left_out
        self._told: set[str] = set()
        self._numbers = 0
        self._readers: list[_Reader] = []
        self._suspects: deque[_Given] = deque()
        self._false_starts = 0
        self._closed = False

    def start(self) -> None:
        """Start the processes; the event loop runs."""
        if self._readers or self._closed:
            return
        atexit.register(self.close)
        for _ in range(self.count):
            self._readers.append(_Reader(self, self._plan))

    @property
    def processes(self) -> list[int]:
        """The numbers of those that run."""
        return [reader.process.pid for reader in self._readers]

    def has_room(self) -> bool:
        """Say whether a process has less to do than it may have."""
        return any(reader.is_free for reader in self._readers)

    async def read(self, url: str, status: int, content_type: str, fetched_at: float, body: bytes) -> ReadAnswer | None:
        """Have a page read; None if no process could: the caller has to. ReaderDied: two processes died at it."""
        free = [reader for reader in self._readers if reader.is_free]
        if not free:
            return None
        self._numbers += 1
        order = Order(self._numbers, url, status, content_type, fetched_at, body)
        given = _Given(order, asyncio.get_running_loop().create_future())
        min(free, key=lambda reader: len(reader.given)).give(given)
        answer = await given.answer
        if answer is None or answer.page is None:
            return None
        self.pages += 1
        for reason, link in answer.left_out:
            if link not in self._told:
                if len(self._told) >= KEPT_URLS:
                    self._told.clear()
                self._told.add(link)
                self._on_left_out(reason, link)
        return answer

    def use(self, plan: ReadPlan) -> None:
        """Read by another plan from now on."""
        self._plan = plan
        for reader in self._readers:
            reader.use(plan)

    def close(self) -> None:
        """End the processes; the next run reads the pages they had."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        for reader in self._readers:
            reader.end()
        self._give_back([*self._suspects, *(given for reader in self._readers for given in reader.given.values())])
        self._readers.clear()
        self._suspects.clear()

    def next_suspect(self) -> _Given | None:
        """Return a page of a dead process that is to be tried alone."""
        return self._suspects.popleft() if self._suspects else None

    def has_read(self) -> None:
        """Note that a process works."""
        self._false_starts = 0

    def lost(self, dead: _Reader) -> None:
        """Start another process, and have it read what the dead one had."""
        end = dead.end()
        if self._closed:
            return
        self.deaths += 1
        self._false_starts = self._false_starts + 1 if not dead.is_ready else self._false_starts
        had = list(dead.given.values())
        dead.given.clear()
        logger.warning("reading process died pid=%d end=%s pages_read_again=%d", dead.process.pid, end, len(had))
        if (suspect := dead.trying) is not None:
            suspect.deaths += 1
            if suspect.deaths >= DEATHS:
                had.remove(suspect)
                suspect.fail(f"{DEATHS} reading processes died at it ({end})")
        self._suspects.extendleft(reversed(had))
        place = self._readers.index(dead)
        if self._false_starts < FALSE_STARTS:
            self._readers[place] = _Reader(self, self._plan)
            return
        del self._readers[place]
        logger.error("reading processes can't be started end=%s; the crawl goes on with %d", end, len(self._readers))
        if not self._readers:
            self._give_back(self._suspects)
            self._suspects.clear()

    @staticmethod
    def _give_back(given: Any) -> None:
        """Have the askers read these pages themselves; a page that has killed a process fails instead."""
        for one in given:
            if one.deaths:
                one.fail("a reading process died at it")
            else:
                one.tell(None)


class _Reader(asyncio.Protocol):
    """One process, the socket to it, and its orders, oldest first."""

    def __init__(self, owner: Readers, plan: ReadPlan) -> None:
        self.given: dict[int, _Given] = {}
        self.trying: _Given | None = None  # a page that it reads alone, because a process may have died at it
        self.is_ready = False
        self._owner = owner
        self._encoder = msgspec.msgpack.Encoder()
        self._frames = Frames(msgspec.msgpack.Decoder(ReadAnswer))
        self._transport: asyncio.Transport | None = None
        self._waiting: deque[bytearray] = deque()
        self._may_write = False
        self._given_bytes = 0
        self._ended = ""
        self._ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", PROGRAM, str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # also what an egg has brought
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C on the terminal is the first process's to answer
            )
        self._ours.setblocking(False)
        self._connecting = asyncio.ensure_future(
            asyncio.get_running_loop().create_unix_connection(lambda: self, sock=self._ours)
        )
        self.use(plan)

    @property
    def is_free(self) -> bool:
        """Whether it may be given another page; one that is starting finds its first ones there."""
        has_room = len(self.given) < self._owner.ahead and self._given_bytes < AHEAD_BYTES
        return has_room and self.trying is None and not self._ended

    def give(self, given: _Given) -> None:
        """Have a page read."""
        self.given[given.order.number] = given
        self._given_bytes += len(given.order.body)
        self._send(framed(self._encoder, given.order))

    def use(self, plan: ReadPlan) -> None:
        """Read by a plan from the next page on."""
        self._send(framed(self._encoder, plan))

    def end(self) -> str:
        """End the process; returns how it ended."""
        if not self._ended:
            self.process.kill()
            code = self.process.wait()
            self._ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            if self._transport is not None:
                self._transport.abort()
            else:
                self._connecting.cancel()
                self._ours.close()
        return self._ended

    # --- asyncio's Protocol ---

    def connection_made(self, transport: Any) -> None:
        """Start writing: the loop has the socket."""
        self._transport = transport
        transport.set_write_buffer_limits(TOGETHER_BYTES)
        self.resume_writing()

    def pause_writing(self) -> None:
        """Stop writing: the process takes no more for now."""
        self._may_write = False

    def resume_writing(self) -> None:
        """Write again: the socket has room."""
        self._may_write = True
        while self._may_write and self._waiting:
            self._write(self._waiting.popleft())

    def data_received(self, data: bytes) -> None:
        """Give answers to their askers."""
        for answer in self._frames.feed(data):
            if answer.number == 0:
                self.is_ready = True
            else:
                given = self.given.pop(answer.number)
                self._given_bytes -= len(given.order.body)
                self._owner.has_read()
                given.tell(answer)
                self.trying = None
            if not self.given and (suspect := self._owner.next_suspect()) is not None:
                self.trying = suspect
                self.give(suspect)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report that the process has ended, unless it is being ended."""
        if not self._ended:
            self._owner.lost(self)

    def _send(self, frame: bytearray) -> None:
        if self._may_write and not self._waiting:
            self._write(frame)
        else:
            self._waiting.append(frame)

    def _write(self, frame: bytearray) -> None:
        assert self._transport is not None
        self._transport.write(frame)


# --- The number of processes of a crawl: a person's text (`2`, `auto`) → a number -------------------------------------

AUTO = "auto"  # stands for as many processes as this one has cores
MOST = 256  # maximum number of processes: a larger one is a slip, no machine has as many cores to give


def worker_count(value: object, source: str) -> int | None:
    """Return the number of processes that *value* asks for, the fetching one included; None for `auto`. InputError
    names *source*, the form in which it was given.

    >>> worker_count("2", "-a workers=2"), worker_count("auto", "")
    (2, None)
    """
    text = str(value).strip().lower()
    if text == AUTO:
        return None
    if text.isascii() and text.isdecimal() and 1 <= (count := int(text)) <= MOST:
        return count
    raise InputError(
        f"{source}: it can be the number of processes, 1 to {MOST}, or {AUTO}: one for each core of this machine"
    )


def auto_count() -> int:
    """Return the number of cores that this process may use; 1 if it is unknown."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
