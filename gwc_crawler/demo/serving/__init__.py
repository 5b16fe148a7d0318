"""A small HTTP server on real sockets, and how it misbehaves on request."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.demo.serving.faults import Faults, gzip_bomb, parse_faults
    from gwc_crawler.demo.serving.server import PageServer, Request, ServedReply, with_etag
else:
    __getattr__ = face(__name__)

__all__ = [
    "Faults",
    "PageServer",
    "Request",
    "ServedReply",
    "gzip_bomb",
    "parse_faults",
    "with_etag",
]
