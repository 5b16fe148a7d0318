"""Which proxy a request goes through: in turns, within its limits; one that fails rests, at last it is left out."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gwc_crawler.errors import InputError, SiteError
from gwc_crawler.network.access import Proxies, SecretText, read_text
from gwc_crawler.network.wire import SOCKS_SCHEMES

_WHOLE = re.compile(r"\{env:\w+\}")

SCHEMES = ("http", "https", *SOCKS_SCHEMES)

FAILURES_TO_LEAVE = 5  # failures in a row, with the rests between, after which a proxy is not used again in this run

DOUBTS_TO_FAIL = 3
"""Time-outs and broken connections in a row, each perhaps the site's fault, that count as one failure of the proxy."""


class NoProxyLeft(SiteError):
    """All proxies have failed: name others, or try later."""


@dataclass(slots=True)
class _Member:
    url: str
    shown: str
    under_way: int = 0
    next_at: float = 0.0
    rests_until: float = 0.0
    failures: int = 0
    doubts: int = 0
    why: str = ""
    proven: bool = False


class ProxyPool:
    """The proxies of one crawl, by their URLs with credentials; see `Proxies`."""

    def __init__(
        self,
        urls: Sequence[str],
        *,
        concurrency: int | None,
        delay_seconds: float,
        rest_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._members = {url: _Member(url, shown_proxy(url)) for url in urls}
        self._concurrency = concurrency or math.inf
        self._delay = delay_seconds
        self._rest = rest_seconds
        self._clock = clock

    def take(self, *, but: Collection[str] = ()) -> str | None:
        """Return the URL of the proxy whose turn it is; None: all have to wait; NoProxyLeft: none will be used again.
        *but*: proxies that have just failed for this page: used only if no other is left in the crawl.
        """
        left = [one for one in self._members.values() if one.failures < FAILURES_TO_LEAVE]
        if not left:
            raise NoProxyLeft(self.told())
        now = self._clock()
        wanted = [one for one in left if one.url not in but] or left
        for one in wanted:
            if one.under_way < self._concurrency and now >= max(one.next_at, one.rests_until):
                one.under_way += 1
                one.next_at = now + self._delay
                self._members[one.url] = self._members.pop(one.url)  # to the end of the row
                return one.url
        return None

    def seconds_to_rest(self) -> float:
        """Return how long it takes until one is awake again where all rest; 0 where one is not resting."""
        now = self._clock()
        left = [one for one in self._members.values() if one.failures < FAILURES_TO_LEAVE]
        return max(0.0, min((one.rests_until - now for one in left), default=0.0))

    def has(self, url: str) -> bool:
        """Say whether a proxy, with or without its credentials, is one of these."""
        return url in self._members or shown_proxy(url) in {one.shown for one in self._members.values()}

    def ended(self, url: str) -> None:
        """Note that a request through it is over, however it ended."""
        self._members[url].under_way -= 1

    def answered(self, url: str) -> None:
        """Note that an answer came through it."""
        one = self._members[url]
        one.failures = one.doubts = 0
        one.proven = True

    def is_unproven(self, url: str) -> bool:
        """Tell whether it has credentials that have not been proven good yet."""
        one = self._members[url]
        return one.url != one.shown and not one.proven

    def failed(self, url: str, why: str) -> bool:
        """Note that it does not do its work, so that it rests. True: for the first time in a row, or the last one."""
        one = self._members[url]
        now = self._clock()
        one.why = why
        if now < one.rests_until:  # requests that were under way together fail together
            return False
        one.failures += 1
        one.doubts = 0
        others_work = any(not other.failures for other in self._members.values() if other is not one)
        one.rests_until = now + self._rest * (2 ** (one.failures - 1) if others_work else 1)
        return one.failures in (1, FAILURES_TO_LEAVE)

    def doubted(self, url: str, why: str) -> bool:
        """Note that nothing came through it, which may be the site's fault; as `failed` where that was so too often."""
        one = self._members[url]
        one.doubts += 1
        return one.doubts >= DOUBTS_TO_FAIL and self.failed(url, why)

    @property
    def left(self) -> int:
        """How many will be asked again."""
        return sum(one.failures < FAILURES_TO_LEAVE for one in self._members.values())

    def is_left(self, url: str) -> bool:
        """Say whether it will be asked again."""
        return self._members[url].failures < FAILURES_TO_LEAVE

    def shown(self, url: str) -> str:
        """Return its URL without its credentials."""
        return self._members[url].shown

    def told(self) -> str:
        """Say of each proxy that failed how."""
        each = "; ".join(f"{one.shown}: {one.why}" for one in self._members.values() if one.why)
        count = len(self._members)
        return f"{'no proxy' if count == 1 else f'none of the {count} proxies'} can be used ({each})"


def shown_proxy(url: str) -> str:
    """Return a proxy's URL without its credentials.

    >>> shown_proxy("http://ann:secret@proxy.example:3128")
    'http://proxy.example:3128'
    """
    scheme, mark, rest = url.partition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}"


def read_proxy_list(path: Path) -> tuple[SecretText, ...]:
    """Read a file with a proxy, or a comment (#), on each line; InputError: it can't be read, or shows a password."""
    lines = read_text(path, "the list of proxies").splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        if (text := line.strip()) and not text.startswith("#"):
            if problem := proxy_problem(SecretText(text)):
                raise InputError(f"{path}:{number}: {problem}")
            found.append(SecretText(text))
    if not found:
        raise InputError(f"the list of proxies {path} is empty; write one on each line, as http://HOST:PORT")
    return tuple(found)


def proxy_problem(proxy: SecretText, *, revealed: bool = False) -> str:
    """Return the fault of a proxy as it is written, or *revealed*; "" for none. No credentials are shown."""
    text = proxy.written
    if _WHOLE.fullmatch(text):
        return ""  # a variable as a whole is seen when it is revealed
    scheme, mark, rest = text.partition("://")
    user, _, place = rest.rpartition("@")
    if not revealed and ":" in user and not SecretText(user.partition(":")[2]).variables:
        return "a proxy's password does not belong into a file; write it as http://NAME:{env:PROXY_PASSWORD}@HOST:PORT"
    try:
        parts = urlsplit(f"{scheme}{mark}{place}")
        if parts.scheme in SCHEMES and parts.hostname and parts.port:
            return ""
    except ValueError:
        pass
    return f"{shown_proxy(text)!r} is no proxy; write http://HOST:PORT, or one of {', '.join(SCHEMES)}"


def pool_of(proxies: Proxies) -> ProxyPool:
    """Make the pool that a site file describes; InputError: its list can't be read, or an entry is no proxy."""
    written = proxies.urls if proxies.file is None else read_proxy_list(proxies.file)
    urls = [one.reveal() for one in written]
    if problem := next(filter(None, (proxy_problem(SecretText(url), revealed=True) for url in urls)), ""):
        raise InputError(f"[proxies]: {problem}")
    return ProxyPool(
        urls,
        concurrency=proxies.concurrency,
        delay_seconds=proxies.delay_seconds,
        rest_seconds=proxies.rest_seconds,
        clock=time.monotonic,
    )
