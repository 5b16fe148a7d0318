"""A site whose link graph the test wrote itself, served over real sockets, and counted.

    with SiteServer() as site:
        site.links = {"/": ["/p/1", "/p/2"], "/p/1": ["/"], "/p/2": ["/p/1"]}
        crawl(site.url)
        assert site.hits == {"/robots.txt": 1, "/": 1, "/p/1": 1, "/p/2": 1}

Everything is read at the moment of a request, so a test may change it while a crawl runs.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from gwc_crawler.demo.serving import PageServer, Request, ServedReply, with_etag
from tests.processes import wait_until

ALLOW_ALL = b"User-agent: *\nDisallow:\n"
LATE_SECONDS = 0.5
"""A request may come later than it was meant to by so much, on a busy machine; but see `kept_apart`."""


class SiteServer(PageServer):
    """Pages made from `links`; a key is a path, with its query if it has one.

    Attributes:
        links: path → hrefs on that page, as they shall stand there. A path that is no key (here or below) is a 404.
        texts: path → HTML put before the links, for pages that need words, e.g. a keyword.
        bodies: path → (body, content type), sent as it is instead of a generated page.
        statuses: path → status, or a list of statuses for the first, second, … request; the last one stays.
        headers: path → extra headers, e.g. {"Location": "/new"} or {"Retry-After": "2"}.
        delays: path → seconds before the answer; the key "*" is for all others.
        etags: whether pages have an ETag, and are answered with 304 where the request names it.
        modified: path → Last-Modified; a request that sends it back gets a 304.
        cut, reset: paths whose body is cut off in the middle, or whose connection is reset.
        hits, log, max_concurrent: see PageServer; `requests` is the log under a test's word for it.
    """

    def __init__(
        self, links: Mapping[str, Sequence[str]] | None = None, port: int = 0, host: str = "127.0.0.1"
    ) -> None:
        super().__init__(self._reply, port, host)
        self.links: dict[str, Sequence[str]] = dict(links or {})
        self.texts: dict[str, str] = {}
        self.bodies: dict[str, tuple[bytes, str]] = {"/robots.txt": (ALLOW_ALL, "text/plain")}
        self.statuses: dict[str, int | Sequence[int]] = {}
        self.headers: dict[str, Mapping[str, str]] = {}
        self.delays: dict[str, float] = {}
        self.etags = False
        self.modified: dict[str, str] = {}
        self.cut: set[str] = set()
        self.reset: set[str] = set()

    @property
    def requests(self) -> list[Request]:
        """Every request in order of arrival: `.arrived` (monotonic seconds), `.target`, `.method`, `.headers`."""
        return self.log

    def page_hits(self) -> dict[str, int]:
        """Hits without robots.txt."""
        hits = list(self.hits.items())  # at once: the server's thread goes on counting
        return {target: count for target, count in hits if target != "/robots.txt"}

    def kept_apart(self, seconds: float) -> bool:
        """Whether all requests can have been sent so many *seconds* apart, and came no later than on a busy machine.

        One that is sent or noted late is nearer to the next one, but to none behind that. One that did not wait at all
        is seen; so is a delay that is kept by half, or by each of several senders for itself: their requests would have
        to be later and later.
        """
        return self.lateness(seconds) <= min(0.8 * seconds, LATE_SECONDS)

    def lateness(self, seconds: float) -> float:
        """The least by which the latest of all requests came late, if they were sent so many *seconds* apart."""
        sent, most = math.inf, 0.0
        for request in reversed(self.requests):
            sent = min(request.arrived, sent - seconds)
            most = max(most, request.arrived - sent)
        return most

    def gaps(self) -> list[float]:
        """The seconds between a request and the next."""
        return [later.arrived - earlier.arrived for earlier, later in pairwise(self.requests)]

    def wait_for_pages(self, count: int, seconds: float = 60) -> None:
        """Wait until so many pages were asked for; one that is asked for twice counts twice."""
        wait_until(lambda: sum(self.page_hits().values()) >= count, seconds)

    def wait_for(self, target: str, seconds: float = 60) -> None:
        """Wait until it was asked for."""
        wait_until(lambda: target in self.hits, seconds)

    def _reply(self, request: Request) -> ServedReply:
        target = request.target
        status = self._status(target)
        body, content_type = self.bodies.get(target) or (self._page(target, status), "text/html; charset=utf-8")
        headers = dict(self.headers.get(target, {}))
        if status == 200 and target in self.modified:
            headers["Last-Modified"] = self.modified[target]
            if request.headers.get("if-modified-since") == self.modified[target]:
                body, status = b"", 304
        reply = ServedReply(
            body,
            content_type,
            status,
            tuple(headers.items()),
            self.delays.get(target, self.delays.get("*", 0.0)),
            target in self.cut,
            target in self.reset,
        )
        return with_etag(request, reply) if self.etags else reply

    def _status(self, target: str) -> int:
        statuses = self.statuses.get(target)
        if statuses is None:
            return 200 if target in self.links or target in self.bodies or target in self.texts else 404
        if isinstance(statuses, int):
            return statuses
        return statuses[min(self.hits[target], len(statuses)) - 1]

    def _page(self, target: str, status: int) -> bytes:
        title = html.escape(f"{target} {status if status != 200 else ''}".strip())
        anchors = "\n".join(
            f'<li><a href="{html.escape(href)}">to {html.escape(href)}</a></li>' for href in self.links.get(target, ())
        )
        return (
            f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1>"
            f"{self.texts.get(target, '')}<ul>{anchors}</ul></body></html>"
        ).encode()
