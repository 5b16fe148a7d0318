"""A process that answers orders over a socket, until the other end closes.

It holds nothing that is not elsewhere, so it may be killed at any moment, and ends by itself when the process that
gives the orders does, however that ends. Orders are taken in, and answers go out, between two orders.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

import msgspec

from gwc_crawler.extract.reading.orders import Frames

CHUNK_BYTES = 1 << 20


def answer_orders(
    descriptor: int, orders: Any, answer: Callable[[Any], bytearray], together_bytes: int = 1
) -> NoReturn:
    """Answer the orders that come over a socket; never returns.

    Args:
        descriptor: the socket's.
        orders: the type of an order, for msgspec.
        answer: an order → what is sent, framed; an empty one for nothing.
        together_bytes: answers go out when so much of them is there, or no order waits: each wakes the other end.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the first process's to answer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with socket.socket(fileno=descriptor) as link:
            link.setblocking(False)
            _Line(link, orders, answer, together_bytes).serve()
    except (EOFError, ConnectionError):
        pass
    os._exit(0)


class _Line:
    """One end of the socket: what has come and waits, and what waits to go."""

    def __init__(
        self, link: socket.socket, orders: Any, answer: Callable[[Any], bytearray], together_bytes: int
    ) -> None:
        self._link = link
        self._frames = Frames(msgspec.msgpack.Decoder(orders))
        self._answer = answer
        self._together_bytes = together_bytes
        self._orders: deque[Any] = deque()
        self._out = bytearray()
        self._poll = select.poll()

    def serve(self) -> None:
        """Answer until the other end closes.

        Raises:
            EOFError, ConnectionError: it has.
        """
        while True:
            self._exchange()
            if self._orders:
                self._out += self._answer(self._orders.popleft())

    def _exchange(self) -> None:
        """Take in what is there, and send what may be sent; waits only if there is nothing to answer."""
        idle = not self._orders
        sends = bool(self._out) and (idle or len(self._out) >= self._together_bytes)
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
