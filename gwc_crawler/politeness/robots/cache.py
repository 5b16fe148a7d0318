"""Which hosts' robots.txt is kept: those used lately, and equal ones once, because rules take far more room than text.

A site may answer at any made-up subdomain, and each has a robots.txt of its own; they tend to say the same.
`Robots` asks for the rules of every URL. No Scrapy, no network.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import md5
from typing import Generic, TypeVar

Rules = TypeVar("Rules")

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


@dataclass(slots=True)
class KeptRules(Generic[Rules]):
    """A host's rules. `good_until`: epoch seconds; `read_here`: by this process, not by an earlier one or another.

    `may_forbid`: whether anything is disallowed at all. `told`: who has to know of them does.
    """

    text: _Text[Rules]
    good_until: float
    read_here: bool = True
    may_forbid: bool = True
    told: bool = False

    @property
    def rules(self) -> Rules:
        """What the parser made of the text."""
        return self.text.rules


class RobotsCache(Generic[Rules]):
    """Host → its rules.

    Args:
        hosts, text_bytes: how much is kept at most; what was put there last always is.
    """

    def __init__(self, hosts: int = KEPT_HOSTS, text_bytes: int = KEPT_BYTES) -> None:
        self._most_hosts = hosts
        self._most_bytes = text_bytes
        self._hosts: dict[str, KeptRules[Rules]] = {}
        """The one used last at the end."""
        self._texts: dict[bytes, _Text[Rules]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._hosts)

    def get(self, host: str) -> KeptRules[Rules] | None:
        """Return the rules of *host*, however old; None: they have to be asked for."""
        kept = self._hosts.pop(host, None)
        if kept is not None:
            self._hosts[host] = kept
        return kept

    def shared(self, text: bytes) -> Rules | None:
        """Return the rules that another host has whose *text* is the same."""
        kept = self._texts.get(_digest(text))
        return None if kept is None else kept.rules

    def put(self, host: str, text: bytes, rules: Rules, good_until: float) -> KeptRules[Rules]:
        """Keep the *rules* that were read of *text*; of equal texts only the first ones' are kept."""
        self._forget(host)
        digest = _digest(text)
        kept = self._texts.get(digest)
        if kept is None:
            kept = self._texts[digest] = _Text(rules, digest, len(text))
            self._bytes += kept.size
        kept.hosts += 1
        self._hosts[host] = own = KeptRules(kept, good_until)
        while len(self._hosts) > 1 and (len(self._hosts) > self._most_hosts or self._bytes > self._most_bytes):
            self._forget(next(iter(self._hosts)))
        return own

    def _forget(self, host: str) -> None:
        if (kept := self._hosts.pop(host, None)) is not None:
            text = kept.text
            text.hosts -= 1
            if not text.hosts:
                del self._texts[text.digest]
                self._bytes -= text.size


def _digest(text: bytes) -> bytes:
    return md5(text, usedforsecurity=False).digest()
