"""The web that is crawled: hosts of power-law size, their URLs, links, latencies and faults; nothing is stored."""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from zlib import crc32

OWN_LINKS, FAR_LINKS, NEW_LINKS = 45, 4, 1
"""Links of a page: to known pages of its host, to other hosts, and to pages that nobody has seen."""

NAME_SECONDS = 0.05
"""A question to a name server."""

FAULTY_HOSTS, FAULTY_ANSWERS = 0.01, 0.3
"""A share of the hosts answers a share of the requests with 503."""


@dataclass(frozen=True)
class World:
    """A web of *hosts* with about *urls* URLs together, dealt to *sites* that are crawls of their own.

    The host of rank r has a share of 1 / r of the URLs (Zipf), at least one. Latencies are log-normal, by host.
    """

    hosts: int
    urls: int
    sites: int
    sizes: list[int] = field(init=False)
    _upto: list[int] = field(init=False)

    def __post_init__(self) -> None:
        whole = sum(1 / rank for rank in range(1, self.hosts + 1))
        sizes = [max(1, round(self.urls / rank / whole)) for rank in range(1, self.hosts + 1)]
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "_upto", list(accumulate(sizes)))

    def site_of(self, host: int) -> int:
        """The site that a host belongs to: big hosts are dealt out in turn."""
        return host % self.sites

    def known_urls(self, site: int) -> Iterator[str]:
        """All URLs that wait at the beginning, the hosts in turns as links would bring them."""
        for host in range(site, self.hosts, self.sites):
            for number in range(self.sizes[host]):
                yield url_of(host, number)

    def links_of(self, host: int, number: int, chance: random.Random) -> tuple[str, ...]:
        """The URLs that a page leads to; of the same site all of them."""
        own = (url_of(host, chance.randrange(self.sizes[host])) for _ in range(OWN_LINKS))
        far = (self._near_by(chance, self.site_of(host)) for _ in range(FAR_LINKS))
        new = (f"https://h{host}.example/new/{number}-{one}" for one in range(NEW_LINKS))
        return tuple(dict.fromkeys([*own, *far, *new]))

    def latency(self, host: int, chance: random.Random) -> float:
        """Seconds until an answer: a host has its own median, .05 to 2 s, and each answer its own luck."""
        median = 0.05 * 40 ** (crc32(b"%d" % host) / 2**32)
        return float(median * math.exp(chance.gauss(0.0, 0.4)))

    def fails(self, host: int, chance: random.Random) -> bool:
        """Say whether this answer is a 503."""
        return crc32(b"faulty %d" % host) / 2**32 < FAULTY_HOSTS and chance.random() < FAULTY_ANSWERS

    def _near_by(self, chance: random.Random, site: int) -> str:
        """A URL of any host of the same site, the big ones more often."""
        host = bisect(self._upto, chance.randrange(self._upto[-1]))
        host -= (host - site) % self.sites
        host = host if host >= 0 else site
        return url_of(host, chance.randrange(self.sizes[host]))


def url_of(host: int, number: int) -> str:
    """The URL of a page."""
    return f"https://h{host}.example/page/{number}"


def place_of(url: str) -> tuple[int, int]:
    """Host and a number of a URL of this world.

    >>> place_of("https://h12.example/page/7"), place_of("https://h3.example/new/9-0")
    ((12, 7), (3, 9))
    """
    host, _, path = url.removeprefix("https://h").partition(".example/")
    return int(host), int(path.rpartition("/")[2].partition("-")[0])
