"""The rules of the hosts' robots.txt: a URL in, whether it is forbidden, and by which line, out.

`middlewares.robots` fetches the files; the texts are kept in a book, so that a restart, and the other workers of a
crawl, know them. Scrapy's parser is used (ROBOTSTXT_PARSER)."""

from __future__ import annotations

import logging
import re
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import md5
from typing import Protocol, TypeAlias
from urllib.parse import quote

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Link, RobotsText
from gwc_crawler.urls import KEPT_HOSTS, KEPT_URLS

logger = logging.getLogger(__name__)


# --- The bytes of a robots.txt as they come → UTF-8 lines that a parser reads as their writer meant them --------------

MAX_ROBOTS_BYTES = 512_000  # bytes of a robots.txt that are read (RFC 9309, §2.5)

GZIP = b"\x1f\x8b"
WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}

_LINE_END = re.compile(r"\r\n?")
_WHITE = re.compile("[\x0b\x0c\x1c-\x1e\ufeff\0]")
_NO_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
_UNDECODED = re.compile("[\udc80-\udcff]")


def robots_text(body: bytes) -> bytes:
    """Return the lines of *body* that are read, each ended by "\\n" alone.

    A compressed file is unpacked, though nothing declares it, and UTF-16 is read; byte order marks and NULs are left
    out. Bytes that are no UTF-8 are escaped as in URLs, and so are characters that only Python takes for line ends.

    >>> robots_text(b"\\xef\\xbb\\xbfUser-agent: *\\rDisallow: /caf\\xe9\\0\\r")
    b'User-agent: *\\nDisallow: /caf%E9\\n'
    """
    if body.startswith(GZIP):
        with suppress(zlib.error):
            body = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(body, MAX_ROBOTS_BYTES + 1)
    if (encoding := WIDE.get(body[:2])) is not None:
        text = body[: 2 * MAX_ROBOTS_BYTES].decode(encoding, errors="ignore")
    else:
        text = _cut(body).decode("utf-8", errors="surrogateescape")
    text = _WHITE.sub("", _LINE_END.sub("\n", text))
    text = _UNDECODED.sub(lambda found: f"%{ord(found[0]) - 0xDC00:02X}", text)
    text = _NO_LINE_ENDS.sub(lambda found: quote(found[0]), text)
    return _cut(text.encode("utf-8", errors="ignore"))


def _cut(robots: bytes) -> bytes:
    """Return the first lines; one that is cut in the middle would say something else."""
    if len(robots) <= MAX_ROBOTS_BYTES:
        return robots
    end = max(robots.rfind(end, 0, MAX_ROBOTS_BYTES) for end in (b"\n", b"\r"))
    return robots[: end + 1]


# --- Which hosts' robots.txt is kept ----------------------------------------------------------------------------------

KEPT_BYTES = 8_000_000  # maximum bytes of text kept as rules; these take some 25 times as much memory


class Rules(Protocol):
    """A parsed robots.txt (Scrapy's `RobotParser`)."""

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Say whether *user_agent* may fetch *url*."""

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the seconds between requests that are asked for."""


Parse: TypeAlias = Callable[[bytes], Rules]


@dataclass(slots=True)
class _Text:
    """One robots.txt, and how many hosts have it."""

    rules: Rules
    size: int
    hosts: int = 0


@dataclass(slots=True)
class Kept:
    """A host's rules, until epoch seconds. `read_here`: by this process; `may_forbid`: anything is disallowed at all;
    `told`: all who have to know of them do.
    """

    rules: Rules
    digest: bytes
    good_until: float
    read_here: bool = True
    may_forbid: bool = True
    told: bool = False


class RobotsCache:
    """Host → its rules. `hosts`, `text_bytes`: the most that is kept; the latest rules always are."""

    def __init__(self, hosts: int = KEPT_HOSTS, text_bytes: int = KEPT_BYTES) -> None:
        self._most_hosts = hosts
        self._most_bytes = text_bytes
        self._hosts: dict[str, Kept] = {}  # the one used last at the end
        self._texts: dict[bytes, _Text] = {}
        self._bytes = 0

    def get(self, host: str) -> Kept | None:
        """Return the rules of *host*, however old; None: they have to be asked for."""
        kept = self._hosts.pop(host, None)
        if kept is not None:
            self._hosts[host] = kept
        return kept

    def put(self, host: str, text: bytes, parse: Parse, good_until: float) -> Kept:
        """Keep the rules that *parse* reads of *text*; of equal texts only the first ones' are kept."""
        digest = md5(text, usedforsecurity=False).digest()
        kept = self._texts.get(digest)
        if kept is None:
            kept = self._texts[digest] = _Text(parse(text), len(text))
            self._bytes += kept.size
        kept.hosts += 1
        self._forget(host)
        self._hosts[host] = own = Kept(kept.rules, digest, good_until, may_forbid=MAY_FORBID.search(text) is not None)
        while len(self._hosts) > 1 and (len(self._hosts) > self._most_hosts or self._bytes > self._most_bytes):
            self._forget(next(iter(self._hosts)))
        return own

    def _forget(self, host: str) -> None:
        if (kept := self._hosts.pop(host, None)) is not None:
            text = self._texts[kept.digest]
            text.hosts -= 1
            if not text.hosts:
                del self._texts[kept.digest]
                self._bytes -= text.size


