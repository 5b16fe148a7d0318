"""What a crawl tells its archive: each exchange when it has come, and when all of them have to be safe.

An exchange whose payload is in the archive already, from any URL, becomes a revisit record, as does a 304.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gwc_crawler.archive.exchange import Exchange
from gwc_crawler.archive.segments import Segments
from gwc_crawler.archive.warc_records import Original, digest_of, exchange_records, info_record
from gwc_crawler.errors import StoreError


@dataclass(frozen=True, slots=True)
class Known:
    """What was archived last of a URL: its payload's digest, and the record that holds it, with its URL and date."""

    url: str
    digest: str
    record: str
    record_url: str
    record_date: str


class KnownPayloads(Protocol):
    """What is kept of all that was archived, over all runs."""

    def of_url(self, url: str) -> Known | None:
        """Return what was archived last of *url*."""

    def of_digest(self, digest: str) -> Known | None:
        """Return something that has this payload."""

    def add(self, known: Sequence[Known]) -> None:
        """Keep these; when this returns, they are safe."""


class Archive:
    """The archive of one crawl.

    Args:
        segments: makes its files, of what makes a new file's first record.
        known: the payloads it has.
        made_by: what its files say of themselves.
    """

    def __init__(
        self,
        segments: Callable[[Callable[[str], bytes]], Segments],
        known: KnownPayloads,
        made_by: Sequence[tuple[str, str]],
    ) -> None:
        self._made_by = made_by
        self._info = ""
        self._at = 0.0
        self._known = known
        self._fresh: dict[str, Known] = {}
        """By URL: what is in the files, and not among the known yet."""
        self._by_digest: dict[str, Known] = {}
        self._failure: OSError | None = None
        self._segments = segments(self._first_record)

    def record(self, exchange: Exchange) -> None:
        """Take an exchange. What goes wrong is told by `flush`, and nothing is taken any more."""
        if self._failure is not None:
            return
        self._at = exchange.at
        digest = digest_of(exchange.payload)
        found = self._same(exchange, digest)
        try:
            self._segments.append(b"")  # so that there is a file, whose first record has an id
            original, records = exchange_records(exchange, self._info, found)
            self._segments.append(records)
        except OSError as error:
            self._failure = error
            return
        if exchange.status != 304:
            known = Known(exchange.url, digest, original.record, original.url, original.date)
            self._fresh[exchange.url] = self._by_digest[digest] = known

    def flush(self) -> None:
        """Have all that was recorded safe.

        Raises:
            StoreError: it is not; what was fetched since the last time has to be fetched again.
        """
        try:
            if self._failure is None:
                self._segments.flush()
        except OSError as error:
            self._failure = error
        if self._failure is not None:
            raise StoreError(
                f"the WARC file could not be written ({self._failure}); mend it, and run again: nothing is lost"
            ) from self._failure
        if self._fresh:
            self._known.add(list(self._fresh.values()))
            self._fresh, self._by_digest = {}, {}

    def close(self) -> None:
        """Have all safe and the files whole.

        Raises:
            StoreError: see `flush`.
        """
        try:
            self.flush()
            self._segments.close()
        except OSError as error:
            self._failure = error
            self.flush()
        finally:
            self._segments.abandon()

    def _same(self, exchange: Exchange, digest: str) -> Original | None:
        """Return where the payload is already."""
        if exchange.status == 304:
            known = self._fresh.get(exchange.url) or self._known.of_url(exchange.url)
        elif exchange.payload:
            known = self._by_digest.get(digest) or self._known.of_digest(digest)
        else:
            known = None
        return None if known is None else Original(known.record, known.record_url, known.record_date)

    def _first_record(self, name: str) -> bytes:
        self._info, record = info_record(name, self._at, self._made_by)
        return record
