"""A page → its traits: the marks that tell kinds of pages apart, and the long texts that tell pages from each other.

One parse gives both. `KnownTraits` asks for them, in this process or in others.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from math import ceil
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from signal import Signals
from threading import Thread
from typing import Any, NamedTuple, TypeAlias

from msgspec import Raw
from msgspec.msgpack import decode, encode

from gwc_crawler.extract.page_check import page_features
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.reading.readers import auto_count
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.degrees import LABEL_LENGTH
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import WIDE_COUNTS, paragraphs_outside_links, text_weight

_LEAST_CHARACTERS = ceil(LABEL_LENGTH / WIDE_COUNTS)


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
    return PageTraits(page_features(tree), frozenset(text for text in paragraphs if text_weight(text) >= LABEL_LENGTH))


# --- Pages read on several cores: some processes help, and this one reads as well, from the other end of the line -----


logger = logging.getLogger(__name__)

BATCH_BYTES = 1_000_000
"""Bytes of pages that a helper gets at a time, and a little more."""


def read_together(pages: Sequence[StoredPage], helpers: int) -> Iterator[tuple[StoredPage, PageTraits]]:
    """Read *pages* with so many helpers, which end with the iterator. Each page comes once.

    What a helper has and nobody else waits for is read here as well: one that is stuck, or has died, holds up nothing.
    """
    waiting, answers, left = deque(range(len(pages))), SimpleQueue[_Answer](), set(range(len(pages)))
    with ExitStack() as opened:
        for _ in range(helpers):
            opened.enter_context(closing(_Helper(pages, waiting, answers)))
        while left:
            found = [answers.get() for _ in range(answers.qsize())]
            for number, traits in found or [(_last(waiting, left), None)]:
                if number in left:
                    left.remove(number)
                    yield pages[number], traits or read_traits(pages[number].html, pages[number].charset)


_Answer: TypeAlias = tuple[int, PageTraits | None]
"""A page's number and traits; None: the helper can't say, so whoever asked has to read the page."""


def _last(waiting: deque[int], left: Collection[int]) -> int:
    try:
        return waiting.pop()
    except IndexError:
        return max(left)


class _Helper:
    """One process, and the thread that gives it pages from the beginning of those that wait.

    The standard library's pool would start a user's script once more in each process, and would leave the processes
    behind where this one is killed; these end when their line closes.
    """

    def __init__(self, pages: Sequence[StoredPage], waiting: deque[int], answers: SimpleQueue[_Answer]) -> None:
        self._line, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # with packages from an egg
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C on the terminal reaches the first process only
            )
        self._is_closed = False
        self._thread = Thread(target=self._serve, args=(pages, waiting, answers), daemon=True)
        self._thread.start()

    def _serve(self, pages: Sequence[StoredPage], waiting: deque[int], answers: SimpleQueue[_Answer]) -> None:
        while batch := list(_batch(pages, waiting)):
            try:
                self._line.send_bytes(encode([(pages[number].html, pages[number].charset) for number in batch]))
                found = decode(self._line.recv_bytes(), type=list[PageTraits | None])
            except (OSError, EOFError):
                if not self._is_closed:
                    waiting.extend(batch)
                    code = self._process.wait()
                    end = Signals(-code).name if code < 0 else f"exit code {code}"
                    text = "a process that helped to learn died end=%s pages_read_again=%d; learning goes on without it"
                    logger.warning(text, end, len(batch))
                return
            for number, traits in zip(batch, found, strict=True):
                answers.put((number, traits))

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        self._process.kill()
        self._process.wait()
        self._thread.join()
        self._line.close()


def _batch(pages: Sequence[StoredPage], waiting: deque[int]) -> Iterator[int]:
    size = 0
    while waiting and size < BATCH_BYTES:
        with suppress(IndexError):  # another thread has taken it
            number = waiting.popleft()
            size += len(pages[number].html)
            yield number


def _help(descriptor: int) -> None:
    with Connection(descriptor) as line, suppress(OSError, EOFError):
        while True:
            pages = decode(line.recv_bytes(), type=list[tuple[bytes, str]])
            line.send_bytes(encode([_traits_or_none(*page) for page in pages]))


def _traits_or_none(html: bytes, charset: str) -> Raw | None:
    try:
        return Raw(encode(read_traits(html, charset)))
    except Exception:  # noqa: BLE001  # the first process reads it, and says what is wrong
        return None


if __name__ == "__main__":
    _help(int(sys.argv[1]))


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

    def read(self, pages: Iterable[StoredPage]) -> None:
        """Read those of *pages* that are not read yet; if they are many, on all cores."""
        unread = list({key: page for page in pages if (key := _key(page)) not in self._known}.values())
        helpers = helpers_for(sum(len(page.html) for page in unread))
        for page, traits in read_together(unread, helpers):
            self._known[_key(page)] = self._kept(traits)

    def _kept(self, traits: PageTraits) -> PageTraits:
        keep = self._texts.setdefault
        return PageTraits(*(frozenset(map(keep, some, some)) for some in traits))


def helpers_for(size: int) -> int:
    """Return how many processes help to read *size* bytes of HTML; 0 if one is enough or has the only core."""
    return min(auto_count() - 1, size // BYTES_A_HELPER)


def _key(page: StoredPage) -> tuple[str, int]:
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
