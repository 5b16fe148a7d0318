"""Which hosts' robots.txt is kept: those used lately, and equal ones once, because rules take far more room than text.

A site may answer at any made-up subdomain, and each has a robots.txt of its own; they tend to say the same.
`PatientRobotsMiddleware` asks for the rules of every request. No Scrapy, no network.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import md5
from typing import Generic, TypeVar

Rules = TypeVar("Rules")

MAX_ROBOTS_BYTES = 512_000
"""What stands beyond that in a robots.txt is not read (RFC 9309, §2.5)."""

KEPT_HOSTS = 10_000
"""The rules of so many hosts are kept; those used longest ago are asked for anew."""

KEPT_BYTES = 8_000_000
"""So much text at most is kept as rules, which take some 25 times as much memory."""


@dataclass(slots=True)
class _Text(Generic[Rules]):
    """One robots.txt, and how many hosts have it."""

    rules: Rules
    digest: bytes
    size: int
    hosts: int = 0


class RobotsShelf(Generic[Rules]):
    """Host → its rules.

    Args:
        hosts, text_bytes: how much is kept at most; what was put there last always is.
    """

    def __init__(self, hosts: int = KEPT_HOSTS, text_bytes: int = KEPT_BYTES) -> None:
        self._most_hosts = hosts
        self._most_bytes = text_bytes
        self._hosts: dict[str, _Text[Rules]] = {}
        """The one used last at the end."""
        self._texts: dict[bytes, _Text[Rules]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._hosts)

    def get(self, host: str) -> Rules | None:
        """Return the rules of *host*; None: they have to be asked for."""
        text = self._hosts.pop(host, None)
        if text is None:
            return None
        self._hosts[host] = text
        return text.rules

    def put(self, host: str, text: bytes, rules: Rules) -> Rules:
        """Keep the *rules* that were read of *text*; returns those to use: another host's, if its text is the same."""
        self._forget(host)
        digest = md5(text, usedforsecurity=False).digest()
        kept = self._texts.get(digest)
        if kept is None:
            kept = self._texts[digest] = _Text(rules, digest, len(text))
            self._bytes += kept.size
        kept.hosts += 1
        self._hosts[host] = kept
        while len(self._hosts) > 1 and (len(self._hosts) > self._most_hosts or self._bytes > self._most_bytes):
            self._forget(next(iter(self._hosts)))
        return kept.rules

    def _forget(self, host: str) -> None:
        if (text := self._hosts.pop(host, None)) is not None:
            text.hosts -= 1
            if not text.hosts:
                del self._texts[text.digest]
                self._bytes -= text.size
