"""Pages read on several cores: some processes help, and this one reads as well, from the other end of the line.

In: pages, and how many helpers. Out: their traits, in whatever order. A helper holds nothing that is not here: what it
had when it died is read again, and what it still has when nothing else is left is read here, too, so nobody waits for
one that is slow, or stuck. Learning may happen in a thread beside an event loop: helpers are started as programs, never
forked.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing

import msgspec

from gwc_crawler.extract.reading.orders import Frames, framed
from gwc_crawler.extract.reading.process import answer_orders
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.traits.page_traits import PageTraits, read_traits

logger = logging.getLogger(__name__)

AHEAD_BYTES = 2_000_000
"""Bytes of pages that a helper has, at which it gets no more."""
CHUNK_BYTES = 1 << 20


def read_together(pages: Sequence[StoredPage], helpers: int) -> Iterator[tuple[StoredPage, PageTraits]]:
    """Read *pages* with so many helpers, which end with the iterator. Each page comes once."""
    with ExitStack() as opened:
        yield from _Reading(pages, [opened.enter_context(closing(_Helper())) for _ in range(helpers)]).read()


class _Reading:
    """The pages that nobody reads yet, and those that helpers read."""

    def __init__(self, pages: Sequence[StoredPage], helpers: list[_Helper]) -> None:
        self._pages = pages
        self._waiting = deque(range(len(pages)))
        self._left = set(self._waiting)
        self._helpers = helpers

    def read(self) -> Iterator[tuple[StoredPage, PageTraits]]:
        """Give each page once, with its traits."""
        while self._left:
            for number, traits in [*self._answers(), *self._own()]:
                if number in self._left:
                    self._left.remove(number)
                    yield self._pages[number], traits

    def _own(self) -> Iterator[tuple[int, PageTraits]]:
        """Read one page here: the last that waits, or the last of those that a helper has."""
        number = self._waiting.pop() if self._waiting else max(self._left, default=None)
        if number is not None and number in self._left:
            yield number, self._read(number)

    def _read(self, number: int) -> PageTraits:
        page = self._pages[number]
        return read_traits(page.html, page.charset)

    def _answers(self) -> Iterator[tuple[int, PageTraits]]:
        """Give helpers what they have room for, and take what they have read."""
        for helper in list(self._helpers):
            while self._waiting and helper.has_room:
                number = self._waiting.popleft()
                page = self._pages[number]
                helper.give(_Order(number, page.charset, page.html))
            try:
                answers = helper.exchange()
            except OSError:
                self._lose(helper)
                continue
            for answer in answers:
                if answer.is_read:
                    yield answer.number, PageTraits(frozenset(answer.marks), frozenset(answer.texts))
                else:
                    yield answer.number, self._read(answer.number)

    def _lose(self, helper: _Helper) -> None:
        """Have what a dead helper had read by the others."""
        self._helpers.remove(helper)
        self._waiting.extend(helper.given)
        logger.warning(
            "a process that helped to learn died end=%s pages_read_again=%d; learning goes on without it",
            *(helper.close(), len(helper.given)),
        )


class _Helper:
    """One process, the socket to it, and what it has to read: number → bytes."""

    def __init__(self) -> None:
        self.given: dict[int, int] = {}
        self._out = bytearray()
        self._encoder = msgspec.msgpack.Encoder()
        self._frames = Frames(msgspec.msgpack.Decoder(_Answer))
        self._ended = ""
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._poll = select.poll()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # also what an egg has brought
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C on the terminal is the first process's to answer
            )

    @property
    def has_room(self) -> bool:
        """Whether it may be given another page; while it starts it gets its first ones."""
        return sum(self.given.values()) < AHEAD_BYTES

    def give(self, order: _Order) -> None:
        """Have a page read."""
        self.given[order.number] = len(order.html)
        self._out += framed(self._encoder, order)

    def exchange(self) -> list[_Answer]:
        """Send what the socket takes, and return what was answered; waits for nothing.

        Raises:
            OSError: the process has ended.
        """
        answers: list[_Answer] = []
        self._poll.register(self._ours, select.POLLIN | (select.POLLOUT if self._out else 0))
        for _, event in self._poll.poll(0):
            if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                data = self._ours.recv(CHUNK_BYTES)
                if not data:
                    raise ConnectionResetError
                answers += self._frames.feed(data)
            if event & select.POLLOUT:
                with memoryview(self._out) as out, out[:CHUNK_BYTES] as some:
                    sent = self._ours.send(some)
                del self._out[:sent]
        for answer in answers:
            del self.given[answer.number]
        return answers

    def close(self) -> str:
        """End the process; returns how it ended."""
        if not self._ended:
            self._process.kill()
            code = self._process.wait()
            self._ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            self._ours.close()
        return self._ended


class _Order(msgspec.Struct, frozen=True, array_like=True):
    """A page whose traits are wanted."""

    number: int
    charset: str
    html: bytes


class _Answer(msgspec.Struct, frozen=True, array_like=True):
    """Its traits; not `is_read`: the process can't say, so whoever asked has to read the page."""

    number: int
    is_read: bool = False
    marks: list[str] = []  # msgspec copies it
    texts: list[str] = []


_ENCODER = msgspec.msgpack.Encoder()


def _traits_answer(order: _Order) -> bytearray:
    """Return the traits of a page, framed."""
    try:
        traits = read_traits(order.html, order.charset)
        return framed(_ENCODER, _Answer(order.number, True, list(traits.marks), list(traits.texts)))
    except Exception:  # noqa: BLE001  # the first process reads it, and says what is wrong
        return framed(_ENCODER, _Answer(order.number))


if __name__ == "__main__":
    answer_orders(int(sys.argv[1]), _Order, _traits_answer)
