"""The engine's one loop: read rows into the buffer, hand blocks to strippers, write what they have stripped.

Nothing is written down about how far it is: what is done is asked of the target, whose blocks are whole or not there.
So it can be killed at any moment and begun again; a page is stripped twice at most, and stored once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any, Protocol

from gwc_crawler.errors import InputError
from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.strip import ALL_GROUPS, StripOptions, strip_tree

# --- What goes through the engine, and what a place has to do that pages are read from or written to ------------------


@dataclass(frozen=True, slots=True)
class PageKey:
    """A page that waits: where it stands in its source (*place*), and what names it in the target.

    `version` is greater for what is newer; "" where a source does not tell.
    """

    place: Any
    url: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """A page as it came; *content_type* is what the server said, "" where nobody knows."""

    url: str
    version: str
    content: bytes
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class StrippedPage:
    """A page without its tags' noise; *problem* says why there is nothing of it, "" where there is."""

    url: str
    version: str
    content: str
    problem: str = ""


class PageSource(Protocol):
    """Where pages wait: read in the order of their places, never by counting rows (OFFSET)."""

    def count(self) -> int | None:
        """Return how many pages there are; None where nobody knows before the end."""

    def keys(self, after: PageKey | None, limit: int) -> Sequence[PageKey]:
        """Return the next pages behind *after* (None: the first), in order; none at the end."""

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Return the pages of those *keys*, which are of the last call of `keys`, that are still there."""

    def close(self) -> None:
        """Let go of what is open."""


class PageTarget(Protocol):
    """Where stripped pages go; what is done is known here alone."""

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Return the URLs of those *keys* whose page is here, in that version or a newer one."""

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Store pages, all of them or none (StoreError); each takes the place of one of its URL that is not newer."""

    def close(self) -> None:
        """Let go of what is open."""


# --- How long each operation takes, inside the database and around it: what TagStrip measures with its advice ---------


@dataclass(slots=True)
class OperationTime:
    """One operation: how often, for how many pages, seconds inside the database (or the disk) and outside."""

    times: int = 0
    pages: int = 0
    inside: float = 0.0
    outside: float = 0.0


class StopWatch:
    """Adds up; one thread. *clock*: seconds that never run backwards."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.operations: dict[str, OperationTime] = {}
        self._clock = clock
        self._within = 0.0
        self._is_inside = False

    @contextmanager
    def operation(self, name: str) -> Iterator[OperationTime]:
        """Measure an operation; who does it adds to `pages`."""
        one = self.operations.setdefault(name, OperationTime())
        self._within = 0.0
        began = self._clock()
        try:
            yield one
        finally:
            one.times += 1
            one.inside += self._within
            one.outside += self._clock() - began - self._within
            self._within = 0.0

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Measure what is done in the database, as a part of the operation under way; nested, it counts once."""
        if self._is_inside:
            yield
            return
        self._is_inside, began = True, self._clock()
        try:
            yield
        finally:
            self._is_inside = False
            self._within += self._clock() - began


# --- Strippers --------------------------------------------------------------------------------------------------------


AHEAD = 2
"""Blocks that a process has at most: one at work, one to go on with."""

FORK = multiprocessing.get_context("fork")


def processes(count: int) -> Executor:
    """Return so many processes that strip."""
    return ProcessPoolExecutor(count, FORK, _begin)


class Strippers:
    """So many processes that strip blocks, or none beside this one where one is enough.

    Args:
        count: how many; they are forked at once, so before threads and databases are opened.
        ahead: blocks that each has at most.
        start: starts them.
    """

    def __init__(
        self,
        count: int,
        options: StripOptions = ALL_GROUPS,
        *,
        ahead: int = AHEAD,
        start: Callable[[int], Executor] = processes,
    ) -> None:
        self._options, self._begin = options, partial(start, count)
        self._most = count * ahead if count > 1 else 1
        self._blocks: dict[Future[list[StrippedPage]], Sequence[WaitingPage]] = {}
        self.processes: list[BaseProcess] = []
        self._pool = self._start()

    def has_room(self) -> bool:
        """Say whether another block may be given."""
        return len(self._blocks) < self._most

    def give(self, block: Sequence[WaitingPage]) -> None:
        """Have a block stripped."""
        try:
            future = self._pool.submit(strip_block, block, self._options)
        except BrokenProcessPool:
            self._pool = self._start()
            future = self._pool.submit(strip_block, block, self._options)
        self._blocks[future] = block

    def take(self) -> list[list[StrippedPage]]:
        """Wait for stripped blocks; none where none was given."""
        done, _ = wait(self._blocks, return_when=FIRST_COMPLETED)
        stripped = []
        for future in done:
            block = self._blocks.pop(future)
            try:
                stripped.append(future.result())
            except BrokenProcessPool:  # a process has died, and nobody knows at what
                stripped.append(strip_apart(block, self._options))
        return stripped

    @property
    def under_way(self) -> int:
        """How many blocks were given and not taken yet."""
        return len(self._blocks)

    def close(self) -> None:
        """End; what is under way is dropped: the processes hold nothing that is not elsewhere."""
        for process in self.processes:
            process.kill()
            process.join()
        self._pool.shutdown(cancel_futures=True)

    def _start(self) -> Executor:
        before = multiprocessing.active_children()
        pool = self._begin() if self._most > 1 else _Here()
        pool.submit(os.getpid)  # now, all are forked
        self.processes = [one for one in multiprocessing.active_children() if one not in before]
        return pool


class _Here(Executor):
    """One stripper, in the process that reads and writes."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do it at once."""
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def strip_page(page: WaitingPage, options: StripOptions = ALL_GROUPS) -> StrippedPage:
    """Strip one page; what can't be is told as its problem."""
    try:
        charset = detect_charset(page.content, page.content_type)
        content, problem = strip_tree(parse_html(page.content, charset), options), ""
    except Exception as error:  # noqa: BLE001  # one page does not end the work on a million others
        content, problem = "", f"{type(error).__name__}: {error}"
    return StrippedPage(page.url, page.version, content, problem)


