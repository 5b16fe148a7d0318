"""Bodies as servers compress them: whole ones are read, those that break off are told, whatever the coding."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd

from gwc_crawler.errors import TooLargeError, WireError
from gwc_crawler.network.wire import MAX_STREAMS, codings_of, decode

PAGE = b"<html>" + b"".join(b"<p>line %d</p>" % number for number in range(5_000)) + b"</html>"
LIMIT = 1_000_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "deflate without its frame": raw_deflate,
    "br": lambda data: brotli.compress(data, quality=3),
    "zstd": zstd.compress,
}

every_coding = pytest.mark.parametrize("name", PACKERS)


def packed(name: str, data: bytes = PAGE) -> tuple[bytes, list[bytes]]:
    return PACKERS[name](data), [name.split()[0].encode()]


@every_coding
@pytest.mark.parametrize("limit", [0, len(PAGE), LIMIT])
def test_a_whole_body_is_read(name: str, limit: int) -> None:
    assert decode(*packed(name), limit).body == PAGE
    assert not decode(*packed(name), limit).cut
    assert decode(*packed(name, b"x"), limit).body == b"x"


@every_coding
def test_a_body_that_breaks_off_anywhere_is_cut(name: str) -> None:
    body, codings = packed(name)
    for size in (*range(2 if "gzip" in name else 4, 60), len(body) // 2, *range(len(body) - 20, len(body))):
        decoded = decode(body[:size], codings, LIMIT)
        assert decoded.cut, size
        assert PAGE.startswith(decoded.body)


@every_coding
def test_what_stands_behind_the_end_is_ignored(name: str) -> None:
    body, codings = packed(name)
    for rubbish in (b"\0", b"\r\n", b"<!-- served by x -->", b"\xff" * 1_000):
        decoded = decode(body + rubbish, codings, LIMIT)
        assert (decoded.body, decoded.cut) == (PAGE, False), rubbish


@every_coding
def test_a_bomb_stops_at_the_limit(name: str) -> None:
    body, codings = packed(name, bytes(16_000_000))
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        decode(body, codings, LIMIT)
    assert tracemalloc.get_traced_memory()[1] < 8 * LIMIT
    tracemalloc.stop()
    with pytest.raises(TooLargeError):
        decode(*packed(name), len(PAGE) - 1)


def test_a_bomb_in_a_bomb_stops_at_the_limit() -> None:
    inner = gzip.compress(bytes(16_000_000))
    with pytest.raises(TooLargeError):
        decode(brotli.compress(inner), [b"gzip", b"br"], LIMIT)


def test_several_codings_are_undone_from_the_last() -> None:
    assert codings_of([b"gzip, BR", b" zstd ,identity"]) == [b"gzip", b"br", b"zstd"]
    body = zstd.compress(brotli.compress(gzip.compress(PAGE)))
    assert decode(body, [b"gzip", b"br", b"zstd"], LIMIT).body == PAGE
    assert decode(brotli.compress(gzip.compress(PAGE)[:-9]), [b"gzip", b"br"], LIMIT).cut


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_several_streams_are_one_body(name: str) -> None:
    pack = PACKERS[name]
    codings = [name.encode()]
    assert decode(pack(PAGE[:99]) + pack(b"") + pack(PAGE[99:]), codings, LIMIT).body == PAGE
    assert decode(pack(PAGE[:99]) + pack(PAGE[99:])[:-1], codings, LIMIT).cut
    assert decode(pack(b"x") * (MAX_STREAMS + 1), codings, LIMIT).cut


def test_a_wrong_checksum_tells_of_damage() -> None:
    body = gzip.compress(PAGE)
    for coding, damaged in (
        (b"gzip", body[:-8] + b"\0\0\0\0" + body[-4:]),
        (b"gzip", body[:-4] + b"\0\0\0\0"),
        (b"deflate", zlib.compress(PAGE)[:-4] + b"\0\0\0\0"),
    ):
        decoded = decode(damaged, [coding], LIMIT)
        assert (decoded.body, decoded.cut) == (PAGE, True)


def test_a_stream_damaged_in_the_middle_is_cut() -> None:
    body = bytearray(gzip.compress(PAGE))
    body[len(body) // 2 : len(body) // 2 + 8] = b"\xff" * 8
    decoded = decode(bytes(body), [b"gzip"], LIMIT)
    assert decoded.cut
    assert decoded.body[:1000] == PAGE[:1000]


@every_coding
def test_a_page_that_is_not_compressed_at_all_is_taken_as_it_is(name: str) -> None:
    _, codings = packed(name)
    for page in (PAGE, b"\xef\xbb\xbf\n " + PAGE):
        assert decode(page, codings, LIMIT) == decode(page, [b"utf-8"], LIMIT)
        assert decode(page, codings, LIMIT).body == page
    assert decode(b"", codings, LIMIT).body == b""


@pytest.mark.parametrize("coding", [b"gzip", b"zstd", b"compress", b"br"])
def test_rubbish_is_an_error(coding: bytes) -> None:
    with pytest.raises(WireError, match=coding.decode()):
        decode(b"\xff\xfe\x01" * 100, [coding], LIMIT)


def test_a_window_beyond_what_browsers_allow_is_refused() -> None:
    packer = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    body = packer.compress(PAGE) + packer.flush()
    with pytest.raises(WireError, match="zstd"):
        decode(body, [b"zstd"], LIMIT)


@pytest.mark.parametrize("coding", [b"gzip", b"zstd"])
def test_a_stream_that_ends_at_the_limit_opens_no_way_for_the_next_one(coding: bytes) -> None:
    """A decoder that is asked for no bytes more would give all that there are."""
    pack = gzip.compress if coding == b"gzip" else zstd.compress
    with pytest.raises(TooLargeError) as caught:
        decode(pack(b"x" * 1_001) + pack(b"y" * 10_000_000), [coding], 1_000)
    assert caught.value.size == 1_001
