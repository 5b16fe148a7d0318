"""What becomes of a page whose server answers oddly, badly or not at all: whole crawls over raw sockets."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any

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

`python -m tests.conformance.answers --handler NAME` shows what differs with another download handler. Scrapy's own,
which requests through a proxy go to, can't tell a reset, nor an end that TLS knows nothing of, from the end of a body
without a length.
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
    "DOWNLOAD_TIMEOUT": 4,
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
def serving(settings: Mapping[str, Any] | None = None) -> Iterator[Fetched]:
    """Crawl, once for all cases."""
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
                options = {**SETTINGS, "DOWNLOAD_FAIL_ON_DATALOSS": not half, **(settings or {})}
                done = project.scrapy("crawl", "graph", settings=options, timeout=200)
                assert done.code == 0, done.err
                assert "Traceback" not in done.err, done.err
                rows |= rows_of(project)
        yield Fetched(rows, urls)


def outcome(case: Case, env: Fetched) -> str:
    """Say what the database has of the case's page."""
    first = row = env.rows[env.urls[case.name]]
    if row.kind is None and row.state == "C":  # a redirect was followed: the page stands where it led
        start = env.urls[case.name] + "/"
        followed = [other for url, other in env.rows.items() if url.startswith(start) and other.kind]
        row = followed[0] if len(followed) == 1 else row
    got = words(row)
    said = f"{first.reason or ''} {row.exception or ''} {row.title or ''}"
    return got if case.by.reason in said else f"{got}, saying {said!r} without {case.by.reason!r}"


def main() -> None:
    """Show what another download handler makes of the cases."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.answers", description=main.__doc__)
    parser.add_argument("--handler", required=True, help="its dotted path")
    handlers = json.dumps(dict.fromkeys(("http", "https"), parser.parse_args().handler))
    with serving({"DOWNLOAD_HANDLERS": handlers}) as env:
        for case in CASES:
            if (got := outcome(case, env)) != case.expected:
                print(f"{case.name}: {got[:100]!r}, not {case.expected!r}")


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


if __name__ == "__main__":
    main()
