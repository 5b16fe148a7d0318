"""A reading process: bodies in over a socket, what they say out, until the other end closes.

It holds nothing that is not elsewhere, so it may be killed at any moment, and ends by itself when the first process of
the crawl does, however that ends. While the first process stores a batch, it listens to nobody: so orders are taken
in and answers kept back between two pages, and reading goes on meanwhile.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
from collections import deque
from typing import NoReturn

import msgspec

from gwc_crawler.reading.orders import Frames, Order, ReadAnswer, ReadPlan, framed
from gwc_crawler.reading.work import PageWork

CHUNK_BYTES = 1 << 20
TOGETHER_BYTES = 1 << 18
"""Answers go out when so much of them is there, or nothing is left to read: each sending wakes the first process."""


def run(descriptor: int) -> NoReturn:
    """Read for the process at the other end of a socket; never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the first process's to answer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with socket.socket(fileno=descriptor) as link:
            link.setblocking(False)
            _Reader(link).serve()
    except (EOFError, ConnectionError, BrokenPipeError):
        pass
    os._exit(0)


class _Reader:
    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._frames = Frames(msgspec.msgpack.Decoder(ReadPlan | Order))
        self._encoder = msgspec.msgpack.Encoder()
        self._orders: deque[ReadPlan | Order] = deque()
        self._out = bytearray()
        self._work: PageWork | None = None
        self._poll = select.poll()

    def serve(self) -> None:
        """Read until the other end closes.

        Raises:
            EOFError, ConnectionError: it has.
        """
        while True:
            self._exchange()
            if self._orders:
                self._do(self._orders.popleft())

    def _exchange(self) -> None:
        """Take in what is there, and send what may be sent; waits only if there is nothing to read."""
        idle = not self._orders
        sends = bool(self._out) and (idle or len(self._out) >= TOGETHER_BYTES)
        self._poll.register(self._link, select.POLLIN | (select.POLLOUT if sends else 0))
        for _, event in self._poll.poll(None if idle else 0):
            if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                data = self._link.recv(CHUNK_BYTES)
                if not data:
                    raise EOFError
                self._orders.extend(self._frames.feed(data))
            if event & select.POLLOUT:
                sent = self._link.send(self._out)
                del self._out[:sent]

    def _do(self, order: ReadPlan | Order) -> None:
        if isinstance(order, ReadPlan):
            is_first = self._work is None
            self._work = PageWork(order)
            if order.collect_after:
                gc.set_threshold(order.collect_after)
            if is_first:
                gc.freeze()
                self._out += framed(self._encoder, ReadAnswer(0))
            return
        assert self._work is not None
        try:
            self._out += framed(self._encoder, self._work.read(order))
        except Exception:  # noqa: BLE001  # the first process reads it, and says what is wrong
            self._out += framed(self._encoder, ReadAnswer(order.number))


if __name__ == "__main__":
    run(int(sys.argv[1]))
