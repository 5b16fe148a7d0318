"""Serves a catalogue from a thread, at once or after a delay, and counts what was asked for."""

from __future__ import annotations

from collections import Counter

from benchmarks.catalogue import ROBOTS, Catalogue
from gwc_crawler.demo.serving import PageServer, Request, ServedReply


class CatalogueServer(PageServer):
    """Context manager: `.url` while it runs; `.take_hits()` gives what was asked for since the last time.

    Args:
        hosts: so many addresses of this machine have the same pages; `.url` is the first of `.urls`.

    Attributes:
        delay_seconds: after which a request is answered.
    """

    def __init__(self, pages: int, hosts: int = 1) -> None:
        super().__init__(self._reply, host="127.0.0.1" if hosts == 1 else "0.0.0.0")
        self.delay_seconds = 0.0
        self._catalogue = Catalogue(pages)
        self._hosts = hosts

    @property
    def urls(self) -> list[str]:
        """Where the pages are."""
        return [f"http://127.0.0.{number}:{self.port}" for number in range(1, self._hosts + 1)]

    @property
    def url(self) -> str:
        """The first address."""
        return self.urls[0]

    def take_hits(self) -> Counter[str]:
        """Requests by path since the last call."""
        hits = self.hits.copy()
        self.clear()
        return hits

    def _reply(self, request: Request) -> ServedReply:
        if request.path == "/robots.txt":
            return ServedReply(ROBOTS, "text/plain")
        body = self._catalogue.render(request.path)
        if body is None:
            return ServedReply(b"no such page", "text/plain", 404)
        return ServedReply(body, delay_seconds=self.delay_seconds)