FORBIDDEN = "Forbidden by robots.txt"
"""The reason of a URL in state E that robots.txt forbids; `recall` brings them back when the rules change."""

NOT_HAD = "robots.txt of "  # how the reasons of URLs begin that were given up because it can't be had
RULES_SECONDS = 86_400.0  # seconds for which rules are valid before they are read again (RFC 9309, §2.4)
UNKNOWN_SECONDS = 5.0  # seconds before a host without known rules is looked up in the book again

MAY_FORBID = re.compile(rb"^[ \t]*di[a-z]*[ \t]*[:\s][ \t]*[^\s#]", re.IGNORECASE | re.MULTILINE)
"""Matches a disallowing line, however misspelt; without one everything is allowed."""

_RULE = re.compile(r"[ \t]*(allow|di[a-z]*)\b[ \t]*:?[ \t]*([^#]*)", re.IGNORECASE)


class RobotsBook(Protocol):
    """Stores the texts. An origin is "http://host:port", as it stands in URLs."""

    def read(self, origin: str) -> RobotsText | None:
        """Return the stored text of *origin*, however old."""

    def write(self, origin: str, robots: RobotsText) -> None:
        """Store a text in place of an older one."""


@dataclass(frozen=True, slots=True)
class RuleLine:
    """The line that forbids a URL, counted from 1, in the robots.txt at `robots_url` as it was read at a time."""

    robots_url: str
    number: int
    text: str
    read_at: float

    def __str__(self) -> str:
        return f"{self.robots_url}, line {self.number}: {self.text}"


