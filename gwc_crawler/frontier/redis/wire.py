"""The format in which RedisFrontier and its scripts talk: compact byte strings, nothing that could run as code.

A URL is named by the first 8 bytes of its MD5 (`Lease.url_id` is the same as a signed int). The text of a URL is sent
once, when a worker doesn't know whether the server has it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any

from gwc_crawler.frontier.admission import CUT_AT_ONCE, LIMIT, LIMIT_KINDS, OVER_TEXT, WHOLE_SITE, PageLimits
from gwc_crawler.frontier.order import LEASES_LOST, SUSPECT_AFTER_LOSSES, SUSPECT_GROUP, SUSPECT_SPACING_SECONDS, TURN
from gwc_crawler.frontier.protocol import DROPPED, UrlInfo
from gwc_crawler.frontier.queues import MOST_PARTS
from gwc_crawler.items import Done, Lease, Link, PageKind, UrlState
from gwc_crawler.store.redis_server import Lua
from gwc_crawler.urls import host_of

KIND_CODES = {
    PageKind.TARGET: 1,
    PageKind.DIRECTORY: 2,
    PageKind.INDEX: 3,
    PageKind.INFORMATION: 4,
    PageKind.LOOKALIKE: 5,
    PageKind.MISSING: 6,
    PageKind.BINARY: 7,
    PageKind.REDIRECT: 8,
    PageKind.CONTINUATION: 9,
    PageKind.SITEMAP: 10,
    PageKind.ALIAS: 11,
}
"""Codes under which Redis stores kinds, so never to be changed; 0 stands for "no kind"."""

KINDS = {code: kind for kind, code in KIND_CODES.items()}

SEEN = "N"  # the letter of a URL that was seen in a link and is in no state
_TEXT = struct.Struct("<8sHI")  # name, place, length; the text comes after it
_LINK = struct.Struct("<8sII")  # name, weight, depth

_DONE = struct.Struct("<8s8sdBBBI")
"""Name of the leased URL, name of the page, token, kind, relevant, unread, the weight that its worker assumed."""

_LEASE = struct.Struct("<8sd")  # name, token

STORED = struct.Struct("<HHIII8s")
"""The row before a URL's text in Redis: attempts, losses, times of entry and end, queue, key of its parent."""

WAY = struct.Struct("<HI")  # the row of a link in Redis that robots.txt keeps out: weight, depth
LINKS_A_CALL = 1000  # a script runs alone: this many links, keys or hosts take Redis some 10 ms
MOST_WEIGHT = 0xFFFF  # a greater weight of such a link is kept as this

REVISIT = struct.Struct("<dddddqIIBB")
"""The row of a page in Redis, before its ETag and date: times of check, due, change and loss; interval, signature,
checks, changes, kind, relevant."""

LUA_FORMATS = (("I", "I4"), ("H", "I2"), ("q", "i8"), ("8s", "c8"))  # codes of Python's struct, and of Lua's


def lua_format(row: struct.Struct) -> str:
    """Write the format of *row* as Lua's struct.pack has it.

    >>> lua_format(_DONE)
    '<c8c8dBBBI4'
    """
    text = row.format
    for code, lua in LUA_FORMATS:
        text = text.replace(code, lua)
    return text


HASHES = "values urls held parts owners leased covers reasons refused hosts others revisits pages aliases metas board"
TYPES = dict.fromkeys((f":{one}" for one in HASHES.split()), "hash")
TYPES |= dict.fromkeys((":later", ":rests", ":until"), "zset")
"""Ends of keys behind the queue's name → their type; keys of single queues and parts are left out."""

LUA = Lua(
    "gwc_crawler.frontier.redis",
    prelude=("common", "order", "queues", "owners", "states", "ways"),
    types=TYPES,
    constants={
        "STATES": [SEEN, *UrlState],
        "ALIAS": KIND_CODES[PageKind.ALIAS],
        "REDIRECT": KIND_CODES[PageKind.REDIRECT],
        "SITEMAP": KIND_CODES[PageKind.SITEMAP],
        "TURN": TURN,
        "MOST_PARTS": MOST_PARTS,
        "DROPPED": DROPPED,
        "LEASES_LOST": LEASES_LOST,
        "SUSPECT_AFTER_LOSSES": SUSPECT_AFTER_LOSSES,
        "SUSPECT_GROUP": SUSPECT_GROUP,
        "SUSPECT_SPACING_SECONDS": SUSPECT_SPACING_SECONDS,
        "LIMIT": LIMIT,
        "LIMIT_KINDS": [{"name": kind.name, "setting": kind.setting} for kind in LIMIT_KINDS],
        "OVER_TEXT": OVER_TEXT,
        "WHOLE_SITE": WHOLE_SITE,
        "CUT_AT_ONCE": CUT_AT_ONCE,
        "TEXT_ROW": lua_format(_TEXT),
        "LINK_ROW": lua_format(_LINK),
        "DONE_ROW": lua_format(_DONE),
        "LEASE_ROW": lua_format(_LEASE),
        "STORED_ROW": lua_format(STORED),
        "MOST_WEIGHT": MOST_WEIGHT,
        "WAY_ROW": lua_format(WAY),
        "REVISIT_ROW": lua_format(REVISIT),
    },
    common=("now", "max_weight", "keeps_texts"),
    arguments={
        "add": ("texts", "links"),
        "ask": ("what", "parts", "keys", "with_way"),
        "complete": ("owner", "texts", "places", "aliases"),
        "cover": ("lease", "owner", "place", "url", "key"),
        "end": ("how", "leases", "reason", "time", "revisit"),
        "stats": ("what", "keys", "host"),
        "lease": (
            *("most", "owner", "lease_seconds", "max_lost", "run_id", "limits"),
            *("parts", "queue_lease", "under_way"),
        ),
        "move": ("how", "keys", "states", "first_interval", "least_interval", "fetched_before"),
        "pause": ("place", "time"),
        "refused": (),
        "stand_in": ("alias", "main"),
    },
)
"""The common beginning of all scripts of the frontier, each part building on those before it; each one's arguments."""


