"""The Scrapy project that the dashboard shows: its sites, their settings and files, its Redis."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from gwc_crawler import runs
from gwc_crawler.config import data_directory
from gwc_crawler.dashboard.web.background import Background

NAMES_SECONDS = 1.0
LONGEST_NAME = 80


@dataclass
class Project:
    """What all visits share. `memory` is for what pages keep between visits, by their own keys."""

    command: ScrapyCommand
    background: Background = field(default_factory=Background)
    memory: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._stack = ExitStack()
        self.servers = runs.Servers(self._stack)
        self._lock = threading.RLock()
        self._places: dict[str, tuple[Any, runs.SiteLocation]] = {}
        self._files: dict[str, tuple[Any, runs.SiteFiles]] = {}
        self._names: tuple[float, dict[str, Path | None]] = (0.0, {})

    @property
    def settings(self) -> Settings:
        """Those of the project."""
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
            if time.monotonic() - at > NAMES_SECONDS:
                files = dict(getattr(runs.loader_of(self.command), "site_files", {}))
                with_data = {path.name for path in self.data.glob("*") if (path / "crawl.db").exists()}
                with_data |= {path.name for path in self.data.glob("*") if (path / "samples.db").exists()}
                names = {name: files.get(name) for name in sorted({*files, *with_data})}
                self._names = (time.monotonic(), names)
            return names

    def require(self, name: str) -> None:
        """See that *name* is one of the sites; a path to a file that lies elsewhere is none.

        Raises:
            UsageError: it is not.
        """
        if name not in self.sites():
            self.look_again()  # its file may be as new as that
            if name not in self.sites():
                raise UsageError(f"there is no site {name[:LONGEST_NAME]!r}", print_help=False)

    def look_again(self) -> None:
        """Site files have been written or removed: find them at the next question."""
        with self._lock:
            self._names = (0.0, {})

    def place(self, name: str) -> runs.SiteLocation:
        """Return where a site's data lies, also where its file has mistakes.

        Raises:
            UsageError, InputError: there is no such site.
        """
        with self._lock:
            mark = self._mark(name)
            known = self._places.get(name)
            if known is None or known[0] != mark:
                known = self._places[name] = (mark, next(iter(runs.places(self.command, name))))
            return known[1]

    def files(self, name: str) -> runs.SiteFiles:
        """Return a site as its file says.

        Raises:
            UsageError, InputError: there is no such file, or it has mistakes.
        """
        with self._lock:
            mark = self._mark(name)
            known = self._files.get(name)
            if known is None or known[0] != mark:
                known = self._files[name] = (mark, runs.site_files_of(self.command, name))
            return known[1]

    def close(self) -> None:
        """Let go of servers and threads."""
        self.background.close()
        self._stack.close()

    def _mark(self, name: str) -> Any:
        path = self.sites().get(name)
        return path and path.exists() and (str(path), path.stat().st_mtime_ns)
