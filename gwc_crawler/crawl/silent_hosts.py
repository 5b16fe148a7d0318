"""Whether hosts answer at all, and when to give one up for this run: one that never has after a few tries, one that
has (it may be back) after GWC_SILENT_HOST_SECONDS without an answer; and whether an error is its host's fault.

A host is told by its origin, "http://host:port": the https of a name may be silent where its http answers.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)

from gwc_crawler.items import Failure
from gwc_crawler.network.politeness.robots import origin_of
from gwc_crawler.urls import host_of

FIRST_WAIT_SECONDS = 2.0
"""The longest wait before another try with a host that has not answered yet, if its limits ask for no more."""

IN_DOUBT = 2
"""Failures without an answer between them from which on a host counts as silent."""


class RobotsUnreachable(DownloadFailedError):
    """robots.txt can't be had for now; its host is not crawled before it can (RFC 9309, §2.3.1.4).

    `retry_at`: epoch seconds; None: its URLs are given up. `answered`: the host is there, and says so.
    """

    def __init__(self, text: str, retry_at: float | None = None, *, answered: bool = False) -> None:
        super().__init__(text)
        self.retry_at = retry_at
        self.answered = answered


@dataclass(frozen=True, slots=True)
class Why:
    """A kind of silence: its name, the remedy, the tries after which it is certain, and whether somebody is there all
    the same, who may have to be left alone. Without anybody, or robots.txt, no URL is to blame; else one may be: a page
    that takes too long, or that its server breaks off. `through_proxy`: its name if a {proxy} is between."""

    words: str
    help: str
    tries: int
    somebody: bool = True
    through_proxy: str = "its host can't be crawled through the proxy {proxy}"


class Silence(Enum):
    """Why there is no answer."""

    NAME = Why("no address is found for its host's name", "check the address, or this machine's DNS", 2, somebody=False,
               through_proxy="no address is found for the name of the proxy {proxy}")  # fmt: skip
    """No address is known of it; asked twice, because a resolver, too, may be out of order for a moment."""
    REFUSED = Why("its host refuses the connection", "check the address and its port, or try later", 3, somebody=False,
                  through_proxy="the proxy {proxy} refuses the connection")  # fmt: skip
    TIMEOUT = Why("its host does not answer in time", "check the address, try later, or raise DOWNLOAD_TIMEOUT", 3,
                  through_proxy="the proxy {proxy}, or the host behind it, does not answer in time")  # fmt: skip
    TLS = Why(
        "no secure connection can be made",
        "check the address (http or https?); DOWNLOAD_VERIFY_CERTIFICATES = False takes any certificate",
        2,
    )
    OTHER = Why("its host can't be crawled", "check the address, or try later", 4)
    """The connection ended, or robots.txt can't be had, which the error says."""


@dataclass(slots=True)
class _Tries:
    """The failures since the last answer. `began`, `last_at`: on the clock; `since`: wall time."""

    began: float
    since: float
    count: int = 0
    last_at: float = 0.0
    kind: Silence = Silence.OTHER
    """The most telling one: of those that waited for the same robots.txt not all know why it didn't come."""
    error: str = ""


