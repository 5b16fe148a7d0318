"""Hosts of a crawl's politeness: servers at 127.0.0.2, 127.0.0.3 …, and what their logs say of the gaps they were left.

Gaps are tested from below alone, and with slack: on a busy machine a request may arrive late, and the next one not.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import pairwise
from typing import Self

from gwc_crawler.demo.serving import Request, ServedReply
from tests.conftest import Project
from tests.processes import wait_until
from tests.site_server import SiteServer

SLACK_SECONDS = 0.15
RESET = 0
"""Among the statuses of `Host.trouble`: the connection is reset instead."""


class Host(SiteServer):
    """A site that can be in trouble.

    Attributes:
        trouble: statuses that the next requests for pages get, whatever they ask for; not the start page.
        retry_after: goes with them.
        troubled: when these answers were given.
    """

    def __init__(self, address: str) -> None:
        super().__init__(host=address)
        self.trouble: list[int] = []
        self.retry_after = ""
        self.troubled: list[float] = []

    @property
    def name(self) -> str:
        """As DOWNLOAD_SLOTS has it."""
        return f"{self.host}:{self.port}"

    def star(self, pages: int) -> Self:
        """A start page with links to so many others."""
        self.links = {"/": [f"/{'wxyz'[number % 4]}/{number}" for number in range(pages)]}
        self.links |= {path: [] for path in self.links["/"]}
        return self

    def _reply(self, request: Request) -> ServedReply:
        reply = super()._reply(request)
        if request.target in ("/", "/robots.txt") or not self.trouble:
            return reply
        self.troubled.append(request.arrived)
        if (status := self.trouble.pop(0)) == RESET:
            return replace(reply, reset=True)
        more = (("Retry-After", self.retry_after),) if self.retry_after else ()
        return replace(reply, status=status, headers=(*reply.headers, *more))

    # --- what the log says -------------------------------------------------------------------------------------------

    @property
    def arrivals(self) -> list[float]:
        return [request.arrived for request in self.requests]

    def delay(self, seconds: float, at_least: int) -> str:
        """Say whether all requests were so far apart."""
        gaps = self.gaps()
        if len(gaps) < at_least:
            return f"only {len(gaps) + 1} requests"
        if not self.kept_apart(seconds):
            return f"gaps of {', '.join(f'{gap:.2f}' for gap in sorted(gaps)[:3])} s"
        return "no smaller gap"

    def at_once(self, allowed: int) -> str:
        """Say whether never more than so many requests were under way, and more than one where that is allowed."""
        most = self.max_concurrent
        return f"at most {allowed} at once" if min(2, allowed) <= most <= allowed else f"{most} at once"

    def at_once_later(self, since: float, seconds: float) -> int:
        """How many requests, each of which took so many *seconds*, were under way together after *since*."""
        later = [arrived for arrived in self.arrivals if arrived > since]
        return max(sum(other <= arrived < other + seconds for other in later) for arrived in later)

    def rest(self, seconds: float, since: float | None = None) -> str:
        """Say whether it was left alone for so long since its first trouble, and asked afterwards."""
        since = self.troubled[0] if since is None else since
        later = [arrived - since for arrived in self.arrivals if arrived > since]
        if not later:
            return "never asked again"
        return "left alone, then asked" if min(later) >= seconds - SLACK_SECONDS else f"asked after {min(later):.2f} s"

    def back_off(self, first: float, skip: int = 0) -> str:
        """Say whether the gaps behind its troubles (but the first *skip*) doubled."""
        return doubling(
            [min(at - trouble for at in self.arrivals if at > trouble) for trouble in self.troubled[skip:]], first
        )


class NoTls:
    """A host that says something else where TLS was to begin; a context manager."""

    def __init__(self, address: str) -> None:
        self._listener = socket.create_server((address, 0))
        self.name = f"{address}:{self._listener.getsockname()[1]}"
        self.arrivals: list[float] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.arrivals.append(time.monotonic())
                with connection, suppress(OSError):
                    connection.recv(65_536)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    def back_off(self, first: float) -> str:
        """Say whether the gaps doubled."""
        return doubling([later - earlier for earlier, later in pairwise(self.arrivals)][:3], first)


def doubling(gaps: Sequence[float], first: float) -> str:
    """Say whether each gap is at least twice the one before."""
    kept = [gap >= first * 2**number - SLACK_SECONDS for number, gap in enumerate(gaps)]
    return "doubling gaps" if kept and all(kept) else f"gaps of {', '.join(f'{gap:.2f}' for gap in gaps)} s"


class Hosts(ExitStack):
    """All hosts of one crawl, each with an address of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[Host] = []

    def add(self, address: str = "") -> Host:
        """Start another one."""
        host = Host(address or f"127.0.0.{len(self.all) + 2}")
        self.all.append(self.enter_context(host))
        return host

    def write_site(
        self, project: Project, *entries: Host, more: str = 'keywords = "treasure"', name: str = "graph", also: str = ""
    ) -> None:
        """Write a site file of these hosts, and of *also*."""
        names = json.dumps([*(host.name for host in self.all), *filter(None, [also])])
        starts = json.dumps([f"{entry.url}/" for entry in entries])
        project.write_site(name, f"entry = {starts}\nhosts = {names}\n{more}\n")


def wait_for_more(host: Host, pages: int) -> None:
    """Wait until so many more requests have come."""
    goal = len(host.requests) + pages
    wait_until(lambda: len(host.requests) >= goal, 120)
