"""The engine's one loop: read rows into the buffer, hand blocks to strippers, write what they have stripped.

Nothing is written down about how far it is: what is done is asked of the target, whose blocks are whole or not there.
So it can be killed at any moment and begun again; a page is stripped twice at most, and stored once.
"""

from __future__ import annotations

import resource
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gwc_crawler.store.tables import PageKey, PageSource, PageTarget, StopWatch, StrippedPage, WaitingPage
from gwc_crawler.stripping.strippers import Strippers

PROBLEMS_TOLD = 10


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The sizes of TagStrip's best design: rows read at once, pages of a block, blocks in the buffer."""

    read_rows: int = 500
    block_pages: int = 100
    blocks: int = 10

    @property
    def buffer_pages(self) -> int:
        """Pages between source and target at most."""
        return self.blocks * self.block_pages


@dataclass(slots=True)
class StripOutcome:
    """What was done.

    Attributes:
        pages: stripped and written.
        done_before: found in the target already.
        left_out: listed by the source, and no HTML, or no longer there when they were read.
        problems: pages of which nothing could be stripped; `examples`: some of them, URL and reason.
        bytes_in, characters_out: of the pages before and after.
        url_characters: of all URLs.
        seconds: on the clock.
        stopped: whether it was told to stop before the end.
    """

    pages: int = 0
    done_before: int = 0
    left_out: int = 0
    problems: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)
    bytes_in: int = 0
    characters_out: int = 0
    url_characters: int = 0
    seconds: float = 0.0
    stopped: bool = False

    def buffer_bytes(self, options: EngineOptions) -> int:
        """TagStrip's formula: queues · elements · (length of a URL + length of a page)."""
        read = max(1, self.pages)
        return options.buffer_pages * (self.url_characters + self.bytes_in) // read


def strip_pages(
    source: PageSource,
    target: PageTarget,
    strippers: Strippers,
    watch: StopWatch,
    options: EngineOptions = EngineOptions(),
    *,
    advance: Callable[[int], object] = lambda pages: None,
    stops: Callable[[], bool] = lambda: False,
) -> StripOutcome:
    """Strip what waits in *source* and is not in *target*.

    Args:
        advance: told how many pages are done, or were done before.
        stops: asked before more is read; then what is at work is finished and written.
    Raises:
        StoreError: source or target failed; what was written stays.
    """
    return _Engine(source, target, strippers, watch, options, advance, stops).run()


class _Engine:
    def __init__(
        self,
        source: PageSource,
        target: PageTarget,
        strippers: Strippers,
        watch: StopWatch,
        options: EngineOptions,
        advance: Callable[[int], object],
        stops: Callable[[], bool],
    ) -> None:
        self._source, self._target, self._strippers = source, target, strippers
        self._watch, self._options = watch, options
        self._advance, self._stops = advance, stops
        self._waiting: deque[list[WaitingPage]] = deque()
        self._buffered = 0
        self._last: PageKey | None = None
        self._at_end = False
        self._outcome = StripOutcome()

    def run(self) -> StripOutcome:
        began = time.monotonic()
        while self._fill():
            for pages in self._strip():
                self._write(pages)
        self._outcome.seconds = time.monotonic() - began
        return self._outcome

    def _fill(self) -> bool:
        """Read while there is room and hand out; say whether anything is under way or waits."""
        if self._stops() and not self._at_end:
            self._outcome.stopped = self._at_end = True
            self._drop_waiting()
        while not self._at_end and self._buffered + self._options.read_rows <= self._options.buffer_pages:
            self._read()
            self._hand_out()
        self._hand_out()
        return bool(self._strippers.under_way)

    def _hand_out(self) -> None:
        while self._waiting and self._strippers.has_room():
            with self._watch.operation("strip") as one:
                block = self._waiting.popleft()
                self._strippers.give(block)
                one.pages += len(block)

    def _read(self) -> None:
        with self._watch.operation("list") as one:
            keys = self._source.keys(self._last, self._options.read_rows)
            one.pages += len(keys)
        if not keys:
            self._at_end = True
            return
        self._last = keys[-1]
        wanted = self._not_done(keys)
        if not wanted:
            return
        with self._watch.operation("read") as one:
            pages = self._source.fetch(wanted)
            one.pages += len(pages)
        self._outcome.left_out += len(wanted) - len(pages)
        self._buffer(pages)

    def _not_done(self, keys: Sequence[PageKey]) -> Sequence[PageKey]:
        with self._watch.operation("look up") as one:
            done = self._target.done(keys)
            one.pages += len(keys)
        if not done:
            return keys
        wanted = [key for key in keys if key.url not in done]
        self._outcome.done_before += len(keys) - len(wanted)
        self._advance(len(keys) - len(wanted))
        return wanted

    def _buffer(self, pages: list[WaitingPage]) -> None:
        size = self._options.block_pages
        self._waiting.extend(pages[start : start + size] for start in range(0, len(pages), size))
        self._buffered += len(pages)
        self._outcome.bytes_in += sum(len(page.content) for page in pages)
        self._outcome.url_characters += sum(len(page.url) for page in pages)

    def _drop_waiting(self) -> None:
        for block in self._waiting:
            self._buffered -= len(block)
            self._outcome.bytes_in -= sum(len(page.content) for page in block)
            self._outcome.url_characters -= sum(len(page.url) for page in block)
        self._waiting.clear()

    def _strip(self) -> list[list[StrippedPage]]:
        with self._watch.operation("strip"):
            return self._strippers.take()

    def _write(self, pages: list[StrippedPage]) -> None:
        with self._watch.operation("write") as one:
            self._target.write(pages)
            one.pages += len(pages)
        self._buffered -= len(pages)
        done = self._outcome
        done.pages += len(pages)
        done.characters_out += sum(len(page.content) for page in pages)
        for page in pages:
            if page.problem:
                done.problems += 1
                if len(done.examples) < PROBLEMS_TOLD:
                    done.examples.append((page.url, page.problem))
        self._advance(len(pages))


def peak_bytes() -> int:
    """Return the most memory that this process has had at a time, and its children that have ended."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * 1024