def key_of(url: str) -> bytes:
    """Return the 8 bytes that name *url*."""
    return md5(url.encode(), usedforsecurity=False).digest()[:8]


def key_of_lease(lease: Lease) -> bytes:
    """Return the 8 bytes that name the leased URL."""
    return lease.url_id.to_bytes(8, "big", signed=True)


@dataclass(slots=True)
class Texts:
    """URLs sent with their texts, and their places: "PART NAME" of the queue each belongs to."""

    place_of: Callable[[str], str]
    blob: bytearray = field(default_factory=bytearray)
    places: dict[str, int] = field(default_factory=dict)

    def add(self, url: str, key: bytes) -> None:
        """Send the text of *url*."""
        place = self.places.setdefault(self.place_of(url), len(self.places))
        text = url.encode()
        self.blob += _TEXT.pack(key, place, len(text))
        self.blob += text


def pack_links(links: Iterable[Link], texts: Texts) -> bytes:
    """Return links with their weights; all their texts go along."""
    blob = bytearray()
    for link in links:
        key = key_of(link.url)
        texts.add(link.url, key)
        blob += _LINK.pack(key, link.weight, link.depth)
    return bytes(blob)


def pack_done(done: Done, weight: int) -> bytes:
    """Return a finished page, with the *weight* that its worker takes it to have."""
    lease = done.lease
    leased = key_of_lease(lease)
    page = leased if done.url == lease.url else key_of(done.url)
    return _DONE.pack(leased, page, lease.token, KIND_CODES[done.kind], done.relevant, done.unread, weight)


def pack_leases(leases: Iterable[Lease]) -> bytes:
    """Return which leases are meant: URL and token."""
    return b"".join(_LEASE.pack(key_of_lease(lease), lease.token) for lease in leases)


def pack_limits(limits: PageLimits) -> str:
    """Return how many pages there may be, by kind of limit; "" for no limit."""
    return json.dumps({kind.name: most for kind, most in limits.set()}) if limits else ""


def read_lease(row: Sequence[Any], owner: str, expires_at: float) -> Lease:
    """Return a row of lua/lease.lua."""
    key, url, weight, depth, attempts, token = row[:6]
    return Lease(
        url.decode(), int.from_bytes(key, "big", signed=True), weight, depth, attempts, owner, token, expires_at
    )


def read_info(row: Sequence[Any], url: str = "") -> UrlInfo | None:
    """Return a row of lua/ask.lua; *url* where the text is not kept any more. None for a URL that was never seen."""
    if not row:
        return None
    letter, kind, weight, depth, attempts, lost, reason, owner, until, due, added, done, text, way = row
    url = text.decode() or url
    ended = letter in (b"C", b"E")
    return UrlInfo(
        url=url,
        state=None if letter == SEEN.encode() else UrlState(letter.decode()),
        kind=KINDS.get(kind),
        weight=weight,
        depth=depth,
        attempts=attempts,
        lost=lost,
        reason=reason.decode() or None,
        host=host_of(url),
        owner=owner.decode() or None,
        lease_until=float(until) if until else None,
        due_at=float(due) if due else None,
        added_at=float(added) if added else None,
        done_at=float(done) if done and ended else None,
        through=tuple((page.decode(), page_weight) for page, page_weight in zip(way[::2], way[1::2], strict=True)),
    )


def urls_brought(page: str, urls: Iterable[str], brought: bytes) -> list[str]:
    """Return the *urls* that *page* was the first to bring, according to a blob of (md5 of a page, md5)."""
    if not brought:
        return []
    key = key_of(page)
    own = {brought[at + 8 : at + 16] for at in range(0, len(brought), 16) if brought[at : at + 8] == key}
    return [url for url in urls if key_of(url) in own] if own else []
