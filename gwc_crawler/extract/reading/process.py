"""A reading process: bodies in, what they say out. Answers are held back while the first process stores a batch."""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
from collections import deque
from dataclasses import replace
from hashlib import sha1
from typing import NoReturn

import msgspec

from gwc_crawler.extract.reading.orders import TOGETHER_BYTES, Frames, Order, ReadAnswer, ReadPlan, framed
from gwc_crawler.extract.record import extract_target
from gwc_crawler.items import Page, PageKind, RejectionReason
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.page.reader import PageReader
from gwc_crawler.page.text import content_signature


# --- A process that answers orders over a socket, until the other end closes ------------------------------------------
class _Line:
    """One end of the socket: received orders that wait, answers that wait to be sent, and the work between them."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._frames = Frames(msgspec.msgpack.Decoder(ReadPlan | Order))
        self._encoder = msgspec.msgpack.Encoder()
        self._work: PageWork | None = None
        self._orders: deque[ReadPlan | Order] = deque()
        self._out = bytearray()
        self._poll = select.poll()

    def serve(self) -> None:
        """Answer until the other end closes. Raises EOFError, ConnectionError: it has."""
        while True:
            idle = not self._orders
            sends = bool(self._out) and (idle or len(self._out) >= TOGETHER_BYTES)
            self._poll.register(self._link, select.POLLIN | (select.POLLOUT if sends else 0))
            for _, event in self._poll.poll(None if idle else 0):
                if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                    data = self._link.recv(TOGETHER_BYTES)
                    if not data:
                        raise EOFError
                    self._orders.extend(self._frames.feed(data))
                if event & select.POLLOUT:
                    sent = self._link.send(self._out)
                    del self._out[:sent]
            if self._orders:
                self._out += self._answer(self._orders.popleft())

    def _answer(self, order: ReadPlan | Order) -> bytearray:
        """Return the answer to an order; of plans only the first is answered."""
        is_first = self._work is None
        if isinstance(order, ReadPlan):
            self._work = PageWork(order)
            if order.collect_after:
                gc.set_threshold(order.collect_after)
            if not is_first:
                return bytearray()
            gc.freeze()
            return framed(self._encoder, ReadAnswer(0))
        assert self._work is not None
        try:
            return framed(self._encoder, self._work.read(order))
        except Exception:  # noqa: BLE001  # the first process reads it, and reports the error
            return framed(self._encoder, ReadAnswer(order.number))


# --- The work of a reading process on one page ------------------------------------------------------------------------
def shown_mark(text: str, signature: int) -> int:
    """Return a number for what a target page shows, equal in every process; SHA-1 as processors have it built in."""
    digest = sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    digest.update(signature.to_bytes(8, "big", signed=True))
    return int.from_bytes(digest.digest()[:8], "big")


SHOWING = frozenset({PageKind.TARGET, PageKind.ALIAS})  # pages that show a record, which others may have shown


class PageWork:
    """Reads pages by a plan; holds the knowledge and the caches of links."""

    def __init__(self, plan: ReadPlan) -> None:
        self._plan, self._condenser = plan, plan.condenser
        self._knowledge = Knowledge.from_bytes(plan.knowledge, "the crawl's knowledge")
        options = replace(plan.options, follows_file=plan.files.follows)
        self._reader = PageReader(self._knowledge, plan.sites, options, self._note)
        self._left_out: list[tuple[RejectionReason, str]] = []

    def read(self, order: Order) -> ReadAnswer:
        """Read one page."""
        self._left_out = []
        page = self._reader.read(order.url, order.body, order.content_type, order.status)
        record = extract_target(page, self._knowledge, order.fetched_at) if self._plan.makes_records else None
        shows = page.kind in SHOWING and record is not None
        signature = content_signature(page, record) if shows or self._plan.signs else None
        mark = shown_mark(page.text, signature) if shows and signature is not None else None
        stripped, abstract = self._condenser.condense(page)
        admitted = _places_of_admitted(page)
        page.body, page.admitted = b"", ()  # the first process has them
        return ReadAnswer(order.number, page, admitted, record, signature, mark, stripped, abstract, self._left_out)

    def _note(self, reason: RejectionReason, url: str) -> None:
        self._left_out.append((reason, url))


def _places_of_admitted(page: Page) -> list[int]:
    if len(page.admitted) == len(page.links):
        return list(range(len(page.links)))
    places = {url: place for place, url in enumerate(page.links)}
    return [places[url] for url in page.admitted]


def run(descriptor: int) -> NoReturn:
    """Read for the process at the other end of a socket, until that closes; never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the first process's to answer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with socket.socket(fileno=descriptor) as link:
            link.setblocking(False)
            _Line(link).serve()
    except (EOFError, ConnectionError):
        pass
    os._exit(0)


if __name__ == "__main__":
    run(int(sys.argv[1]))
