"""One knowledge for all machines of a fleet: kept in Redis as the JSON text it is, learned by one worker at a time.

The newer one wins: what is learned or edited on one machine reaches the others when they take the site the next time.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from gwc_crawler.errors import GwcError, KnowledgeError, StoreError, unwritten
from gwc_crawler.knowledge.model import Knowledge, keep_previous, unreadable
from gwc_crawler.store.redis_server import Server, redis_errors

LONGEST_TEXT = 16 * 1024 * 1024
"""Bytes of a knowledge file that are shared at most; they are tens of kilobytes as a rule."""

FAILURE_SECONDS = 60
"""How long those that wait for a site to be learned hear that it failed."""

_AGE_MARGIN_SECONDS = 0.001

_EXTEND = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2])"
_RELEASE = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])"


class SharedKnowledge:
    """The knowledge of one site in Redis (`{SITE}:knowledge`, a hash of `text` and `at`, when it was written).

    Args:
        path: this machine's knowledge file.
    """

    def __init__(self, server: Server, site: str, path: Path) -> None:
        self._server = server
        self._key = f"{{{site}}}:knowledge"
        self.path = path

    def sync(self, carried: bytes | None = None) -> bool:
        """Bring file and Redis to the same knowledge, the newer one; returns whether there is any.

        Args:
            carried: the text of what is carried beside the site file; it serves where nothing is learned.
        Raises:
            KnowledgeError: the one that is newer can't be read.
            OutageError, StoreError: Redis can't be reached, the text is too long, or the file can't be written.
        """
        with redis_errors():
            text, at = self._server.hmget(self._key, "text", "at")
        shared_at = 0.0 if text is None else self._age(at)
        if not self.path.exists():
            if text is not None:
                self._save(text, shared_at)
            elif carried is not None:
                Knowledge.from_bytes(carried, "the knowledge file beside the site file")
                self._put(carried, 0.0)
            return text is not None or carried is not None
        mine, written_at = self._read(), self.path.stat().st_mtime
        if text is None or (mine != text and written_at > shared_at + _AGE_MARGIN_SECONDS):
            self.publish()
        elif mine != text:
            self._save(text, shared_at)
        return True

    def _age(self, at: bytes | None) -> float:
        try:
            return float(at or b"")
        except ValueError as error:
            what = f"Redis key {self._key}, field at: {at!r} is no time"
            raise KnowledgeError(f"{what}; delete the key: a worker's knowledge file, or learning, fills it") from error

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise unreadable(self.path, error) from error

    def publish(self) -> None:
        """Put this machine's file in the place of what is shared."""
        Knowledge.load(self.path)  # what can't be read is not handed on
        self._put(self._read(), self.path.stat().st_mtime)

    def _put(self, text: bytes, at: float) -> None:
        if len(text) > LONGEST_TEXT:
            raise StoreError(f"{self.path} has {len(text):,} bytes; {LONGEST_TEXT:,} at most are shared through Redis")
        with redis_errors():
            self._server.hset(self._key, mapping={"text": text, "at": repr(at)})

    def _save(self, text: bytes, at: float) -> None:
        """Write the file whole or not at all; a different one is kept as `knowledge.previous.json`."""
        Knowledge.from_bytes(text, f"Redis key {self._key}, field text")  # what can't be read is not taken over
        new = self.path.with_suffix(f".{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(text)
            os.utime(new, (at, at))  # as old as what is shared, so it is not taken for an edited one
            with suppress(StoreError):
                keep_previous(self.path)
            new.replace(self.path)
        except OSError as error:
            raise unwritten(self.path, error, "set GWC_DATA_DIR") from error


class LearningLock:
    """The right to learn a site, for one process of the fleet (`{SITE}:learning`); held until `release` or its death.

    A thread extends it, because learning keeps the process busy for a while.

    Args:
        seconds: how long it outlives a process that was killed.
    """

    def __init__(self, server: Server, site: str, owner: str, seconds: float) -> None:
        self._server = server
        self._key = f"{{{site}}}:learning"
        self._failed_key = f"{{{site}}}:learning_failed"
        self._owner = owner.encode()
        self._millis = max(1000, int(seconds * 1000))
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> bool:
        """Take the lock; False: `holder` has it."""
        with redis_errors():
            if not self._server.set(self._key, self._owner, nx=True, px=self._millis):
                return False
            self._server.delete(self._failed_key)
        self._thread = threading.Thread(target=self._extend, daemon=True)
        self._thread.start()
        return True

    def holder(self) -> str | None:
        """Return who is learning the site."""
        with redis_errors():
            owner = self._server.get(self._key)
        return owner.decode() if owner else None

    def failure(self) -> str | None:
        """Return why learning failed shortly ago, None if it didn't, or is under way again."""
        with redis_errors():
            reason = self._server.get(self._failed_key)
        return reason.decode() if reason else None

    def release(self, failure: str = "") -> None:
        """Give the lock back, if it is held here; those that wait for it hear of a *failure*."""
        if self._thread is None:
            return
        self._over.set()
        self._thread.join()
        self._thread = None
        with suppress(GwcError), redis_errors():
            if failure:
                self._server.set(self._failed_key, failure.encode(), ex=FAILURE_SECONDS)
            self._server.eval(_RELEASE, 1, self._key, self._owner)

    def _extend(self) -> None:
        while not self._over.wait(self._millis / 4000):
            with suppress(GwcError), redis_errors():
                self._server.eval(_EXTEND, 1, self._key, self._owner, self._millis)

    def __enter__(self) -> LearningLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
