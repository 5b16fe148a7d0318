"""Exchanges with servers as they went over the wire, kept in WARC files (ISO 28500, version 1.1)."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.archive.archive import Archive, Known, KnownPayloads
    from gwc_crawler.archive.exchange import Exchange, message_head
    from gwc_crawler.archive.segments import Segments, mend
else:
    __getattr__ = face(__name__)

__all__ = [
    "Archive",
    "Exchange",
    "Known",
    "KnownPayloads",
    "Segments",
    "mend",
    "message_head",
]
