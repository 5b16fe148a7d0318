"""Stored HTML: packed by zstd with a dictionary of the site's own pages, and unpacked again.

Pages of a site share most of what they are made of: with a dictionary a page takes a half to a quarter of what deflate
makes of it, in less time (`python -m benchmarks.store`). It is some whole pages: made in a millisecond, they serve
nearly as well as what zstd's training picks from hundreds in .1 to .3 s and 20 MB. The first pages, before there is
one, are packed by deflate; which way a body was packed, its own first bytes say.
"""

from __future__ import annotations

import logging
import sqlite3
import sys
import time
from collections.abc import Sequence
from typing import Any

from isal import isal_zlib

from gwc_crawler.errors import StoreError

logger = logging.getLogger(__name__)


LEVEL = 1
"""Of zstd: a tenth larger than level 3, in half of its time; level 6 is a twentieth smaller, in three times that."""
DICTIONARY_BYTES = 112_640
"""At most, which is zstd's own default; and half of the samples: a larger one would not pay on a small site."""

SAMPLES = 25
"""Pages that a dictionary is made of; made of fewer, it is as large as what it saves."""
EVERY = 8
"""Each eighth of the first pages is one: lists and what they lead to come in stretches."""
SAMPLE_BYTES = 65_536
"""So much of each."""

_ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"


class Bodies:
    """Packs and unpacks the bodies of one database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._dictionaries: dict[int, Any] = {}
        self._compressor: Any = None
        self._samples: list[bytes] = []
        self._seen = 0

    def pack(self, body: bytes) -> bytes:
        """Pack a body by the dictionary that there is; until then it is a sample for one."""
        if self._compressor is None:
            if self._seen % EVERY == 0 and len(self._samples) < SAMPLES:
                self._samples.append(body[:SAMPLE_BYTES])
            self._seen += 1
            return bytes(isal_zlib.compress(body))
        return bytes(self._compressor.compress(body, self._compressor.FLUSH_FRAME))

    def unpack(self, packed: bytes) -> bytes:
        """Return a body as it was; StoreError: its dictionary is not in the database, or it is damaged."""
        try:
            if not packed.startswith(_ZSTD):
                return bytes(isal_zlib.decompress(packed))
            zstd = _zstd()
            number = zstd.get_frame_info(packed).dictionary_id
            return bytes(zstd.decompress(packed, self._dictionary(number) if number else None))
        except _unpacking_errors() as error:
            raise StoreError(
                f"a stored page is damaged ({error}); `scrapy crawl -a recrawl=all` fetches it again"
            ) from error

    def settle(self) -> bool:
        """Take the database's newest dictionary into use, or make one if it is time; a transaction is open.

        Returns whether bodies are packed by one now.
        """
        if self._compressor is not None:  # what it was made of has been kept, or forgotten with it
            self._samples.clear()
            return True
        row = self._connection.execute("SELECT id FROM dictionaries ORDER BY made_at DESC LIMIT 1").fetchone()
        if row is not None:
            self._use(self._dictionary(row[0]))
        elif len(self._samples) >= SAMPLES:
            made = dictionary_of(self._samples)
            if made is None:
                self._samples.clear()  # other pages may serve
            else:
                self.keep(made, SAMPLES)
        return self._compressor is not None

    def packed_size(self, bodies: Sequence[bytes], dictionary: Any) -> int:
        """Return what bodies would take if they were packed by a *dictionary*."""
        packer = _zstd().ZstdCompressor(LEVEL, zstd_dict=dictionary.as_digested_dict)
        return sum(len(packer.compress(body, packer.FLUSH_FRAME)) for body in bodies)

    def keep(self, dictionary: Any, pages: int) -> None:
        """Take a dictionary into use, which was made of so many *pages*; a transaction is open."""
        self._connection.execute(
            "INSERT OR REPLACE INTO dictionaries (id, made_at, pages, dictionary) VALUES (?, ?, ?, ?)",
            (dictionary.dict_id, time.time(), pages, dictionary.dict_content),
        )
        self._use(dictionary)

    def forget(self) -> None:
        """After a rollback: what was taken into use may not be in the database."""
        self._compressor = None
        self._dictionaries.clear()

    def _use(self, dictionary: Any) -> None:
        self._compressor = _zstd().ZstdCompressor(LEVEL, zstd_dict=dictionary.as_digested_dict)

    def _dictionary(self, number: int) -> Any:
        if number not in self._dictionaries:
            row = self._connection.execute("SELECT dictionary FROM dictionaries WHERE id = ?", (number,)).fetchone()
            if row is None:
                raise StoreError(
                    f"dictionary {number} is gone from the database, and the pages packed by it can't be read; "
                    "`scrapy crawl -a recrawl=all` fetches them again"
                )
            self._dictionaries[number] = _zstd().ZstdDict(row[0])
        return self._dictionaries[number]


def dictionary_of(samples: Sequence[bytes]) -> Any:
    """Return a dictionary for pages like these, in an order that says nothing; None: they are too few or too short.

    As many whole samples as it holds; zstd looks for what is near its end at the least cost, so the first stands last.
    """
    zstd = _zstd()
    samples = [sample[:SAMPLE_BYTES] for sample in samples]
    room = min(DICTIONARY_BYTES, sum(map(len, samples)) // 2)
    content = b""
    for sample in samples:
        if len(content) + len(sample) <= room:
            content = sample + content
    try:
        if len(samples) >= SAMPLES:
            return zstd.finalize_dict(zstd.ZstdDict(content, is_raw=True), samples, room, LEVEL)
    except (zstd.ZstdError, ValueError) as error:  # too short: deflate serves such pages
        logger.debug("no dictionary of %d pages: %s", len(samples), error)
    return None


def unpacked(data: bytes) -> bytes:
    """Return what is in bytes packed by gzip, zlib or zstd without a dictionary; other bytes as they are."""
    try:
        if data.startswith(_ZSTD):
            return bytes(_zstd().decompress(data))
        return bytes(isal_zlib.decompress(data, 31 if data.startswith(_GZIP) else 15))
    except _unpacking_errors():
        return data


def _unpacking_errors() -> tuple[type[Exception], ...]:
    isal_error: type[Exception] = isal_zlib.error  # type: ignore[assignment]  # its stubs call it an instance
    return isal_error, _zstd().ZstdError


def _zstd() -> Any:
    """Return the module, which is a part of Python from 3.14 on."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
