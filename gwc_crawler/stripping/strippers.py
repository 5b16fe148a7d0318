"""Strippers: blocks of waiting pages in, blocks of stripped ones out, in this process or in one for each core.

A process takes its blocks from a pipe and keeps one ahead, so it never waits for the database. One that dies is
replaced, and its pages are tried again one by one: a page at which a process dies twice is left with its problem.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from threading import Thread
from typing import NoReturn, Protocol

from gwc_crawler.page import ALL_GROUPS, StripOptions, detect_charset, parse_html, strip_tree
from gwc_crawler.store.tables import StrippedPage, WaitingPage

AHEAD = 2
"""Blocks that a process has at most: one at work, one to go on with."""


class Strippers(Protocol):
    """What strips blocks."""

    def has_room(self) -> bool:
        """Say whether another block may be given."""

    def give(self, block: Sequence[WaitingPage]) -> None:
        """Have a block stripped."""

    def take(self) -> list[list[StrippedPage]]:
        """Wait for stripped blocks; none where none was given. A block may come back in parts."""

    @property
    def under_way(self) -> int:
        """How many blocks were given and not taken yet."""

    def close(self) -> None:
        """End; what is under way is dropped."""


def open_strippers(count: int, words: Iterable[str]) -> Strippers:
    """Return so many processes, or none beside this one where one is enough.

    Args:
        words: what goes from pages (GWC_STRIP_GROUPS).
    Raises:
        InputError: one of the words is no group and no tag.
    """
    options = StripOptions.of(words)
    return InProcess(options) if count == 1 else StripperProcesses(count, options)


def strip_page(page: WaitingPage, options: StripOptions = ALL_GROUPS) -> StrippedPage:
    """Strip one page; what can't be is told as its problem."""
    try:
        charset = detect_charset(page.content, page.content_type)
        content, problem = strip_tree(parse_html(page.content, charset), options), ""
    except Exception as error:  # noqa: BLE001  # one page does not end the work on a million others
        content, problem = "", f"{type(error).__name__}: {error}"
    return StrippedPage(page.url, page.version, content, problem)


class InProcess:
    """One stripper, in the process that reads and writes."""

    def __init__(self, options: StripOptions = ALL_GROUPS) -> None:
        self._options = options
        self._done: deque[list[StrippedPage]] = deque()

    def has_room(self) -> bool:
        """Say whether the last block was taken."""
        return not self._done

    def give(self, block: Sequence[WaitingPage]) -> None:
        """Strip a block now."""
        self._done.append([strip_page(page, self._options) for page in block])

    def take(self) -> list[list[StrippedPage]]:
        """Return it."""
        taken = list(self._done)
        self._done.clear()
        return taken

    @property
    def under_way(self) -> int:
        """How many blocks were given and not taken yet."""
        return len(self._done)

    def close(self) -> None:
        """Nothing is open."""


class _Worker:
    """A process, its pipe, and the blocks that it has, oldest first."""

    def __init__(self, options: StripOptions, others: Sequence[Connection]) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.blocks: deque[Sequence[WaitingPage]] = deque()
        self.process: BaseProcess = context.Process(
            target=_work, args=(theirs, options, (*others, self.pipe)), daemon=True, name="stripper"
        )
        self.process.start()
        theirs.close()

    def give(self, block: Sequence[WaitingPage]) -> None:
        self.blocks.append(block)
        with suppress(OSError):  # it has died: `take` sees that, and who gave the block gives it again
            self.pipe.send(block)

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


class StripperProcesses:
    """So many processes.

    Args:
        count: how many; they are forked at once, so before threads and databases are opened.
        options: what goes from a page.
    """

    def __init__(self, count: int, options: StripOptions = ALL_GROUPS) -> None:
        self._options = options
        self._workers: list[_Worker] = []
        self._again: deque[Sequence[WaitingPage]] = deque()
        for _ in range(count):
            self._workers.append(self._start())

    @property
    def processes(self) -> list[int]:
        """Their numbers."""
        return [worker.process.pid or 0 for worker in self._workers]

    def has_room(self) -> bool:
        """Say whether a process has fewer than `AHEAD` blocks."""
        return not self._again and any(len(worker.blocks) < AHEAD for worker in self._workers)

    def give(self, block: Sequence[WaitingPage]) -> None:
        """Hand a block to the process that has least to do."""
        min(self._workers, key=lambda worker: len(worker.blocks)).give(block)

    def take(self) -> list[list[StrippedPage]]:
        """Wait until a process has finished a block."""
        self._give_again()
        pipes = {worker.pipe: worker for worker in self._workers if worker.blocks}
        finished = []
        for pipe in wait(list(pipes)) if pipes else []:
            worker = pipes[pipe]  # type: ignore[index]  # they are those that were handed over
            try:
                finished.append(worker.pipe.recv())
                worker.blocks.popleft()
            except (EOFError, OSError):
                finished += self._replace(worker)
        return finished

    @property
    def under_way(self) -> int:
        """How many blocks were given and not taken yet."""
        return sum(len(worker.blocks) for worker in self._workers) + len(self._again)

    def close(self) -> None:
        """Kill the processes: they hold nothing that is not elsewhere."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def _start(self) -> _Worker:
        return _Worker(self._options, [worker.pipe for worker in self._workers])

    def _replace(self, dead: _Worker) -> list[list[StrippedPage]]:
        """Start another process; the block at work is tried again page by page, a single page is given up."""
        dead.end()
        at_work, *rest = dead.blocks
        told: list[list[StrippedPage]] = []
        if len(at_work) == 1:
            problem = f"a process died at it ({_end_of(dead.process)})"
            told.append([StrippedPage(page.url, page.version, "", problem) for page in at_work])
        else:
            self._again.extend([page] for page in at_work)
        self._again.extend(rest)
        place = self._workers.index(dead)
        self._workers.pop(place)
        self._workers.insert(place, self._start())
        return told

    def _give_again(self) -> None:
        while self._again and any(len(worker.blocks) < AHEAD for worker in self._workers):
            self.give(self._again.popleft())


def _end_of(process: BaseProcess) -> str:
    code = process.exitcode or 0
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _work(pipe: Connection, options: StripOptions, not_ours: Sequence[Connection]) -> NoReturn:
    """Strip blocks until the other end of the pipe is closed; Ctrl-C is the other process's to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in not_ours:  # or this process would keep open what tells it that the other one has ended
        other.close()
    blocks: SimpleQueue[Sequence[WaitingPage] | None] = SimpleQueue()
    Thread(target=_fetch_ahead, args=(pipe, blocks), daemon=True).start()
    with suppress(OSError):
        while (block := blocks.get()) is not None:
            pipe.send([strip_page(page, options) for page in block])
    os._exit(0)  # what was open at the fork belongs to the other process


def _fetch_ahead(pipe: Connection, blocks: SimpleQueue[Sequence[WaitingPage] | None]) -> None:
    """Take blocks from the pipe as they come, so that who sends one never waits: at most `AHEAD` come."""
    try:
        while True:
            blocks.put(pipe.recv())
    except (EOFError, OSError):
        blocks.put(None)
