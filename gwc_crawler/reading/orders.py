"""What goes between the first process of a crawl and those that read for it: values in msgpack, no code.

A message is its length (4 bytes, the highest first) and a `ReadPlan` or an `Order` one way, an `ReadAnswer` the other.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

import msgspec

from gwc_crawler.files import FileChoice
from gwc_crawler.items import Page, PageKind, Record, RejectionReason
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.page import ReadOptions, SitemapLimits, StripOptions, UrlLimits
from gwc_crawler.reading.condensing import Condenser

LENGTH_BYTES = 4


class ReadPlan(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """How pages are read from now on: all that a crawl's own reader is made with.

    `knowledge` is the text of a knowledge file. `makes_records`: the site has fields; `signs`: signatures are wanted of
    all pages, not only of those with a record. `collect_after`: see GWC_GC_THRESHOLD.
    """

    knowledge: bytes
    sites: tuple[str, ...]
    limits: UrlLimits
    sitemaps: SitemapLimits | None
    form_links: int
    obey_nofollow: bool
    cached_links: int
    files: FileChoice
    strip: Strip
    main: MainText
    groups: StripOptions
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
    """What was read. `number` 0: the process is ready for its first order; not `is_read`: it can't say, so whoever
    asked has to read the page. `admitted` are places in `links`; `left_out` the links that look like traps."""

    number: int
    is_read: bool = False
    url: str = ""
    charset: str = ""
    kind: PageKind = PageKind.BINARY
    relevant: bool = False
    title: str = ""
    text: str = ""
    links: list[str] = []  # msgspec copies it
    admitted: list[int] = []
    outside: list[str] = []
    flaws: list[str] = []
    sitemaps: list[str] = []
    listed: dict[str, float | None] = {}
    record: Record | None = None
    signature: int | None = None
    mark: int | None = None
    stripped_html: str = ""
    abstract: str = ""
    left_out: list[tuple[RejectionReason, str]] = []
    canonical: str = ""

    def page(self, status: int, content_type: str, body: bytes) -> Page:
        """Return the page that this was read of; it has no tree."""
        links = self.links
        return Page(
            self.url,
            status,
            body,
            content_type,
            self.charset,
            self.kind,
            self.relevant,
            self.title,
            self.text,
            tuple(links),
            tuple([links[place] for place in self.admitted]),
            tuple(self.outside),
            None,
            tuple(self.flaws),
            tuple(self.sitemaps),
            self.listed,
            self.canonical,
        )


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
    """Return the plan by which a page is read as by `PageReader(knowledge, sites, options)` and *condenser*.

    Of *options* a plan has no keywords, which stand in the knowledge, and nothing that only a pre-crawl needs.
    """
    return ReadPlan(
        knowledge=json.dumps(asdict(knowledge), ensure_ascii=True).encode(),
        sites=tuple(sites),
        limits=options.limits,
        sitemaps=options.sitemaps,
        form_links=options.form_links,
        obey_nofollow=options.obey_nofollow,
        cached_links=options.cached_links,
        files=files,
        strip=condenser.which,
        main=condenser.main,
        groups=condenser.groups,
        makes_records=makes_records,
        signs=signs,
        collect_after=collect_after,
    )


def framed(encoder: msgspec.msgpack.Encoder, message: Any) -> bytearray:
    """Return a message as it goes over the socket.

    Raises:
        UnicodeError, OverflowError, TypeError: it has a text or number that can't be written.
    """
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
        """Take what came; returns the messages that are whole now.

        Raises:
            msgspec.DecodeError: these are no such messages.
        """
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