def strip_block(block: Sequence[WaitingPage], options: StripOptions) -> list[StrippedPage]:
    """Strip its pages."""
    return [strip_page(page, options) for page in block]


def strip_apart(block: Sequence[WaitingPage], options: StripOptions) -> list[StrippedPage]:
    """Strip a block in a process of its own; what that dies at is found by halves, a single page is given up."""
    pipe, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_send, args=(theirs, block, options), daemon=True)
    process.start()
    theirs.close()
    with pipe, suppress(EOFError):
        stripped: list[StrippedPage] = pipe.recv()
        return stripped
    process.join()
    if len(block) > 1:
        middle = len(block) // 2
        return [*strip_apart(block[:middle], options), *strip_apart(block[middle:], options)]
    code = process.exitcode or 0
    end = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return [StrippedPage(page.url, page.version, "", f"a process died at it ({end})") for page in block]


def _send(pipe: Connection, block: Sequence[WaitingPage], options: StripOptions) -> None:
    _begin()
    pipe.send(strip_block(block, options))


def _begin() -> None:
    """Make this a process that strips; Ctrl-C is the other one's to answer, with which this one ends, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(0)

    Thread(target=end_with_parent, daemon=True).start()


PROBLEMS_TOLD = 10


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The sizes of TagStrip's best design: rows read at once, pages of a block, blocks in the buffer.

    Raises InputError where the buffer has no room for the rows.
    """

    read_rows: int = 500
    block_pages: int = 100
    blocks: int = 10

    def __post_init__(self) -> None:
        if self.read_rows > self.buffer_pages:
            raise InputError(
                f"settings GWC_STRIP_BLOCKS and GWC_STRIP_BLOCK_PAGES make a buffer of {self.blocks} times "
                f"{self.block_pages} pages, which has no room for {self.read_rows} rows; set GWC_STRIP_ROWS to "
                f"{self.buffer_pages}, or raise one of them"
            )

    @property
    def buffer_pages(self) -> int:
        """Pages between source and target at most."""
        return self.blocks * self.block_pages


