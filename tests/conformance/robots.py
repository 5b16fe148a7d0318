"""What is made of a robots.txt, however it is served and written: one crawl of many hosts over raw sockets."""

from __future__ import annotations

import re
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.middlewares import robots
from tests.certificates import server_context
from tests.conformance import robots_rules, robots_served
from tests.conformance.robots_parts import Robots, page
from tests.conformance.table import Case
from tests.conftest import Project
from tests.raw_server import RawServer

TITLE = "robots.txt"
ABOUT = """
Each case has a host of its own (a port), a server of raw sockets that answers `/robots.txt` as the case says and has a
page at every other path. One crawl visits all hosts. "allows" and "forbids" name the linked paths that were fetched,
and those that were not asked for; "waits" says that the rules came at a later try; "given up" that no page was
asked for, and what was said of it. Where a case is of RFC 9309, the section stands in brackets.
"""
CASES: list[Case] = [*robots_served.STATUSES, *robots_served.SILENCE, *robots_served.REDIRECTS, *robots_served.BODIES]
CASES += [*robots_rules.PATHS, *robots_rules.GROUPS, *robots_rules.DELAYS]

SETTINGS = {
    "ADDONS": '{"tests.conformance.robots.PublicLoopback": 1}',
    "CONCURRENT_REQUESTS": 200,
    "DOWNLOAD_MAXSIZE": 20_000,
    "DOWNLOAD_TIMEOUT": 3,
    "GWC_LEASE_BATCH": 800,
    "GWC_RETRY_MAX_SECONDS": 1,
    "GWC_ROBOTS_PATIENCE_SECONDS": 2,
    "RETRY_TIMES": 2,
}
PUBLIC = "127.7.7.7"
"""This address counts as one out on the Internet; other loopback addresses are what they are: private."""

CAUSES = {
    r"HTTP \d+": "",
    "private address": "a redirect to a private address",
    "took longer": "no answer in time",
    "efused": "connection refused",
    "TLS failed": "TLS failed",
    "not an answer of HTTP": "not HTTP",
    "ended after": "the body is not all there",
    "": "the connection ended",
}


class PublicLoopback:
    """An add-on for the crawl under test: without it no server of a test is at a public address."""

    def update_settings(self, _: Any) -> None:
        robots.is_public = lambda address: address == PUBLIC


@dataclass(frozen=True)
class Crawled:
    """The crawl's end. `rows`: URL → state and reason; `log`: what it said; `servers`: by name of case."""

    rows: Mapping[str, tuple[str | None, str | None]]
    log: str
    servers: Mapping[str, RawServer]
    urls: Mapping[str, str]
    """Case → where its host is."""


@contextmanager
def serving() -> Iterator[Crawled]:
    """Crawl, once for all cases."""
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        other = stack.enter_context(RawServer({}))
        tls = server_context(Path(directory))
        other.scripts = Answers([page("User-agent: *\nDisallow: /no/\n")])
        servers, urls = {}, {}
        for case in CASES:
            robots: Robots = case.by
            server = RawServer({}, host=PUBLIC if robots.public else "", tls=tls if robots.tls else None)
            scheme = "https" if robots.tls else "http"
            urls[case.name] = f"{scheme}://{PUBLIC if robots.public else '127.0.0.1'}:{server.port}"
            server.scripts = Answers(
                [_filled(script, other, server) for script in robots.answers],
                {path: _filled(script, other, server) for path, script in robots.others.items()},
            )
            servers[case.name] = server
            if not robots.refuses:
                stack.enter_context(server)
            else:
                address = server._listener.getsockname()
                server._listener.close()
                stack.enter_context(socket.socket(server._listener.family)).bind(address)  # nobody else listens there
        project = stack.enter_context(Project(Path(directory)))
        entry = [urls[case.name] + path for case in CASES for path in case.by.paths]
        hub = stack.enter_context(RawServer({}))
        links = "".join(f'<a href="{url}">x</a>' for url in entry).encode()
        hub.scripts = Answers([page("")], {"/": page(links, "text/html")})
        hosts = ", ".join(f'"{url}"' for url in urls.values())
        project.write_site("graph", f'entry = ["{hub.url}/"]\nkeywords = "treasure"\nhosts = [{hosts}]\n')
        project.write_knowledge()
        done = project.scrapy("crawl", "graph", settings=SETTINGS, timeout=200)
        assert done.code == 0, done.err
        rows = {url: (state, why) for url, state, why in project.rows("SELECT url, state, reason FROM urls")}
        yield Crawled(rows, done.err, servers, urls)


class Answers(dict[str, Any]):
    """Path → script: `/robots.txt` answers with one after the other, the last one stays; all else is a page."""

    def __init__(self, robots: list[Any], others: Mapping[str, Any] | None = None) -> None:
        super().__init__(others or {})
        self._robots = list(robots)

    def __missing__(self, path: str) -> Any:
        if path != "/robots.txt":
            return page("<html><body>here</body></html>", "text/html")
        return self._robots.pop(0) if len(self._robots) > 1 else self._robots[0]


def outcome(case: Case, env: Crawled) -> str:
    """Say what was fetched, and what became of the rest."""
    url, server = env.urls[case.name], env.servers[case.name]
    asked = [request.split(b" ", 2)[1].decode() for request in server.requests]
    words: dict[str, list[str]] = {}
    for path in case.by.paths:
        state, reason = env.rows.get(url + path, (None, None))
        if path in asked:
            words.setdefault("allows", []).append(path)
        elif state == "E" and reason and "can't be had" in reason:
            words.setdefault(f"given up: {_cause(reason)}", [])
        else:
            words.setdefault("forbids", []).append(path)
    parts = [" ".join([word, ", ".join(paths)]).strip() for word, paths in sorted(words.items())]
    if len(case.by.answers) > 1 and asked.count("/robots.txt") > 1:
        parts.insert(0, "waits")
    if delay := re.search(rf"asks for slowness host={re.escape(url.partition('//')[2])} delay_seconds=(\S+)", env.log):
        parts.append(f"delay {delay[1]} s")
    return "; ".join(parts)


def _cause(reason: str) -> str:
    for pattern, words in CAUSES.items():
        if found := re.search(pattern, reason):
            return words or found[0]
    return reason


def _filled(script: Any, other: RawServer, server: RawServer) -> Any:
    """Name the other host, or a path of this one, in a script."""
    if not isinstance(script, list):
        return script
    here = {b"{other}": other.url.encode(), b"{port}": str(server.port).encode()}
    filled = []
    for piece in script:
        for name, value in here.items():
            piece = piece.replace(name, value) if isinstance(piece, bytes) else piece
        filled.append(piece)
    return filled
