"""Bytes → the charset they are really in.

What is declared counts first, `<meta>` before the header (MD5-tree: meta wins); the bytes are asked whether it can be
true. GB2312 and GBK mean GB18030, which holds both.
"""

from __future__ import annotations

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

_GUESSES = ("gb18030", "big5hkscs", "cp1252")


def detect_charset(body: bytes, content_type: str | None = None) -> str:
    """Return the Python codec name of a page's bytes.

    Source:
        MD5-tree, *Charset*.

    >>> detect_charset('<meta charset="gb2312"><p>镕基</p>'.encode("gbk"))
    'gb18030'
    """
    bom, _ = read_bom(body[:4])
    if bom:
        return bom
    declared = html_body_declared_encoding(body) or http_content_type_encoding(content_type)
    if body.isascii():
        return declared or "utf-8"
    candidates = [declared] if declared else []
    for codec in [*candidates, "utf-8", *_GUESSES]:
        if _decodes(body, codec):
            return codec
    return declared or "utf-8"


def decode_html(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Return (text, codec name); bytes that don't decode become U+FFFD."""
    charset = detect_charset(body, content_type)
    return decode_bytes(body, charset), charset


def decode_bytes(body: bytes, charset: str) -> str:
    """Decode with a Python codec, or with what a label of the web stands for; errors become U+FFFD."""
    try:
        return body.decode(charset, "replace")
    except LookupError:
        return body.decode(resolve_encoding(charset) or "utf-8", "replace")


def _decodes(body: bytes, codec: str) -> bool:
    try:
        body.decode(codec)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
