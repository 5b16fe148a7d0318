"""A helper of learning: pages in over a socket, their traits out, until the other end closes.

It holds nothing that is not elsewhere, so it may be killed at any moment, and ends by itself when the process that
learns does, however that ends. Orders are taken in, and answers go out, between two pages.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from collections import deque
from typing import NoReturn

import msgspec

from gwc_crawler.extract.reading import Frames, framed
from gwc_crawler.learn.traits.orders import Answer, Order
from gwc_crawler.learn.traits.page_traits import read_traits

CHUNK_BYTES = 1 << 20


def run(descriptor: int) -> NoReturn:
    """Read for the process at the other end of a socket; never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the first process's to answer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with socket.socket(fileno=descriptor) as link:
            link.setblocking(False)
            _Helping(link).serve()
    except (EOFError, ConnectionError):
        pass
    os._exit(0)


class _Helping:
    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._frames = Frames(msgspec.msgpack.Decoder(Order))
        self._encoder = msgspec.msgpack.Encoder()
        self._orders: deque[Order] = deque()
        self._out = bytearray()
        self._poll = select.poll()

    def serve(self) -> None:
        """Read until the other end closes.

        Raises:
            EOFError, ConnectionError: it has.
        """
        while True:
            self._exchange()
            if self._orders:
                self._out += self._answer(self._orders.popleft())

    def _exchange(self) -> None:
        """Take in what is there, and send what may be sent; waits only if there is nothing to read."""
        self._poll.register(self._link, select.POLLIN | (select.POLLOUT if self._out else 0))
        for _, event in self._poll.poll(0 if self._orders else None):
            if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                data = self._link.recv(CHUNK_BYTES)
                if not data:
                    raise EOFError
                self._orders.extend(self._frames.feed(data))
            if event & select.POLLOUT:
                sent = self._link.send(self._out)
                del self._out[:sent]

    def _answer(self, order: Order) -> bytearray:
        try:
            traits = read_traits(order.html, order.charset)
            return framed(self._encoder, Answer(order.number, True, list(traits.marks), list(traits.texts)))
        except Exception:  # noqa: BLE001  # the first process reads it, and says what is wrong
            return framed(self._encoder, Answer(order.number))


if __name__ == "__main__":
    run(int(sys.argv[1]))
