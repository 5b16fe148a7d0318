"""HTTP/1.1 on the wire: requests that can't be broken out of, answers read as forgivingly as browsers do."""

from __future__ import annotations

import pytest

from gwc_crawler.errors import WireError
from gwc_crawler.network.wire import Body, ChunkedBody, Ending, body_of, read_head, request_message

HOST = (b"Host", b"example.com")


def test_a_request_is_what_the_standard_says() -> None:
    message = request_message("GET", "/a?b=c", [HOST, (b"Accept", b"*/*")])
    assert message == b"GET /a?b=c HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\r\n"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_method_that_may_have_a_body_says_its_length(method: str) -> None:
    assert b"Content-Length: 3\r\n\r\nabc" in request_message(method, "/", [HOST], b"abc")
    assert request_message(method, "/", [HOST]).endswith(b"Content-Length: 0\r\n\r\n")


@pytest.mark.parametrize("target", ["/a b", "/a\r\nX: y", "/é", "/\x7f", "/\t"])
def test_a_target_cannot_break_out_of_its_line(target: str) -> None:
    with pytest.raises(ValueError, match="target"):
        request_message("GET", target, [HOST])


@pytest.mark.parametrize("value", [b"a\r\nX: y", b"a\nX: y", b"a\rb", b"\0"])
def test_a_header_cannot_break_out_of_its_line(value: bytes) -> None:
    with pytest.raises(ValueError, match="line break"):
        request_message("GET", "/", [HOST, (b"X", value)])
    with pytest.raises(ValueError, match="line break"):
        request_message("GET", "/", [HOST, (value, b"x")])


def test_a_head_is_read() -> None:
    head = read_head(b"HTTP/1.1 404 Not Found\r\nServer: x\r\nSet-Cookie: a\r\nset-cookie: b\r\nContent-Length: 5\r")
    assert (head.status, head.protocol, head.length, head.chunked, head.keeps_alive) == (
        404,
        "HTTP/1.1",
        5,
        False,
        True,
    )
    assert head.headers == [(b"Server", b"x"), (b"Set-Cookie", b"a"), (b"set-cookie", b"b"), (b"Content-Length", b"5")]


@pytest.mark.parametrize(
    ("block", "headers"),
    [
        (b"HTTP/1.1 200\r\nA: 1\r", [(b"A", b"1")]),
        (b"HTTP/1.1 200 \r\nA: 1\r", [(b"A", b"1")]),
        (b"HTTP/1.1 200 \xe9t\xe9\nA: 1\nB:2", [(b"A", b"1"), (b"B", b"2")]),
        (b"HTTP/1.1 200 OK\r\nno colon here\r\nA: 1\r", [(b"A", b"1")]),
        (b"HTTP/1.1 200 OK\r\nA: 1\r\n  2\r\n\t3\r\nB:\r", [(b"A", b"1 2 3"), (b"B", b"")]),
        (b"HTTP/1.1 200 OK\r\n folded onto nothing\r\nA : 1\r", [(b"A", b"1")]),
        (b"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nUpgrade: h2c\r\nA: x:y\r", [(b"A", b"x:y")]),
    ],
)
def test_odd_heads_are_read_as_browsers_do(block: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    head = read_head(block)
    assert (head.status, head.headers) == (200, headers)


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"<html>\r",
        b"HTTP/1.1 OK\r",
        b"HTTP/1.1 20x OK\r",
        b"HTTP/1.1 2000 OK\r",
        b"SSH-2.0-OpenSSH\r",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"5" * 5_000 + b"\r",
        b"HTTP/1.1 000 OK\r\nContent-Length: 5\r",
        b"HTTP/1.1 200 OK\r\nContent-Length: five\r",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5,\r",
    ],
)
def test_what_leaves_the_end_of_the_body_in_doubt_is_refused(block: bytes) -> None:
    with pytest.raises(WireError):
        read_head(block)


