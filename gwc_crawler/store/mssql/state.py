"""How an outlet to a SQL Server does, in a small file beside its batches, for `scrapy status`; and read again."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.store.mssql.spool import waiting_bytes

STATE_FILE = "state.json"
FOLDER = "mssql"
"""What the folder of batches is called in a site's directory."""
ITEMS_FOLDER = "mssql-items"
"""What that of all spiders with a pipeline is called in the data directory."""
REFUSED = "refused"
"""What the folder of refused pages is called beside the batches."""


@dataclass(slots=True)
class OutletState:
    """What became of the batches of a crawl.

    Attributes:
        server: where they go, for people.
        reachable: whether the last try got through; None before the first.
        problem: what went wrong in it, "" for nothing.
        written: pages (or items) that the server has taken in this run; `refused`: those it has not.
        replaced: characters that no server keeps (NUL, lone surrogates), for which U+FFFD stands.
        waiting_batches, waiting_bytes: what is safe on disk and not there yet.
        at: when this was so, epoch seconds.
    """

    server: str
    reachable: bool | None = None
    problem: str = ""
    written: int = 0
    refused: int = 0
    replaced: int = 0
    waiting_batches: int = 0
    waiting_bytes: int = 0
    at: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the form of `scrapy status --json`."""
        return asdict(self)

    @property
    def told(self) -> str:
        """In a sentence."""
        there = {True: "answers", False: f"can't be written: {self.problem}", None: "not asked yet"}[self.reachable]
        words = [f"{self.server} {there}", f"{self.written} written in its last run"]
        if self.refused:
            words.append(f"{self.refused} refused (mssql/refused/; `scrapy deliver SITE --refused` tries again)")
        if self.waiting_batches:
            words.append(f"{self.waiting_batches} batches of {self.waiting_bytes / 1e6:.1f} MB wait on disk")
        return "; ".join(words)


def write_state(directory: Path, state: OutletState) -> None:
    """Leave it; that it can't be left is no reason to end a crawl."""
    half = directory / f"{STATE_FILE}.{os.getpid()}"
    with suppress(OSError):
        half.write_text(json.dumps(state.as_json()), encoding="utf-8")
        half.replace(directory / STATE_FILE)


def read_state(site_directory: Path) -> OutletState | None:
    """Return how the outlet of a site did when it last said so, and what waits now; None where there is none."""
    directory = site_directory / FOLDER
    state = last_state(directory)
    if state is not None:
        state.waiting_batches, state.waiting_bytes = waiting_bytes(directory)
    return state


def last_state(directory: Path) -> OutletState | None:
    """Return what stands beside batches, as it was left; None where there is nothing."""
    try:
        return OutletState(**json.loads((directory / STATE_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
