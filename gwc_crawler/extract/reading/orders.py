"""Messages between the first process of a crawl and its reading processes: values in msgpack, no code.

A message is its length (4 bytes, the highest first) and a `ReadPlan` or an `Order` one way, a `ReadAnswer` back.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, replace
from typing import Any

import msgspec

from gwc_crawler.extract.condenser import Condenser
from gwc_crawler.items import Page, Record, RejectionReason
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.page.reader import ReadOptions
from gwc_crawler.store.kept_files import FileChoice

LENGTH_BYTES = 4
TOGETHER_BYTES = 1 << 18
"""Bytes that go from process to process at a time: a sending wakes the other one. What is left to read or to write is
sent without waiting for more."""


class ReadPlan(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """The plan by which pages are read from now on: all arguments of a crawl's own reader.

    `knowledge` is the text of a knowledge file. `makes_records`: the site has fields; `signs`: all pages need
    signatures, not only those with a record. `collect_after`: see GWC_GC_THRESHOLD.
    """

    knowledge: bytes
    sites: tuple[str, ...]
    options: ReadOptions
    files: FileChoice
    condenser: Condenser
    makes_records: bool
    signs: bool
    collect_after: int = 0


class Order(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A page to be read; `fetched_at`: epoch seconds."""

    number: int
    url: str
    status: int
    content_type: str
    fetched_at: float
    body: bytes


class ReadAnswer(msgspec.Struct, array_like=True):
    """The result of reading a page. `number` 0: the process is ready for its first order. Without `page` it failed: the
    caller has to read the page. That comes without body, tree and the links that are followed: `admitted` are their
    places in its `links`. `left_out` are the links that look like traps.
    """

    number: int
    page: Page | None = None
    admitted: list[int] = []  # msgspec copies it
    record: Record | None = None
    signature: int | None = None
    mark: int | None = None
    stripped_html: str = ""
    abstract: str = ""
    left_out: list[tuple[RejectionReason, str]] = []

    def whole_page(self, body: bytes) -> Page:
        """Return the page that was read of *body*, without a tree."""
        page = self.page
        assert page is not None
        page.body, page.admitted = body, tuple([page.links[place] for place in self.admitted])
        return page


def plan_of(
    knowledge: Knowledge,
    sites: Collection[str],
    options: ReadOptions,
    files: FileChoice,
    condenser: Condenser,
    *,
    makes_records: bool,
    signs: bool,
    collect_after: int = 0,
) -> ReadPlan:
    """Return the plan by which a page is read as by `PageReader(knowledge, sites, options)` and *condenser*."""
    told = json.dumps(asdict(knowledge), ensure_ascii=True).encode()
    options = replace(options, follows_file=None)
    return ReadPlan(told, tuple(sites), options, files, condenser, makes_records, signs, collect_after)


def framed(encoder: msgspec.msgpack.Encoder, message: Any) -> bytearray:
    """Return a message as it goes over the socket; UnicodeError, OverflowError, TypeError: it can't be written."""
    frame = bytearray(LENGTH_BYTES)
    encoder.encode_into(message, frame, LENGTH_BYTES)
    frame[:LENGTH_BYTES] = (len(frame) - LENGTH_BYTES).to_bytes(LENGTH_BYTES, "big")
    return frame


class Frames:
    """Bytes as they come from a socket → whole messages."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[Any]) -> None:
        self._decoder = decoder
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Any]:
        """Take received bytes; return the messages that are complete now; msgspec.DecodeError: they are none."""
        buffer = self._buffer
        buffer += data
        messages, start = [], 0
        with memoryview(buffer) as view:
            while len(buffer) - start >= LENGTH_BYTES:
                begin = start + LENGTH_BYTES
                end = begin + int.from_bytes(view[start:begin], "big")
                if end > len(buffer):
                    break
                with view[begin:end] as part:
                    messages.append(self._decoder.decode(part))
                start = end
        del buffer[:start]
        return messages
