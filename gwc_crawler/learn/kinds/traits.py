"""A page → its traits: the marks that tell kinds of pages apart, and the long texts that tell pages from each other.

One parse gives both. `KnownTraits` asks for them, in this process or in others.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import subprocess
import sys
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from math import ceil
from typing import Any, NamedTuple

import msgspec

from gwc_crawler.extract.page_check import page_features
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.reading.orders import Frames, framed
from gwc_crawler.extract.reading.process import CHUNK_BYTES, answer_orders
from gwc_crawler.extract.reading.readers import auto_count
from gwc_crawler.items import StoredPage
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import WIDE_COUNTS, paragraphs_outside_links, text_weight

_LONG = 60
"""Signs that make a paragraph long enough to be a page's own; one that is a syllable or a word counts for more."""
_LEAST_CHARACTERS = ceil(_LONG / WIDE_COUNTS)


class PageTraits(NamedTuple):
    """`marks` as `page_features` gives them; `texts` are the paragraphs long enough to be the page's own."""

    marks: frozenset[str]
    texts: frozenset[str]


def read_traits(html: bytes, charset: str) -> PageTraits:
    """Read the traits of a page.

    Args:
        charset: "" to detect it.
    Cost: 4 ms for 115 KB, half of it the parse.
    """
    return traits_in(parse_html(html, charset or None))


def traits_in(tree: Any) -> PageTraits:
    """Read the traits of a parsed page."""
    paragraphs = paragraphs_outside_links(tree, _LEAST_CHARACTERS)
    return PageTraits(page_features(tree), frozenset(text for text in paragraphs if text_weight(text) >= _LONG))


# --- Pages read on several cores: some processes help, and this one reads as well, from the other end of the line -----


logger = logging.getLogger(__name__)

AHEAD_BYTES = 2_000_000
"""Bytes of pages that a helper has, at which it gets no more."""


def read_together(pages: Sequence[StoredPage], helpers: int) -> Iterator[tuple[StoredPage, PageTraits]]:
    """Read *pages* with *helpers* processes, which end with the iterator. Each page comes once."""
    with ExitStack() as opened:
        yield from _Reading(pages, [opened.enter_context(closing(_Helper())) for _ in range(helpers)]).read()


class _Reading:
    """Shares the pages out between this process and its helpers."""

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
        """Give a dead helper's pages to the other processes."""
        self._helpers.remove(helper)
        self._waiting.extend(helper.given)
        logger.warning(
            "a process that helped to learn died end=%s pages_read_again=%d; learning goes on without it",
            *(helper.close(), len(helper.given)),
        )


class _Helper:
    """A helper process: the socket to it, and the pages it has to read (number → bytes)."""

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
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # with packages from an egg
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C on the terminal reaches the first process only
            )

    @property
    def has_room(self) -> bool:
        """Whether it may be given another page; it gets its first pages while it starts."""
        return sum(self.given.values()) < AHEAD_BYTES

    def give(self, order: _Order) -> None:
        """Have a page read."""
        self.given[order.number] = len(order.html)
        self._out += framed(self._encoder, order)

    def exchange(self) -> list[_Answer]:
        """Send as much as the socket takes, and return the answers that have come, without waiting.

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
    """An order to read the traits of a page."""

    number: int
    charset: str
    html: bytes


class _Answer(msgspec.Struct, frozen=True, array_like=True):
    """The traits of an ordered page. Without `is_read` the process failed: the caller has to read the page itself."""

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


# --- The traits of all pages that were asked for, each page read once; and the pages looked at last, parsed -----------


BYTES_A_HELPER = 8_000_000
"""Bytes of HTML from which on one more process pays: it takes .3 s to start, in which one process reads as much."""
_MOST_BYTES = 16_000_000
"""HTML of the pages that are kept; their trees take up about six times as much memory."""


class KnownTraits:
    """Traits by page; a text that stands on many pages is kept once.

    Attributes:
        views: the pages that were looked at last, parsed.
    """

    def __init__(self) -> None:
        self.views = PageViews()
        self._known: dict[tuple[str, int], PageTraits] = {}
        self._texts: dict[str, str] = {}

    def of(self, page: StoredPage) -> PageTraits:
        """Return the traits of a page."""
        key = _key(page)
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._kept(traits_in(self.views.of(page).tree))
        return known

    def view(self, page: StoredPage, url: str = "") -> PageView:
        """Return the page, parsed; its addresses are joined to *url*, or to its own."""
        return self.views.of(page, url)

    def read(self, pages: Iterable[StoredPage]) -> None:
        """Read those of *pages* that are not read yet; if they are many, on all cores."""
        unread = list({key: page for page in pages if (key := _key(page)) not in self._known}.values())
        for page, traits in _read_all(unread):
            self._known[_key(page)] = self._kept(traits)

    def _kept(self, traits: PageTraits) -> PageTraits:
        keep = self._texts.setdefault
        return PageTraits(*(frozenset(map(keep, some, some)) for some in traits))


def helpers_for(size: int) -> int:
    """Return how many processes help to read *size* bytes of HTML; 0 if one is enough or has the only core."""
    return min(auto_count() - 1, size // BYTES_A_HELPER)


def _read_all(pages: Sequence[StoredPage]) -> Iterator[tuple[StoredPage, PageTraits]]:
    if helpers := helpers_for(sum(len(page.html) for page in pages)):
        yield from read_together(pages, helpers)
    else:
        yield from ((page, read_traits(page.html, page.charset)) for page in pages)


def _key(page: StoredPage) -> tuple[str, int]:
    """Return the key of a page: the URL that was requested, session keys included, and its size."""
    return page.requested or page.url, len(page.html)


class PageViews:
    """Views of pages, those kept that were asked for last."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._kept: OrderedDict[tuple[str, str, int], PageView] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, page: StoredPage, url: str = "") -> PageView:
        """Return the view of a page. Nobody may change its tree.

        Args:
            url: the base that addresses are joined to, "" for the page's own.
        Cost: .02 ms a KB where it is not kept.
        """
        key = url or page.url, page.requested, len(page.html)
        if (view := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return view
        view = self._kept[key] = PageView(parse_html(page.html, page.charset or None), url or page.url)
        self._size += len(page.html)
        while self._size > self._most and len(self._kept) > 1:
            (_, _, size), _ = self._kept.popitem(last=False)
            self._size -= size
        return view

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._size = 0
