"""The lists that a site has of itself: sitemaps and their index files, RSS and Atom feeds, lists of URLs, robots.txt.

Nothing is ever raised, and the amount read is bounded: a broken file gives as many URLs as possible."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree

from gwc_crawler.page.charset import decode_bytes, detect_charset

DEFAULT_SITEMAP = "/sitemap.xml"  # the place of a sitemap if robots.txt names none

MORE_URLS = "the sitemap lists more than %d URLs, and no more are read (GWC_SITEMAP_URLS)"

NAMED_SITEMAPS = 1_000  # maximum number of `Sitemap:` lines of one robots.txt that count

_GZIP = b"\x1f\x8b"
_CHUNK = 65_536
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_NAMED = re.compile(r"^[ \t\ufeff]*site-?map[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_FIRST_TAG = re.compile(
    rb"(?:\s++|\xef\xbb\xbf|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*+(?:\[.*?\]\s*+)?>)*+<([A-Za-z_][\w.:-]*+)",
    re.IGNORECASE | re.DOTALL,
)
_ROOTS = frozenset({b"urlset", b"sitemapindex", b"rss", b"feed", b"rdf"})
_BURIED = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?(?:urlset|sitemapindex|rss|feed)[\s>]", re.IGNORECASE)
"""Matches a list behind other text: often output that a server put before it, such as a notice of PHP's."""
_OF_PAGE = re.compile(rb"<(?:!DOCTYPE\s+html|html|head|body|svg)\b", re.IGNORECASE)
"""Matches signs that a list, if there is one, is part of a page or of a picture."""
_DECLARATION = re.compile(rb"<\?xml\s[^<>]*\?>")
_END = re.compile(rb"</(?:[A-Za-z_][\w.-]*:)?(?:urlset|sitemapindex|rss|feed|rdf)\s*>", re.IGNORECASE)
CUT = "the sitemap is cut off: what it would list behind its last entry is not known"
EMPTY = "the sitemap lists nothing"
_LOOSE_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|&(?!(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);)", re.DOTALL
)
"""An & of a URL that should have been written &amp;, and every reference to an entity that a file defines itself."""
_URL_LINE = re.compile(r"https?://\S+", re.IGNORECASE)
_W3C_DATE = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*(Z|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SitemapLimits:
    """How much of sitemaps is read: bytes of a file when unpacked, its URLs, index files that lead to one another,
    files in one run. The first two defaults are the protocol's own (sitemaps.org).
    """

    unpacked_bytes: int = 52_428_800
    urls: int = 50_000
    levels: int = 3
    files: int = 1_000


@dataclass(frozen=True, slots=True)
class Listed:
    """A URL as it is written, and the time of its last change (epoch seconds), if known."""

    url: str
    changed_at: float | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The entries of one file: pages, further files; `flaw` says why they may not be all."""

    pages: tuple[Listed, ...] = ()
    sitemaps: tuple[Listed, ...] = ()
    flaw: str = ""


def read_sitemap(url: str, body: bytes, content_type: str, limits: SitemapLimits) -> Sitemap | None:
    """Read a list of URLs: `urlset`, `sitemapindex`, RSS, Atom, RDF, a URL a line, robots.txt; each may be gzipped.

    Returns None for other files, above all pages.
    Cost: some 20 µs a URL; a look at the first tag for other files.

    Source:
        sitemaps.org, protocol 0.9. Real files have loose ampersands, wrong charsets, no namespace or text before the
        declaration; all of it is read here.

    >>> read_sitemap("http://a.example/s.xml", b"<urlset><url><loc>/a?b=1&c=2</loc></url></urlset>", "text/xml",
    ...              SitemapLimits()).pages
    (Listed(url='/a?b=1&c=2', changed_at=None),)
    """
    if urlsplit(url).path == "/robots.txt" and "html" not in content_type:
        return Sitemap(sitemaps=tuple(Listed(one) for one in sitemaps_named(body, url)))
    is_cut = False
    if body.startswith(_GZIP):
        body, is_cut = _unpacked(body, limits.unpacked_bytes)
    elif len(body) > limits.unpacked_bytes:
        body, is_cut = body[: limits.unpacked_bytes], True
    if body.startswith(_WIDE):
        body = decode_bytes(body, detect_charset(body)).encode("utf-8", "replace")
    flaw = f"the sitemap is cut off after {limits.unpacked_bytes} bytes, or damaged" if is_cut else ""
    if (start := _list_start(body)) is not None:
        declared = _DECLARATION.search(body, 0, start)
        return _read_xml((declared[0] if declared else b"") + body[start:], limits.urls, flaw)
    return None if _FIRST_TAG.match(body) or "html" in content_type.lower() else _read_lines(body, limits.urls, flaw)


def _list_start(body: bytes) -> int | None:
    tag = _FIRST_TAG.match(body)
    if tag is not None and tag[1].rpartition(b":")[2].lower() in _ROOTS:
        return tag.start(1) - 1
    page = _OF_PAGE.search(body, 0, _CHUNK)
    buried = _BURIED.search(body, 0, page.start() if page else _CHUNK)
    return None if buried is None else buried.start()


def sitemaps_named(robots: bytes, url: str) -> list[str]:
    """Return the sitemaps that the robots.txt at *url* names, absolute, each once; the usual place if it names none.

    >>> sitemaps_named(b"User-agent: *\\nsitemap: /a.xml\\nSitemap:http://b.example/b.xml", "http://a.example/robots.txt")
    ['http://a.example/a.xml', 'http://b.example/b.xml']
    >>> sitemaps_named(b"", "http://a.example/robots.txt")
    ['http://a.example/sitemap.xml']
    """
    named: list[str] = []
    for found in islice(_NAMED.finditer(robots.decode("utf-8", "replace")), NAMED_SITEMAPS):
        with suppress(ValueError):  # no address
            named.append(urljoin(url, found[1]))
    return list(dict.fromkeys(named)) or [urljoin(url, DEFAULT_SITEMAP)]


def evenly(items: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """Return at most *count* of *items*, from the first to the last in even steps.

    >>> evenly((0, 1, 2, 3, 4, 5, 6), 3)
    (0, 2, 4)
    """
    if len(items) <= count:
        return items
    return tuple(items[number * len(items) // count] for number in range(count))


def read_date(text: str) -> float | None:
    """Return a date of a sitemap (W3C) or of a feed (RFC 822) in epoch seconds; None for none.

    A day, month or year alone counts to its end: rather a look too many than a change that is missed.

    >>> read_date("2026-01-02T03:04:05+01:00"), read_date("2026-01-02"), read_date("Fri, 02 Jan 2026 00:00:00 GMT")
    (1767319445.0, 1767398400.0, 1767312000.0)
    """
    try:
        found = _W3C_DATE.fullmatch(text.strip())
        moment = _w3c(found) if found is not None else parsedate_to_datetime(text)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _w3c(found: re.Match[str]) -> datetime:
    year, month, day, hour, minute, second, zone = found.groups()
    start = datetime(int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0))
    if hour is None:
        return start + timedelta(days=1 if day else 31 if month else 366)
    if zone is None or zone in "Zz":
        return start.replace(tzinfo=UTC)
    return datetime.fromisoformat(f"{start.isoformat()}{zone[:3]}:{zone[-2:]}")


def _unpacked(body: bytes, most: int) -> tuple[bytes, bool]:
    """Return the unpacked bytes, *most* at the most, and whether they are cut."""
    whole, left = [], most
    while body.startswith(_GZIP) and left > 0:
        member = zlib.decompressobj(wbits=31)
        try:
            for start in range(0, len(body), _CHUNK):
                part = member.decompress(body[start : start + _CHUNK], left)
                whole.append(part)
                left -= len(part)
                if member.eof or left <= 0:
                    break
        except zlib.error:
            return b"".join(whole), True
        if not member.eof:
            return b"".join(whole), True
        body = member.unused_data + body[start + _CHUNK :]
    return b"".join(whole), body.startswith(_GZIP)


def _read_xml(body: bytes, most: int, flaw: str) -> Sitemap:
    charset = detect_charset(body)
    if charset != "utf-8":
        body = decode_bytes(body, charset).encode("utf-8", "replace")
    if b"&" in body:
        body = _LOOSE_AMPERSAND.sub(lambda found: found[0] if found[0] != b"&" else b"&amp;", body)
    pages: dict[str, Listed] = {}
    sitemaps: dict[str, Listed] = {}
    for name, one in _entries(body):
        if len(pages) + len(sitemaps) == most:
            flaw = flaw or MORE_URLS % most
            break
        kept = sitemaps if name == "sitemap" else pages
        kept.setdefault(one.url, one)
    if not flaw and not (pages or sitemaps):
        flaw = EMPTY
    elif not flaw and not _END.search(body, max(0, len(body) - _CHUNK)):
        flaw = CUT
    return Sitemap(tuple(pages.values()), tuple(sitemaps.values()), flaw)


def _entries(body: bytes) -> Iterator[tuple[str, Listed]]:
    """Yield each entry with its element's name, while parsing; memory holds one entry."""
    parser = etree.XMLPullParser(
        events=("end",),
        recover=True,
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",  # beats the declaration, which may lie
    )
    body = b"<lists>" + _DECLARATION.sub(b"", body)  # there may be several, one behind another
    for place in range(0, len(body), _CHUNK):
        try:
            parser.feed(body[place : place + _CHUNK])
        except etree.LxmlError:
            return
        for _, element in parser.read_events():
            name = _name(element)
            if name in _READERS:
                for listed in _READERS[name](element):
                    yield name, listed
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]


