"""What becomes of a page whose server answers oddly, badly or not at all: whole crawls over raw sockets."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from pathlib import Path

from tests.certificates import server_context
from tests.conformance import answer_bodies, answer_cases
from tests.conformance.answer_parts import Answer
from tests.conformance.crawled import Row, rows_of, words
from tests.conformance.table import Case
from tests.conftest import Project
from tests.raw_server import RawServer, Script

TITLE = "Odd and broken answers"
ABOUT = """
A server of raw sockets sends for each page the bytes of its case, at an address of its own. One crawl goes over all of
them, each page a target; a second one over those in which half a page shall be taken. What is looked at is what stands
in the database in the end: "page" is a page whose text is there from its beginning to its end; "error, tried again"
one that was asked for as often as RETRY_TIMES says; "error" one that was asked for once. Where a reason is to be given,
it is looked at, too.

[Who takes what](handlers.md) has the same with Scrapy's own handlers.
"""
CASES: list[Case] = list(
    chain(
        answer_cases.FIRST_LINES,
        answer_cases.HEADERS,
        answer_cases.INTERIM,
        answer_cases.LENGTHS,
        answer_cases.CHUNKS,
        answer_cases.CONNECTIONS,
        answer_cases.STATUSES,
        answer_cases.REDIRECTS,
        answer_bodies.CODINGS,
        answer_bodies.TYPES,
        answer_bodies.TAKEN_IN_HALF,
    )
)

SETTINGS = {
    "CONCURRENT_REQUESTS": 64,
    "DOWNLOAD_MAXSIZE": 1_000_000,
    "DOWNLOAD_TIMEOUT": 5,
    "DOWNLOAD_VERIFY_CERTIFICATES": False,
    "GWC_LEASE_BATCH": 400,
    "GWC_RETRY_BASE_SECONDS": 0.05,
    "GWC_RETRY_MAX_SECONDS": 0.2,
    "RETRY_TIMES": 1,
}


@dataclass(frozen=True)
class Fetched:
    """The crawls' ends: URL → row, and each case's URL."""

    rows: Mapping[str, Row]
    urls: Mapping[str, str]


@contextmanager
def serving(handler: str = "") -> Iterator[Fetched]:
    """Crawl, once for all cases; *handler* is the path of another download handler than ours."""
    with (
        tempfile.TemporaryDirectory() as directory,
        RawServer({}, host="0.0.0.0") as plain,
        RawServer({}, host="0.0.0.0", tls=server_context(Path(directory))) as tls,
    ):
        urls = {case.name: _put(case, number, tls if case.by.tls else plain) for number, case in enumerate(CASES)}
        rows: dict[str, Row] = {}
        for half in (False, True):
            with Project(Path(directory) / str(half)) as project:
                project.directory.mkdir()
                chosen = [urls[case.name] for case in CASES if case.by.half is half]
                project.write_site("graph", f'entry = {chosen}\nkeywords = "treasure"\n')
                project.write_knowledge(targets=(".*",), directories=())
                options = {**SETTINGS, "DOWNLOAD_FAIL_ON_DATALOSS": not half}
                if handler:
                    options["DOWNLOAD_HANDLERS"] = json.dumps({"http": handler, "https": handler})
                done = project.scrapy("crawl", "graph", settings=options, timeout=200)
                assert done.code == 0, done.err
                assert handler or "Traceback" not in done.err, done.err
                rows |= rows_of(project)
        yield Fetched(rows, urls)


def outcome(case: Case, env: Fetched) -> str:
    """Say what the database has of the case's page, and whether the reason is the one to be given."""
    row = _row(case, env)
    said = f"{env.rows[env.urls[case.name]].reason or ''} {row.exception or ''} {row.title or ''}"
    got = words(row)
    return got if case.by.reason in said else f"{got}, saying {said!r} without {case.by.reason!r}"


def came_to(case: Case, env: Fetched) -> str:
    """Say what the database has of the case's page."""
    return words(_row(case, env))


def _row(case: Case, env: Fetched) -> Row:
    row = env.rows[env.urls[case.name]]
    if row.kind is None and row.state == "C":  # a redirect was followed: the page stands where it led
        start = env.urls[case.name] + "/"
        followed = [other for url, other in env.rows.items() if url.startswith(start) and other.kind]
        row = followed[0] if len(followed) == 1 else row
    return row


def _put(case: Case, number: int, server: RawServer) -> str:
    """Put a case on the server and return its URL."""
    answer: Answer = case.by
    host = f"127.0.{1 + number // 200}.{1 + number % 200}:{server.port}"
    path = f"/case/{number}"
    server.scripts["/robots.txt"] = [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"]
    server.scripts[path] = _filled(answer.pieces, path, host)
    for other, script in answer.more.items():
        server.scripts[other.replace("@@", path).replace("<n>", str(number))] = _filled(script, path, host)
    return f"http{'s' if answer.tls else ''}://{host}{path}"


def _filled(script: Script, path: str, host: str) -> Script:
    known = {b"@@": path, b"<host>": host, b"<n>": path.rpartition("/")[2]}
    return [
        reduce(lambda text, mark: text.replace(mark, known[mark].encode()), known, piece)
        if isinstance(piece, bytes) and b"Location" in piece
        else piece
        for piece in script
    ]
