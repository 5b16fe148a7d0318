"""The hostile answers: compressed bodies, content types, charsets; and half pages where those are wanted."""

from __future__ import annotations

import gzip
import zlib
from hashlib import sha256

import brotli
from backports import zstd

from tests.conformance.answer_cases import FLAGGED
from tests.conformance.answer_parts import (
    AGAIN,
    CHUNKED,
    ERROR,
    HALF,
    NO_PAGE,
    OK,
    PAGE,
    PAGE_COMES,
    case,
    chunks,
    coded,
    sized,
    status,
    typed,
)
from tests.raw_server import Then

LONG = PAGE.replace(
    b"<p>line 20 ",
    b"".join(b"<p>%s</p>" % sha256(b"%d" % n).hexdigest().encode() for n in range(2_000)) + b"<p>line 20 ",
)
"""So long, and so mixed, that half of it, compressed, is something."""
GZIP, ZLIB, ZSTD = gzip.compress(LONG), zlib.compress(LONG), zstd.compress(LONG)
BROTLI = brotli.compress(LONG, quality=5)
RAW = ZLIB[2:-4]
BOMB = gzip.compress(bytes(50_000_000), 1)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def half(body: bytes) -> bytes:
    return body[: len(body) // 2]


CODINGS = [
    case("gzip", PAGE_COMES, coded(b"gzip", GZIP)),
    case("GZip in capitals", PAGE_COMES, coded(b"GZip", GZIP)),
    case("x-gzip", PAGE_COMES, coded(b"x-gzip", GZIP)),
    case("deflate", PAGE_COMES, coded(b"deflate", ZLIB)),
    case("deflate without the frame of zlib", PAGE_COMES, coded(b"deflate", RAW)),
    case("br", PAGE_COMES, coded(b"br", BROTLI)),
    case("zstd", PAGE_COMES, coded(b"zstd", ZSTD)),
    case("gzip in chunks", PAGE_COMES,
         CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n") + chunks(GZIP)),
    case("gzip in gzip", PAGE_COMES, coded(b"gzip, gzip", gzip.compress(GZIP))),
    case("gzip, then br, in two headers", PAGE_COMES,
         sized(brotli.compress(GZIP, quality=5), b"Content-Encoding: gzip\r\nContent-Encoding: br\r\n")),
    case("gzip in two streams", PAGE_COMES, coded(b"gzip", gzip.compress(LONG[:99]) + gzip.compress(LONG[99:]))),
    case("gzip, and something behind it", PAGE_COMES, coded(b"gzip", GZIP + b"\r\n<!-- cached -->")),
    case("br, and something behind it", PAGE_COMES, coded(b"br", BROTLI + b"\r\n<!-- cached -->")),
    case("gzip that ends in the middle", AGAIN, coded(b"gzip", half(GZIP)), reason="breaks off"),
    case("gzip without its checksum", AGAIN, coded(b"gzip", GZIP[:-8]), reason="breaks off"),
    case("gzip with a wrong checksum", AGAIN, coded(b"gzip", GZIP[:-8] + b"\0" * 8), reason="damaged",
         decision="Browsers don't look at it; here damage would go into records. DOWNLOAD_FAIL_ON_DATALOSS = False "
         "takes it."),
    case("gzip that ends in the middle, without a length", AGAIN,
         OK + b"Content-Encoding: gzip\r\n\r\n" + half(GZIP), Then.CLOSE),
    case("deflate that ends in the middle", AGAIN, coded(b"deflate", half(ZLIB)), reason="breaks off"),
    case("deflate without its frame that ends in the middle", AGAIN, coded(b"deflate", half(RAW)), reason="breaks off"),
    case("br that ends in the middle", AGAIN, coded(b"br", half(BROTLI)), reason="breaks off"),
    case("zstd that ends in the middle", AGAIN, coded(b"zstd", half(ZSTD)), reason="breaks off"),
    case("half of a gzip in a br", AGAIN, coded(b"gzip, br", brotli.compress(half(GZIP), quality=5)),
         reason="breaks off"),
    case("it says gzip, and is plain", PAGE_COMES, coded(b"gzip", PAGE)),
    case("it says br, and is plain", PAGE_COMES, coded(b"br", PAGE)),
    case("it says deflate, and is plain", PAGE_COMES, coded(b"deflate", PAGE)),
    case("it says gzip, and is rubbish", AGAIN, coded(b"gzip", b"\xff\0\xfe" * 99), reason="it is not gzip"),
    case("identity", PAGE_COMES, coded(b"identity", PAGE)),
    case("none", PAGE_COMES, coded(b"none", PAGE)),
    case("UTF-8 for a coding", PAGE_COMES, coded(b"UTF-8", PAGE)),
    case("an empty Content-Encoding", PAGE_COMES, coded(b"", PAGE)),
    case("a coding that nobody knows", AGAIN, coded(b"compress", b"\x1f\x9d\x90" * 99), reason="'compress'"),
    case("gzip that nobody names", NO_PAGE, sized(GZIP), reason="not HTML"),
    case("gzip of nothing", NO_PAGE, coded(b"gzip", b""), reason="the body is empty"),
    case("a bomb: 50 KB that are 50 MB", ERROR, coded(b"gzip", BOMB), reason="DOWNLOAD_MAXSIZE"),
    case("a bomb in a bomb", ERROR, coded(b"gzip, br", brotli.compress(BOMB, quality=3)), reason="DOWNLOAD_MAXSIZE"),
]  # fmt: skip

TYPES = [
    case("no content type", PAGE_COMES, sized(first=b"HTTP/1.1 200 OK\r\n")),
    case("an empty content type", PAGE_COMES, typed(b"")),
    case("TEXT/HTML in capitals", PAGE_COMES, typed(b"TEXT/HTML;CHARSET=UTF-8")),
    case("a content type that says too much", PAGE_COMES, typed(b"text/html; charset=utf-8; x=y; ;")),
    case("two content types in one header", PAGE_COMES, typed(b"text/html, text/html; charset=utf-8")),
    case("a content type that is none", PAGE_COMES, typed(b"html")),
    case("a content type of stars", PAGE_COMES, typed(b"*/*")),
    case("a page as text/plain", PAGE_COMES, typed(b"text/plain"),
         decision="Browsers show its source; servers that say so mean a page more often than a text."),
    case("a page as application/octet-stream", PAGE_COMES, typed(b"application/octet-stream")),
    case("a page as application/xhtml+xml", PAGE_COMES, typed(b"application/xhtml+xml")),
    case("a picture", NO_PAGE, typed(b"image/png", PNG), reason="not HTML: content type image/png"),
    case("a picture as text/html", NO_PAGE, typed(b"text/html", PNG), reason="PNG"),
    case("a picture without a content type", NO_PAGE, typed(b"", PNG), reason="(none)"),
    case("a PDF", NO_PAGE, typed(b"application/pdf", b"%PDF-1.7 ..."), reason="application/pdf"),
    case("JSON", NO_PAGE, typed(b"application/json", b'{"html": "<p>begin</p>"}'), reason="application/json"),
    case("a style sheet", NO_PAGE, typed(b"text/css", b"body { color: red }"), reason="text/css"),
    case("a text as text/plain", NO_PAGE, typed(b"text/plain", b"begin and end"), reason="text/plain"),
    case("a page with NULs in it", PAGE_COMES, sized(PAGE.replace(b"line", b"li\0ne"))),
    case("a page nested 5,000 tags deep", PAGE_COMES, sized(PAGE.replace(b"<p>begin", b"<div>" * 5_000 + b"<p>begin"))),
    case("a page nested so that it can't be read", "page without its end, an exception says so", sized(
        PAGE.replace(b"<p>line 9 ", b"<div title='<'>" * 5_000 + b"<p>line 9 ")), reason="nested too deep"),
    case("a charset that nobody knows", PAGE_COMES, typed(b"text/html; charset=x-klingon")),
    case("a charset in quotes", PAGE_COMES, typed(b'text/html; charset="utf-8"')),
    case("utf8 without a hyphen", PAGE_COMES, typed(b"text/html; charset=utf8")),
    case("a charset named twice", PAGE_COMES, typed(b"text/html; charset=utf-8; charset=iso-8859-1")),
    case("Latin-1 that is named", PAGE_COMES,
         typed(b"text/html; charset=iso-8859-1", PAGE.decode().encode("latin-1"))),
    case("Latin-1 that nobody names", PAGE_COMES, typed(b"text/html", PAGE.decode().encode("latin-1"))),
    case("UTF-16 with its mark", PAGE_COMES, typed(b"text/html", PAGE.decode().encode("utf-16"))),
    case("UTF-8 with its mark, named otherwise", PAGE_COMES,
         typed(b"text/html; charset=iso-8859-1", b"\xef\xbb\xbf" + PAGE)),
]  # fmt: skip

TAKEN_IN_HALF = [
    case(f"{name}, where half pages are taken", FLAGGED, *pieces, half=True, reason="taken though", tls=tls)
    for name, tls, pieces in (
        ("a length larger than the body", False, (OK + b"Content-Length: 9999\r\n\r\n" + HALF, Then.CLOSE)),
        ("no length, and a reset", False, (OK + b"\r\n" + HALF, Then.RESET)),
        ("TLS, no length, no goodbye", True, (OK + b"\r\n" + HALF, Then.CLOSE)),
        ("chunks without a last one", False, (CHUNKED + chunks(HALF, last=b""), Then.CLOSE)),
        ("gzip that ends in the middle", False, (coded(b"gzip", half(GZIP)),)),
        ("deflate that ends in the middle", False, (coded(b"deflate", half(ZLIB)),)),
        ("br that ends in the middle", False, (coded(b"br", half(BROTLI)),)),
        ("206 with a part", False, (status(b"206 Partial", HALF, b"Content-Range: bytes 0-9/99\r\n"),)),
    )
]  # fmt: skip
