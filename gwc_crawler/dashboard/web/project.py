"""The Scrapy project that the dashboard shows: its sites, their settings and files, its Redis."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from gwc_crawler.crawl.data_files import CRAWL_DB, SAMPLES_DB
from gwc_crawler.runs.lookup import Servers, SiteFiles, SiteLocation, loader_of, places, site_files_of
from gwc_crawler.wiring.options import data_directory

# --- Figures that take longer than a page may wait --------------------------------------------------------------------


T = TypeVar("T")

SHARE = 50
"""Age, in times of the seconds it took to count, after which a figure is counted again if somebody looks."""

LEAST_SECONDS = 1.0
"""Age at which what is quickly looked up is looked up again."""

MOST_KEPT = 512
"""Figures, answers and previews that are kept for visitors; the oldest give way."""


@dataclass(frozen=True, slots=True)
class AgedFigure(Generic[T]):
    """A figure with its age. `value` is None while it is counted for the first time."""

    value: T | None
    age_seconds: float = 0.0
    counting: bool = False
    problem: str = ""


@dataclass(slots=True)
class _Kept:
    value: Any = None
    problem: str = ""
    ended_at: float = 0.0
    took: float = 0.0
    running: Future[None] | None = None


class Background:
    """Counts in at most *threads* threads, each thing once at a time."""

    def __init__(self, threads: int = 2, clock: Callable[[], float] = time.monotonic) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="counting")
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._clock = clock

    def found(
        self, key: Hashable, count: Callable[[], T], *, patience_seconds: float = 0.05, again: bool = True
    ) -> AgedFigure[T]:
        """Return the last result of *count* under *key*; call it if that is too old.

        Args:
            patience_seconds: the longest wait for a first result.
            again: False: a result is never counted again, but a failure is.
        """
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            old = self._clock() - kept.ended_at > max(LEAST_SECONDS, SHARE * kept.took)
            due = not kept.ended_at or (old and (again or bool(kept.problem)))
            if due and kept.running is None:
                kept.running = self._pool.submit(self._count, kept, count)
            running = kept.running
        if running is not None and not kept.ended_at:
            wait([running], patience_seconds)
        with self._lock:
            age = self._clock() - kept.ended_at if kept.ended_at else 0.0
            return AgedFigure(kept.value, age, kept.running is not None, kept.problem)

    def forget(self, *start: Hashable) -> None:
        """Have figures counted again whose keys (tuples) begin like this."""
        with self._lock:
            for key in [key for key in self._kept if isinstance(key, tuple) and key[: len(start)] == start]:
                del self._kept[key]

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _count(self, kept: _Kept, count: Callable[[], Any]) -> None:
        began = self._clock()
        value, problem = None, ""
        try:
            value = count()
        except Exception as error:  # noqa: BLE001  # it is shown where the figure would stand
            problem = f"{type(error).__name__}: {error}"
        with self._lock:
            kept.value, kept.problem = (value, "") if not problem else (kept.value, problem)
            kept.ended_at = self._clock()
            kept.took = kept.ended_at - began
            kept.running = None


MOST_SAID_AGAIN = 200
"""Characters of a visitor's text that are shown again."""


@dataclass
class Project:
    """The state that all visits share. `memory` is for data that pages keep between visits, by their own keys."""

    command: ScrapyCommand
    background: Background = field(default_factory=Background)
    memory: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._stack = ExitStack()
        self.servers = Servers(self._stack)
        self._lock = threading.RLock()
        self._places: dict[str, tuple[Any, SiteLocation]] = {}
        self._names: tuple[float, dict[str, Path | None]] = (0.0, {})

    @property
    def settings(self) -> Settings:
        """The project's settings."""
        assert self.command.settings is not None
        return self.command.settings

    @property
    def data(self) -> Path:
        """The data directory."""
        return data_directory(self.settings)

    def sites(self) -> Mapping[str, Path | None]:
        """Name → site file (None: there is only data of it), as they are now, sorted."""
        with self._lock:
            at, names = self._names
            if time.monotonic() - at > LEAST_SECONDS:
                files = dict(getattr(loader_of(self.command), "site_files", {}))
                with_data = {
                    path.parent.name for name in (CRAWL_DB, SAMPLES_DB) for path in self.data.glob(f"*/{name}")
                }
                names = {name: files.get(name) for name in sorted({*files, *with_data})}
                self._names = (time.monotonic(), names)
            return names

    def require(self, name: str) -> None:
        """Check that *name* is one of the sites; a path to a file elsewhere is none. Raises UsageError: it is not."""
        if name not in self.sites():
            self.look_again()  # its file may be as new as that
            if name not in self.sites():
                raise UsageError(f"there is no site {name[:MOST_SAID_AGAIN]!r}", print_help=False)

    def look_again(self) -> None:
        """Site files have been written or removed: find them at the next question."""
        with self._lock:
            self._names = (0.0, {})

    def place(self, name: str) -> SiteLocation:
        """Return where a site's data lies, also where its file has mistakes; found anew when its file has changed.

        Raises UsageError, InputError: there is no such site.
        """
        with self._lock:
            path = self.sites().get(name)
            mark = path and path.exists() and (str(path), path.stat().st_mtime_ns)
            if name not in self._places or self._places[name][0] != mark:
                self._places[name] = (mark, next(iter(places(self.command, name))))
            return self._places[name][1]

    def files(self, name: str) -> SiteFiles:
        """Return a site as its file says. Raises UsageError, InputError: there is no such file, or it has mistakes."""
        found = self.place(name)
        return found if isinstance(found, SiteFiles) else site_files_of(self.command, name)

    def close(self) -> None:
        """Let go of servers and threads."""
        self.background.close()
        self._stack.close()
