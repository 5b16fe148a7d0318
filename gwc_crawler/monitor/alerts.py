"""Messages to people (GWC_ALERTS), by a thread beside the crawl: tried again, bounded, and never in its way."""

from __future__ import annotations

import logging
import queue
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from gwc_crawler.access import hide, masked
from gwc_crawler.errors import InputError

logger = logging.getLogger(__name__)

TRIES = 3
MOST_WAITING = 100
"""Messages that wait to be sent at most; later ones are dropped, and counted."""

WORDS = ("drift", "end", "error", "silence")

Send: TypeAlias = Callable[[str, str], bool]
"""Sends a title and a text; False: it could not."""


@dataclass(frozen=True, slots=True)
class Alert:
    """What is told: `event` is one of `WORDS`."""

    event: str
    site: str
    text: str


class Alerts:
    """Sends alerts, one after the other; `tell` never waits."""

    def __init__(self, sends: Sequence[Send], wanted: Sequence[str] = WORDS, retry_seconds: float = 2.0) -> None:
        self._sends = sends
        self._wanted = frozenset(wanted)
        self._retry_seconds = retry_seconds
        self._waiting: queue.Queue[Alert | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="alerts", daemon=True)
        self.dropped = 0
        self.failed = 0
        self._thread.start()

    def tell(self, alert: Alert) -> None:
        """Have it sent; of too many the last are dropped."""
        if alert.event not in self._wanted:
            return
        try:
            self._waiting.put_nowait(alert)
        except queue.Full:
            self.dropped += 1

    def finish(self, seconds: float) -> None:
        """Wait until all is sent, so long at most."""
        until = time.monotonic() + seconds
        try:
            self._waiting.put(None, timeout=seconds)
        except queue.Full:
            return
        self._thread.join(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        while (alert := self._waiting.get()) is not None:
            title = masked(f"GWC Crawler: {alert.event}, {alert.site}")
            for send in self._sends:
                self._try(send, title, masked(alert.text))

    def _try(self, send: Send, title: str, text: str) -> None:
        for number in range(TRIES):
            if number:
                time.sleep(self._retry_seconds * number)
            try:
                if send(title, text):
                    return
            except Exception as error:  # noqa: BLE001  # whatever a way of sending does, the crawl goes on
                logger.debug("an alert can't be sent: %s", type(error).__name__)
        self.failed += 1
        logger.warning("an alert could not be sent after %d tries; look at GWC_ALERTS", TRIES)


def senders(addresses: Sequence[str]) -> list[Send]:
    """Return a way to send for each address; an address itself is a secret from now on.

    Raises:
        InputError: an address is none, or the library is missing.
    """
    logging.getLogger("apprise").setLevel(logging.CRITICAL)  # what fails is told here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what its own libraries will no longer have one day is not ours to mend
        try:
            from apprise import Apprise
        except ImportError:
            raise InputError('GWC_ALERTS needs Apprise: pip install "gwc-crawler[alerts]"') from None
        return [_sender(Apprise(), number, address) for number, address in enumerate(addresses, 1)]


def _sender(apprise: object, number: int, address: str) -> Send:
    hide_parts(address)
    for plain, known in (("http://", "json://"), ("https://", "jsons://")):
        if address.startswith(plain):
            address = known + address.removeprefix(plain)
    if not apprise.add(address):  # type: ignore[attr-defined]
        raise InputError(
            f"setting GWC_ALERTS: address {number} is none that Apprise knows; e.g. https://hooks.example/…, "
            "mailto://user:password@example.com (https://appriseit.com/services/)"
        )

    def send(title: str, text: str) -> bool:
        return bool(apprise.notify(title=title, body=text))  # type: ignore[attr-defined]

    return send


def hide_parts(address: str) -> None:
    """Hide what may be a secret of an address: password, path, query."""
    parts = urlsplit(address)
    words = (address, parts.password or "", parts.path.strip("/"), *parts.path.split("/"), parts.query)
    hide(*(word for word in words if len(word) >= 6))
