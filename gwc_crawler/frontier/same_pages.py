"""Recognise one page at many addresses of records: a challenge, a login wall, "too many requests" with status 200.

In: pages that break their address's promise: targets without a record, lists without a link. A text at LEAST
different targets of a host is *recognised*: from then on a page with it counts as an error, and URLs stored with it
wait again. Called by `spiders.same_pages` and, after each commit, by `crawl.Leases`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeAlias
from urllib.parse import urlsplit

from gwc_crawler.errors import OutageError

SAME_PAGE = "no record: it shows the same page as other addresses"
"""The reason of a URL that gave nothing else at its last try."""

LEAST = 3  # targets with one text from which on it is recognised; the bundled shop has no two look-alikes with one text

TEXTS, URLS = 50, 200
"""Texts not yet recognised that are remembered, the latest, and addresses of each: the texts of a site's look-alikes
differ, and are forgotten; a text that comes again and again is not."""

EXCERPT = 60

_VARYING = re.compile(r"[!-~]*?(?:[0-9/]|[a-z][A-Z])[!-~]*|[!-~]{20,}")
"""Matches numbers, times, addresses, and likely keys: they change from request to request."""
_WORDS = re.compile(r"[0-9A-Za-z]+")


@dataclass(slots=True)
class SamePage:
    """A text of a host, with the facts known about it.

    `targets` of different addresses had it until it was recognised; the `urls` stored with it wait again once it is.
    `answers` counts the pages with it since then; addresses that were asked again gave another page (`came`), or the
    same (`stayed`) while a record stood elsewhere.
    """

    host: str
    excerpt: str
    targets: int = 0
    answers: int = 0
    came: int = 0
    stayed: int = 0
    urls: list[str] = field(default_factory=list)

    @property
    def is_recognised(self) -> bool:
        """Whether pages with this text count as errors."""
        return self.targets >= LEAST

    @property
    def told(self) -> str:
        """Describe the text, for the log."""
        return f"host={self.host} text={self.excerpt or '(none)'!r}"


def plain_text(text: str, url: str) -> str:
    """Return a page's text without what changes from request to request.

    Numbers and keys are left out, unless *url* names them: then they are the page's own.

    >>> plain_text("Checking your browser. Ray ID: 8a7f33bd 203.0.113.7 at 12:01:59", "https://a.example/p/7")
    'checking your browser. ray id: at'
    >>> plain_text("Event 7 is over", "https://a.example/p/7")
    'event 7 is over'
    """
    parts = urlsplit(url)
    own = set(_WORDS.findall(f"{parts.path} {parts.query}"))

    def kept(found: re.Match[str]) -> str:
        word = found[0].strip(".,:;!?#()[]\"'")
        return f" {word} " if word in own else " "

    return " ".join(_VARYING.sub(kept, text).lower().split())


Step: TypeAlias = Callable[[dict[str, SamePage]], None]  # a change of the facts known about texts, by their keys


def key_of(host: str, plain: str) -> str:
    """Return the key of a plain text of *host*, the same in all workers."""
    return blake2b(f"{host} {plain}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class SamePages:
    """The facts that one worker knows about such pages. *change* runs a step on the state that all workers share, and
    returns it; *put_back* makes the complete ones of some URLs wait again, and returns the others.
    """

    def __init__(
        self, change: Callable[[Step], dict[str, SamePage]], put_back: Callable[[list[str]], list[str]]
    ) -> None:
        self._change = change
        self._put_back = put_back
        self._new: list[Step] = []
        self._asked_again: dict[str, str] = {}  # URL → the text that it had shown when it was put off
        self._came: set[str] = set()
        self._stayed: dict[str, set[str]] = {}  # counts for texts, as far as this worker has seen them
        self._left = False  # whether some URLs that have to wait again are not complete yet
        self._rounds: dict[str, tuple[int, float]] = {}
        """Host → how often it was asked, between rests, since it gave anything else; and until when it rests."""
        self.with_record: dict[str, str] = {}  # host → an address that has shown a record
        self.looked_at: set[str] = set()  # hosts with such an address that is being looked at again
        self.beside_records: set[str] = set()  # texts that came while such an address showed its record
        self._pages = change(lambda _: None)

    def recognised(self, key: str) -> SamePage | None:
        """Return the facts about a text, if it is recognised."""
        page = self._pages.get(key)
        return page if page is not None and page.is_recognised else None

    def stored(self, key: str, host: str, plain: str, url: str, *, is_target: bool) -> None:
        """Note that *url* is about to be stored with a text that is not recognised."""

        def step(pages: dict[str, SamePage]) -> None:
            page = pages.pop(key, None) or SamePage(host, plain[:EXCERPT])
            pages[key] = page  # the latest is the last
            if url not in page.urls:
                page.targets += is_target
                page.urls = [*page.urls[1 - URLS :], url]

        self._new.append(step)

    def other(self, host: str, url: str) -> None:
        """Note that *host* has given another page, at *url*."""
        if self._rounds:
            self._rounds.pop(host, None)
        if self._asked_again and (key := self._asked_again.pop(url, None)) is not None:
            self._came.add(key)
            self._count(key, came=1)

    def again(self, key: str, host: str, url: str, sent_at: float) -> int:
        """Note that *url* shows a recognised text; returns after how many rests *host* has given nothing else."""
        stays = self._asked_again.get(url) == key and key in self.beside_records
        if new := stays and url not in (urls := self._stayed.setdefault(key, set())):
            urls.add(url)
        self._asked_again[url] = key
        self._count(key, answers=1, stayed=int(new))
        rounds, rests_until = self._rounds.get(host, (0, float("-inf")))
        if sent_at >= rests_until:
            self._rounds[host] = (rounds + 1, sent_at)
        return self.rounds(host)

    def stays(self, key: str, found: SamePage) -> bool:
        """Tell whether a text is a kind of page of the site, by the shared state and by what was seen here since."""
        seen = max(found.stayed, len(self._stayed.get(key, ())))
        return seen >= LEAST and not found.came and key not in self._came

    def rest(self, host: str, until: float) -> None:
        """Let *host* rest; requests sent before the end of the rest belong to this round."""
        self._rounds[host] = (self.rounds(host), until)

    def rounds(self, host: str) -> int:
        """Return how often *host* was asked, between rests, since it gave anything else."""
        return self._rounds.get(host, (0, 0.0))[0]

    def ended(self, url: str) -> None:
        """Note that *url* is given up."""
        self._asked_again.pop(url, None)

    def _count(self, key: str, *, answers: int = 0, came: int = 0, stayed: int = 0) -> None:
        def step(pages: dict[str, SamePage]) -> None:
            if (page := pages.get(key)) is not None:
                page.answers += answers
                page.came += came
                page.stayed += stayed

        self._new.append(step)

    def settle(self) -> list[SamePage]:
        """Write down the events, after a commit; let URLs of recognised texts wait again, and return those texts."""
        if not self._new and not self._left:
            return []
        steps, self._new = self._new, []
        try:
            self._pages = self._write(steps)
        except OutageError:
            self._new = steps + self._new
            return []
        found = {key: page.urls for key, page in self._pages.items() if page.is_recognised and page.urls}
        try:
            return self._let_wait(found) if found else []
        except OutageError:
            self._left = True
            return []

    def _let_wait(self, found: dict[str, list[str]]) -> list[SamePage]:
        done: dict[str, list[str]] = {}
        for key, urls in found.items():
            later = self._put_back(urls)
            done[key] = [url for url in urls if url not in later]
            self._asked_again.update(dict.fromkeys(done[key], key))
        self._left = any(len(urls) > len(done[key]) for key, urls in found.items())

        def forget(pages: dict[str, SamePage]) -> None:
            for key, urls in done.items():
                if (page := pages.get(key)) is not None:
                    page.urls = [url for url in page.urls if url not in urls]

        self._pages = self._write([forget])
        return [self._pages[key] for key in found if key in self._pages]

    def _write(self, steps: list[Step]) -> dict[str, SamePage]:
        def change(pages: dict[str, SamePage]) -> None:
            for step in steps:
                step(pages)
            unknown = [key for key, page in pages.items() if not page.is_recognised]
            for key in unknown[: max(0, len(unknown) - TEXTS)]:
                del pages[key]

        return dict(self._change(change))