class Robots:
    """The rules of all hosts, for one user agent. *book* None: no text outlives this process; *clock*: epoch time."""

    def __init__(
        self, parse: Parse, agent: str, book: RobotsBook | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.parse = parse
        self.agent = agent
        self._book = book
        self._clock = clock
        self._cache = RobotsCache()
        self._unknown: dict[str, float] = {}
        self._given_up: dict[str, tuple[str, float]] = {}
        """Origin → the reason why its pages are not fetched, and the end of that."""
        self._verdicts: dict[tuple[bytes, str], bool] = {}  # (Digest of a robots.txt, URL) → whether it forbids the URL

    def known(self, origin: str) -> Kept | None:
        """Return the rules of *origin*; None: they were not read within a day."""
        kept = self._cache.get(origin)
        now = self._clock()
        if kept is not None and now < kept.good_until:
            return kept
        if now < self._unknown.get(origin, 0.0):
            return None
        robots = self._look_up(origin)
        if robots is None or robots.read_at + RULES_SECONDS <= now:
            if len(self._unknown) >= KEPT_HOSTS:
                self._unknown.clear()
            self._unknown[origin] = now + UNKNOWN_SECONDS
            return None
        return self._put(origin, robots.text, robots.read_at + RULES_SECONDS, read_here=False)

    def forbids(self, url: str) -> bool:
        """Say whether *url* is forbidden by rules that are known. Cost: 1 µs for one judged lately, else some 10."""
        kept = self.known(origin_of(url))
        if kept is None or not kept.may_forbid:
            return False
        verdict = self._verdicts.get((kept.digest, url))
        if verdict is None:
            if len(self._verdicts) >= KEPT_URLS:
                self._verdicts.clear()
            verdict = self._verdicts[kept.digest, url] = not kept.rules.allowed(url, self.agent)
        return verdict

    def text_of(self, origin: str) -> bytes | None:
        """Return the robots.txt of *origin* read last, however long ago; None: none was read, or none is kept."""
        robots = self._look_up(origin)
        return None if robots is None else robots.text

    def reason_against(self, url: str, *, is_start: bool = False) -> str | None:
        """Return the reason not to fetch a leased URL; a start is judged by rules that this process has read."""
        origin = origin_of(url)
        if self._given_up and (given_up := self._given_up.get(origin)) is not None:
            if self._clock() < given_up[1]:
                return given_up[0]
            del self._given_up[origin]
        if not self.forbids(url):
            return None
        kept = self._cache.get(origin)
        return FORBIDDEN if not is_start or (kept is not None and kept.read_here) else None

    def line_against(self, url: str) -> RuleLine | None:
        """Return the line that forbids *url* in the text read last, however old; None if none is found."""
        origin = origin_of(url)
        robots = self._look_up(origin)
        found = None if robots is None else forbidding_line(robots.text, url, self.agent, self.parse)
        if robots is None or found is None:
            return None
        return RuleLine(f"{origin}/robots.txt", *found, robots.read_at)

    def learn(self, origin: str, text: bytes) -> tuple[Kept, bool]:
        """Take in the robots.txt that *origin* has just given; also says whether it said something else before."""
        before = self._look_up(origin)
        now = self._clock()
        changed = before is not None and before.text != text
        if self._book is not None:
            try:
                self._book.write(origin, RobotsText(text, now))
            except StoreError as error:
                logger.warning("robots.txt is kept in memory alone origin=%s error=%s", origin, error)
        self._unknown.pop(origin, None)
        self._given_up.pop(origin, None)
        return self._put(origin, text, now + RULES_SECONDS), changed

    def prolong(self, origin: str, seconds: float) -> Kept | None:
        """Keep old rules for some more *seconds*, as newer ones can't be had; return them, None if there are none."""
        kept, until = self._cache.get(origin), self._clock() + seconds
        if kept is not None:
            kept.good_until = until
        elif (robots := self._look_up(origin)) is not None:
            kept = self._put(origin, robots.text, until, read_here=False)
        return kept

    def give_up(self, origin: str, reason: str, until: float) -> None:
        """Ask for nothing of *origin* until a time: its robots.txt can't be had."""
        self._given_up[origin] = reason, until

    def _look_up(self, origin: str) -> RobotsText | None:
        try:
            return None if self._book is None else self._book.read(origin)
        except StoreError:  # the shared book is away: it is asked again soon
            return None

    def _put(self, origin: str, text: bytes, good_until: float, *, read_here: bool = True) -> Kept:
        kept = self._cache.put(origin, text, self.parse, good_until)
        kept.read_here = read_here
        return kept


class ForbiddenSieve:
    """Links that are refused because robots.txt forbids them: kept in mind for the day when it does no more."""

    def __init__(self, robots: Robots | None) -> None:
        self._robots = robots
        self._noted: dict[str, int] = {}
        self.forbidden: list[Link] = []  # links for the frontier to store

    def sift(self, urls: Sequence[str], depth: int, weight: int) -> tuple[Sequence[str], list[str]]:
        """Part *urls*, links at *depth* on a page of *weight*, into those that may be asked for, and the others."""
        forbidden = [url for url in urls if self._robots.forbids(url)] if self._robots is not None else []
        if not forbidden:
            return urls, forbidden
        if len(self._noted) >= KEPT_URLS:
            self._noted.clear()
        for url in forbidden:
            if weight < self._noted.get(url, weight + 1):
                self._noted[url] = weight
                self.forbidden.append(Link(url, weight, depth))
        kept_out = set(forbidden)
        return [url for url in urls if url not in kept_out], forbidden

    def forget(self) -> None:
        """Forget the stored links: they may have been lost."""
        self._noted.clear()
        self.forbidden.clear()


def origin_of(url: str) -> str:
    """Return scheme and authority of a normalised URL: the scope of a robots.txt (RFC 9309, §2.3).

    >>> origin_of("http://a.example:8080/x/y?z")
    'http://a.example:8080'
    """
    end = url.find("/", 8)
    return url if end < 0 else url[:end]


def forbidding_line(text: bytes, url: str, agent: str, parse: Parse) -> tuple[int, str] | None:
    """Return number and words of the line that forbids *url*: of those that match it, the one with the longest path.

    Parsers don't tell. So they are given texts with some of the `Disallow` lines, and no `Allow`: as few of the
    longest lines as forbid the URL together. Cost: log2(lines) readings of the text.

    >>> from protego import Protego
    >>> class Parsed:
    ...     def __init__(self, text): self.protego = Protego.parse(text.decode())
    ...     def allowed(self, url, agent): return self.protego.can_fetch(url, agent)
    >>> text = b"User-agent: *\\nDisallow: /a\\nDisallow: /a/b # not this\\nAllow: /a/b/c"
    >>> forbidding_line(text, "http://x.example/a/b/1", "bot", Parsed)
    (3, 'Disallow: /a/b # not this')
    """
    if parse(text).allowed(url, agent):
        return None
    lines = text.decode("utf-8", errors="replace").split("\n")
    rules = {number: match for number, line in enumerate(lines) if (match := _RULE.match(line))}
    disallowing = [number for number, match in rules.items() if match[1].lower() != "allow"]
    disallowing.sort(key=lambda number: -len(rules[number][2].strip()))

    def forbids(count: int) -> bool:
        chosen = set(disallowing[:count])
        left = [
            (line if number in chosen else f"{rules[number][1]}:") if number in rules else line
            for number, line in enumerate(lines)
        ]
        return not parse("\n".join(left).encode()).allowed(url, agent)

    low, high = 0, len(disallowing)
    if not forbids(high):
        return None
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if forbids(middle) else (middle, high)
    number = disallowing[high - 1]
    return number + 1, lines[number].strip()[:200]