@pytest.mark.parametrize("lengths", [b"Content-Length: 7, 7\r", b"Content-Length: 7\r\ncontent-length: 07\r"])
def test_a_length_may_be_said_twice(lengths: bytes) -> None:
    assert read_head(b"HTTP/1.1 200 OK\r\n" + lengths).length == 7


@pytest.mark.parametrize("more", [b"", b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: identity\r\n"])
def test_chunked_wins_over_a_length(more: bytes) -> None:
    head = read_head(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n" + more + b"Transfer-Encoding: Chunked\r")
    assert (head.chunked, head.length) == (True, None)


@pytest.mark.parametrize(
    ("status_line", "connection", "kept"),
    [
        (b"HTTP/1.1 200 OK", b"", True),
        (b"HTTP/1.1 200 OK", b"Connection: Close", False),
        (b"HTTP/1.1 200 OK", b"Connection: keep-alive, close", False),
        (b"HTTP/1.0 200 OK", b"", False),
    ],
)
def test_whether_the_connection_lives_on(status_line: bytes, connection: bytes, kept: bool) -> None:
    assert read_head(status_line + b"\r\n" + connection).keeps_alive is kept


def test_heads_without_a_body() -> None:
    assert body_of(read_head(b"HTTP/1.1 200 OK\nContent-Length: 5"), bodiless=True).is_complete
    for status in (b"204", b"304"):
        assert body_of(read_head(b"HTTP/1.1 " + status + b" -\nContent-Length: 5"), bodiless=False).is_complete
    assert body_of(read_head(b"HTTP/1.1 200 OK\nContent-Length: 0"), bodiless=False).is_complete


def test_a_body_of_known_length() -> None:
    body = Body(5)
    assert body.take(b"ab") == b""
    assert (body.is_complete, body.ending) == (False, Ending.CUT)
    assert body.take(b"cdeHTTP") == b"HTTP"
    assert (body.content, body.size, body.ending) == (b"abcde", 5, Ending.COMPLETE)


def test_a_body_of_unknown_length_ends_with_the_connection() -> None:
    body = Body(None)
    assert body.take(b"ab") == body.take(b"c") == b""
    assert (body.content, body.is_complete, body.ending) == (b"abc", False, Ending.OPEN)


CHUNKS = b"3\r\nabc\r\nA;name=value\r\n0123\r\n6789\r\n1 \nx\n0\r\nTrailer: t\r\n\r\n"


@pytest.mark.parametrize("step", [1, 2, 3, 7, 100])
def test_chunks_come_in_pieces_of_any_size(step: int) -> None:
    body = ChunkedBody()
    data = CHUNKS + b"HTTP"
    left = b"".join(body.take(data[place : place + step]) for place in range(0, len(CHUNKS), step))
    assert (body.content, body.ending) == (b"abc0123\r\n6789x", Ending.COMPLETE)
    assert b"HTTP".startswith(left)


def test_chunks_without_the_last_one_are_cut_off() -> None:
    body = ChunkedBody()
    body.take(CHUNKS[: CHUNKS.rindex(b"0\r\nTrailer") + 1])
    assert (body.is_complete, body.ending) == (False, Ending.CUT)


def test_the_last_chunk_ends_a_body_whose_trailers_do_not() -> None:
    body = ChunkedBody()
    body.take(CHUNKS[:-3])
    assert (body.is_complete, body.ending) == (False, Ending.COMPLETE)


def test_what_came_before_a_bad_chunk_is_kept() -> None:
    body = ChunkedBody()
    with pytest.raises(WireError):
        body.take(b"3\r\nabc\r\n1\r\nd\r\nx\r\n")
    assert (body.content, body.size, body.ending) == (b"abcd", 4, Ending.CUT)


@pytest.mark.parametrize(
    "data",
    [
        b"x\r\n",
        b"-1\r\n",
        b"0x5\r\n",
        b"\r\n3\r\n",
        b"3\r\nabcd\r\n",
        b"1" * 5000,
        b"\r\n\r\n",
        b"0\r\n" + b"Trailer: t\r\n" * 5000,
    ],
)
def test_what_is_no_chunk_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        ChunkedBody().take(data)