@dataclass(slots=True)
class StripOutcome:
    """What was done.

    Attributes:
        done_before: found in the target already.
        left_out: listed by the source, and no HTML, or no longer there when they were read.
        problems: pages of which nothing could be stripped; `examples`: some of them, URL and reason.
        bytes_in, characters_out: of the pages before and after; url_characters: of all URLs.
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
    """Strip what waits in *source* and is not in *target*; if one fails (StoreError), what was written stays.

    Args:
        advance: told how many pages are done, or were done before.
        stops: asked before more is read; then what is at work is finished and written.
    """
    return _Engine(source, target, strippers, watch, options, advance, stops).run()


@dataclass
class _Engine:
    source: PageSource
    target: PageTarget
    strippers: Strippers
    watch: StopWatch
    options: EngineOptions
    advance: Callable[[int], object]
    stops: Callable[[], bool]
    _buffered: int = 0
    _outcome: StripOutcome = field(default_factory=StripOutcome)

    def run(self) -> StripOutcome:
        began = time.monotonic()
        for block in self._blocks():
            while not self.strippers.has_room():
                self._take()
            if self._is_to_stop():
                break
            self._give(block)
        while self.strippers.under_way:
            self._take()
        self._outcome.seconds = time.monotonic() - began
        return self._outcome

    def _blocks(self) -> Iterator[list[WaitingPage]]:
        """Read while there is room; the next rows only when all blocks were given."""
        last, size = None, self.options.block_pages
        while not self._is_to_stop():
            with self.watch.operation("list") as one:
                keys = self.source.keys(last, self.options.read_rows)
                one.pages += len(keys)
            if not keys:
                break
            last = keys[-1]
            pages = self._fetched(self._not_done(keys))
            yield from (pages[start : start + size] for start in range(0, len(pages), size))
            while self._buffered + self.options.read_rows > self.options.buffer_pages:
                self._take()

    def _is_to_stop(self) -> bool:
        self._outcome.stopped = self._outcome.stopped or self.stops()
        return self._outcome.stopped

    def _not_done(self, keys: Sequence[PageKey]) -> Sequence[PageKey]:
        with self.watch.operation("look up") as one:
            done = self.target.done(keys)
            one.pages += len(keys)
        wanted = [key for key in keys if key.url not in done]
        self._outcome.done_before += len(keys) - len(wanted)
        if done:
            self.advance(len(keys) - len(wanted))
        return wanted

    def _fetched(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        if not keys:
            return []
        with self.watch.operation("read") as one:
            pages = self.source.fetch(keys)
            one.pages += len(pages)
        self._outcome.left_out += len(keys) - len(pages)
        return pages

    def _give(self, block: list[WaitingPage]) -> None:
        with self.watch.operation("strip") as one:
            self.strippers.give(block)
            one.pages += len(block)
        self._buffered += len(block)
        self._outcome.bytes_in += sum(len(page.content) for page in block)
        self._outcome.url_characters += sum(len(page.url) for page in block)

    def _take(self) -> None:
        with self.watch.operation("strip"):
            blocks = self.strippers.take()
        for pages in blocks:
            with self.watch.operation("write") as one:
                self.target.write(pages)
                one.pages += len(pages)
            self._buffered -= len(pages)
            done = self._outcome
            done.pages += len(pages)
            done.characters_out += sum(len(page.content) for page in pages)
            problems = [(page.url, page.problem) for page in pages if page.problem]
            done.problems += len(problems)
            done.examples += problems[: PROBLEMS_TOLD - len(done.examples)]
            self.advance(len(pages))
