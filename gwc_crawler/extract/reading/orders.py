"""Messages between the first process of a crawl and its reading processes: values in msgpack, no code.

A message is its length (4 bytes, the highest first) and a `ReadPlan` or an `Order` one way, a `ReadAnswer` back.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import msgspec
from lxml import etree

from gwc_crawler.extract.nodes import LONGEST_LINE
from gwc_crawler.items import Page, PageKind, Record, RejectionReason
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.page.reader import ReadOptions
from gwc_crawler.page.strip import ALL_GROUPS, StripOptions, strip_tree
from gwc_crawler.page.text import fold
from gwc_crawler.store.kept_files import FileChoice

# --- Tree → the main text of a page to read, without menus, sidebars and footers. The strip pipeline uses it ----------

LONGEST = 2_000_000  # characters of HTML; a longer page is a list or a dump, and is stored with all its text

PARAGRAPHS = 100  # paragraphs that are looked at: the main text does not begin later


def lead_of(tree: Any) -> str:
    """Return the first paragraph of a parsed page that is text and no list of links; "" if there is none."""
    for paragraph in islice(tree.iter("p"), PARAGRAPHS):
        is_plain = not len(paragraph)  # most are, and need no walk
        text = fold((paragraph.text or "") if is_plain else "".join(paragraph.itertext()))
        if len(text) > LONGEST_LINE:  # a shorter one is a label or a caption
            linked = 0 if is_plain else sum(len("".join(link.itertext())) for link in paragraph.iter("a"))
            if 2 * linked < len(text):
                return text
    return ""


def main_text(tree: Any) -> str:
    """Return the main text of a parsed page with folded white space; "" if no text stands out."""
    from resiliparse.extract.html2text import extract_plain_text  # a crawl without information pages never needs it

    html = etree.tostring(tree, encoding="unicode", method="html", with_tail=False)
    if len(html) > LONGEST:
        return ""
    text = extract_plain_text(
        html, main_content=True, alt_texts=False, links=False, form_fields=False, noscript=False, comments=False
    )
    return fold(text)


# --- The last use of the parse tree: the page's main text, and its HTML without parts that carry no content -----------

ABSTRACT_CHARACTERS = 200

MAIN_TEXT_KINDS = {
    MainText.INFORMATION: frozenset({PageKind.INFORMATION}),
    MainText.TARGETS: frozenset({PageKind.INFORMATION, PageKind.TARGET, PageKind.LOOKALIKE, PageKind.ALIAS}),
    MainText.NONE: frozenset[PageKind](),
}
"""GWC_MAIN_TEXT → the kinds of pages whose main text is extracted."""

LED = frozenset({PageKind.TARGET, PageKind.LOOKALIKE, PageKind.ALIAS})
"""Kinds of pages whose abstract is their first paragraph, if their main text is not extracted."""


@dataclass(frozen=True, slots=True)
class Condenser:
    """Finds the main text of a page, and removes the tags that carry no content (TagStrip, algorithm 1)."""

    which: Strip
    main: MainText = MainText.INFORMATION
    groups: StripOptions = ALL_GROUPS

    def condense(self, page: Page) -> tuple[str, str]:
        """Return a page's stripped HTML and its abstract, and let its tree go; its text is the main one from now on."""
        stripped, lead = "", ""
        if page.tree is not None:
            if page.kind in MAIN_TEXT_KINDS[self.main]:
                page.text = main_text(page.tree) or page.text
            elif page.kind in LED:
                lead = lead_of(page.tree)
            if self.which is Strip.ALL or (self.which is Strip.TARGETS and page.kind is PageKind.TARGET):
                stripped = strip_tree(page.tree, self.groups)
            page.tree = None
        return stripped, (lead or page.text)[:ABSTRACT_CHARACTERS]


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
