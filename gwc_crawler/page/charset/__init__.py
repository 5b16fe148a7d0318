"""Bytes → the charset they are really in, and their text."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.page.charset.detection import CharsetEvidence, charset_evidence, decode_bytes, detect_charset
else:
    __getattr__ = face(__name__)

__all__ = ["CharsetEvidence", "charset_evidence", "decode_bytes", "detect_charset"]