def _name(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip()


def _sitemap_entry(element: Any) -> Iterator[Listed]:
    parts = {_name(part): part for part in reversed(element) if _is_own(part, element)}
    if "loc" in parts and (url := _text(parts["loc"])):
        yield Listed(url, read_date(_text(parts["lastmod"])) if "lastmod" in parts else None)


def _is_own(part: Any, element: Any) -> bool:
    """Say whether a part is of the entry's own vocabulary: `image:loc` is no address of a page."""
    if not isinstance(part.tag, str) or not isinstance(element.tag, str):
        return False
    prefix = part.tag.rpartition("}")[0] or part.tag.rpartition(":")[0]
    return prefix == (element.tag.rpartition("}")[0] or element.tag.rpartition(":")[0])


_DATES = ("updated", "pubdate", "date", "modified", "published")


def _feed_entry(element: Any) -> Iterator[Listed]:
    parts = list(element)
    dates = {_name(part): _text(part) for part in parts if _name(part) in _DATES}
    changed_at = next((read_date(dates[name]) for name in _DATES if name in dates), None)
    for part in parts:
        is_link = _name(part) == "link" and part.get("rel", "alternate") == "alternate"
        if is_link and (url := part.get("href") or _text(part)):
            yield Listed(url.strip(), changed_at)


_READERS = {"url": _sitemap_entry, "sitemap": _sitemap_entry, "item": _feed_entry, "entry": _feed_entry}


def _read_lines(body: bytes, most: int, flaw: str) -> Sitemap | None:
    """Read a URL a line; None where neither the first line nor most of the lines are one."""
    begin = [line for line in body[:_CHUNK].decode("utf-8", "replace").splitlines() if line.strip("\ufeff \t\r\n")]
    are = [_URL_LINE.fullmatch(line.strip("\ufeff \t\r\n")) is not None for line in begin]
    if not (are and (are[0] or 2 * sum(are) > len(are))):
        return None
    pages: dict[str, Listed] = {}
    for line in decode_bytes(body, detect_charset(body)).splitlines():
        if _URL_LINE.fullmatch(address := line.strip("\ufeff \t\r\n")):
            if len(pages) == most:
                flaw = flaw or MORE_URLS % most
                break
            pages.setdefault(address, Listed(address))
    return Sitemap(tuple(pages.values()), flaw=flaw)