class SilentHosts:
    """Knows of each host of one run whether it answers.

    Args:
        spacing_seconds: failures closer together are one: those that waited for the same robots.txt fail together.
        patience_seconds: how long a host that has answered may be silent; 0: as long as it takes.
        clock: seconds that never run backwards.
    """

    def __init__(
        self, spacing_seconds: float = 0.0, patience_seconds: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._spacing = spacing_seconds
        self._patience = patience_seconds
        self._clock = clock
        self._asked: set[str] = set()
        self._answered: dict[str, float] = {}
        """Host → when last, on the clock."""
        self._tries: dict[str, _Tries] = {}
        """The failures of hosts that have not answered since."""
        self.given_up: dict[str, Silence] = {}
        """Host → why."""
        self.left_alone: set[str] = set()
        """Hosts that had answered before: their URLs are not leased in this run, but wait for another one."""
        self._refused: dict[str, str] = {}

    def ask(self, host: str) -> None:
        """Note that *host* is about to be asked."""
        if not self._answered:
            self._asked.add(host)

    def answer(self, host: str) -> None:
        """Note that *host* has answered, whatever it said."""
        self._answered[host] = self._clock()
        self._asked.clear()
        if self._tries and self._tries.pop(host, None) is not None:
            self.given_up.pop(host, None)
            self.left_alone.discard(host)

    def has_answered(self, host: str) -> bool:
        """Say whether *host* has answered in this run."""
        return host in self._answered

    def moved(self, host: str, to: str) -> None:
        """Note that *host* only said to ask another one."""
        if host in self._asked:
            self._asked.discard(host)
            self._asked.add(to)

    @property
    def nobody_answers(self) -> bool:
        """Whether every host that was asked is given up."""
        return not self._answered and bool(self.given_up) and self._asked <= self.given_up.keys()

    def note_failure(self, host: str, error: BaseException) -> Silence | None:
        """Note that *host* gave no answer; returns why when that gives it up: often enough, and for long enough."""
        kind = kind_of(error)
        if kind is None or host in self.given_up:
            return None
        now = self._clock()
        tries = self._tries.setdefault(host, _Tries(now, time.time()))
        if not tries.count or now - tries.last_at >= self._spacing:
            tries.count += 1
            tries.last_at = now
        if kind is not Silence.OTHER:
            tries.kind = kind
        tries.error = f"{type(error).__name__}: {error}"
        if tries.count < tries.kind.value.tries:
            return None
        if host in self._answered:
            if not 0 < self._patience <= now - tries.began:
                return None
            self.leave_alone(host)
        self.given_up[host] = tries.kind
        return tries.kind

    def leave_alone(self, host: str) -> None:
        """Make URLs of *host* wait for another run, unless another origin of its name would be left alone, too."""
        if not self.has_sibling(host):
            self.left_alone.add(host)

    def refuse(self, url: str, words: str) -> bool:
        """Make URLs of a host wait for another run; *words*: what it answers. Returns whether that is new."""
        host = origin_of(url)
        if host in self.left_alone:
            return False
        self._refused[host] = words
        self.left_alone.add(host)
        return True

    def has_sibling(self, host: str) -> bool:
        """Say whether another origin of the same name has answered since *host* is silent."""
        tries = self._tries.get(host)
        name = host_of(host)
        return any(
            other != host and (tries is None or tries.began <= at) and host_of(other) == name
            for other, at in self._answered.items()
        )

    @property
    def hosts_left_alone(self) -> set[str]:
        """Those left alone, as the frontier names them."""
        return set(map(host_of, self.left_alone))

    def is_to_blame(self, host: str, error: BaseException) -> bool:
        """Say whether *error* is the fault of *host* for certain, which had answered before: no URL's attempt.

        Not without waits between the tries: there only the attempts end them.
        """
        kind = kind_of(error)
        if kind is None or not self._spacing:
            return False
        if host in self.given_up:
            return host in self.left_alone
        return host in self._answered and (not kind.value.somebody or isinstance(error, RobotsUnreachable))

    def in_doubt(self, host: str, error: BaseException) -> bool:
        """Say whether *error* may be the fault of *host*, which had answered before and does not any more."""
        tries = self._tries.get(host)
        silent = tries is not None and tries.count >= IN_DOUBT and host in self._answered
        if host in self.given_up and host not in self.left_alone:
            return False
        return silent and self._spacing > 0 and kind_of(error) is not None

    def told(self) -> dict[str, str]:
        """Return for each host that had answered and is silent now since when, and why; or what it answers instead."""
        return self._refused | {
            host: f"has been silent since {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(tries.since))}: "
            f"{tries.kind.value.words} ({tries.error})"
            for host, tries in self._tries.items()
            if tries.count >= IN_DOUBT and (host in self._answered or host in self.left_alone)
        }

    def judge(self, failure: Failure, host: str, now: float) -> Failure:
        """Return *failure* without another try if *host* is given up, else with a short wait; *now*: epoch seconds."""
        if failure.retry_at is None or host in self._answered:
            return failure
        if host in self.given_up:
            return Failure(failure.reason)
        return Failure(failure.reason, retry_at=min(failure.retry_at, now + FIRST_WAIT_SECONDS))


def kind_of(error: BaseException) -> Silence | None:
    """Return the kind of silence that caused an error; None if the error is an answer, or our own.

    >>> kind_of(CannotResolveHostError()).name
    'NAME'
    """
    if not isinstance(error, DownloadFailedError | DownloadTimeoutError | DownloadConnectionRefusedError
                      | CannotResolveHostError):  # fmt: skip
        return None
    cause: BaseException | None = error
    while cause is not None:
        for kinds, silence in _KINDS:
            if isinstance(cause, kinds):
                return silence
        cause = cause.__cause__
    return Silence.OTHER


_KINDS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], Silence], ...] = (
    (CannotResolveHostError, Silence.NAME),
    (DownloadConnectionRefusedError, Silence.REFUSED),
    (DownloadTimeoutError, Silence.TIMEOUT),
    (ssl.SSLError, Silence.TLS),
)
