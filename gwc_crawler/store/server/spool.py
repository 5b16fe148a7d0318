"""Batches that are safe on disk and not on the server yet: a file each, in order, never half there.

A folder holds numbered slots. A crawl takes the first one that no living process has, with what an earlier crawl has
left in it, and moves what lies in other slots of the dead into its own: so nothing waits for a process that will never
come back.
"""

from __future__ import annotations

import fcntl
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from gwc_crawler.errors import unwritten
from gwc_crawler.store.kept_files import WholeFolder

SUFFIX, DAMAGED = ".batch", ".damaged"
REFUSED = "refused"
"""The folder of refused pages, beside the slots."""
TRIES = 2
"""So often what may be to blame is written: it may be a race with another writer, or a kill that came by chance."""


class Closing(Exception):
    """The spool was closed before there was room."""


class Spool:
    """The batches of one process, for several threads, in a slot of *directory*.

    Args:
        limit_bytes: `put` waits while more than this lies here; a batch that is alone always has room.

    Raises:
        StoreError: the folder can't be used.
    """

    def __init__(self, directory: Path, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._changed = threading.Condition()
        self._sizes: dict[Path, int] = {}
        self._waiting: deque[Path] = deque()
        self._closing = False
        self._number = 0
        try:
            number = 1
            while (own := _lock(directory / str(number))) is None:
                number += 1
            self.slot, self._lock = directory / str(number), own
            self._folder = WholeFolder(self.slot, syncs_names=True)
            self._adopt(self.slot)
            for slot in _slots(directory):
                if slot != self.slot and (lock := _lock(slot)) is not None:  # what a dead process has left
                    with lock:
                        self._adopt(slot)
        except OSError as error:
            raise unwritten(directory, error, "check the data directory") from error

    @property
    def size_bytes(self) -> int:
        """Bytes of all that lies here."""
        with self._changed:
            return sum(self._sizes.values())

    def __len__(self) -> int:
        return len(self._sizes)

    def has_room_for(self, size: int) -> bool:
        """Say whether a batch need not wait."""
        with self._changed:
            return not self._sizes or sum(self._sizes.values()) + size <= self.limit_bytes

    def put(self, content: bytes) -> Path:
        """Keep a batch; when this returns, it is safe. Waits for room.

        Raises:
            Closing: there was no room, and there will be none.
            OSError: the disk is full, or worse; nothing is left of the batch.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self.has_room_for(len(content)))
            if not self.has_room_for(len(content)):
                raise Closing
            self._number += 1
            path = self.slot / f"{self._number:012d}{SUFFIX}"
        self._folder.write(path.name, content)
        with self._changed:
            self._sizes[path] = len(content)
            self._waiting.append(path)
            self._changed.notify_all()
        return path

    def take(self) -> Path | None:
        """Wait for the oldest batch that nobody has taken; None when there will be none."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting) or self._closing)
            return self._waiting.popleft() if self._waiting else None

    def done(self, path: Path) -> None:
        """A batch is on the server: forget it."""
        path.unlink(missing_ok=True)
        self._forget(path)

    def set_aside(self, path: Path) -> Path:
        """Keep a damaged file under another name."""
        aside = path.with_suffix(DAMAGED)
        path.replace(aside)
        self._forget(path)
        return aside

    def _forget(self, path: Path) -> None:
        with self._changed:
            self._sizes.pop(path, None)
            self._changed.notify_all()

    def wait_until_empty(self, seconds: float) -> bool:
        """Wait until all is done; False when it was not by then."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._sizes, seconds)

    def close(self) -> None:
        """Let nobody wait any more."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def release(self) -> None:
        """Give the slot back: the next process goes on with what is left in it."""
        self._lock.close()

    def _adopt(self, slot: Path) -> None:
        for path in sorted(slot.glob(f"*{SUFFIX}")):
            if slot != self.slot:
                path = path.replace(self.slot / f"{self._number + 1:012d}{SUFFIX}")
            self._number = max(self._number, int(path.stem))
            self._sizes[path] = path.stat().st_size
            self._waiting.append(path)


def waiting(directory: Path) -> dict[str, Any]:
    """Return how many batches lie in all slots, and their bytes; for looking."""
    sizes = []
    for path in directory.glob(f"[0-9]*/*{SUFFIX}"):
        with suppress(FileNotFoundError):
            sizes.append(path.stat().st_size)
    return {"waiting_batches": len(sizes), "waiting_bytes": sum(sizes)}


def _slots(directory: Path) -> list[Path]:
    return sorted((one for one in directory.glob("[0-9]*") if one.name.isdecimal()), key=lambda one: int(one.name))


def _lock(slot: Path) -> IO[str] | None:
    slot.mkdir(parents=True, exist_ok=True)
    file = (slot / "lock").open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file
