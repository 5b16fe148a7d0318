"""What becomes of the pages of real servers, as they come or as somebody has set them up."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.certificates import authority, write_certificate
from tests.conformance.answer_parts import CHUNKED, HALF, OK, PAGE, PAGE_COMES, chunks, coded
from tests.conformance.crawled import Row, rows_of, words
from tests.conformance.server_cases import ALL, NGINX, Site
from tests.conformance.server_programs import NODE, NODE_PROGRAM, PROGRAMS
from tests.conformance.table import Case
from tests.conftest import ROOT, Project
from tests.nginx_server import Nginx
from tests.processes import free_port, kill, wait_until
from tests.raw_server import RawServer, Then

TITLE = "Real servers"
ABOUT = """
nginx as Debian has it, `http.server` of Python, aiohttp, Twisted, and node where it is installed serve pages, each set
up as its case says. One crawl goes over all of them; the words are those of [odd and broken answers](answers.md). A
server that answers nothing at all is tried with its robots.txt, so its pages end after one attempt. In the last cases
something happens to nginx while a crawl of 60 pages is under way.
"""
NO_NODE = "node is not installed"
HAPPENINGS = {
    "nginx: a new worker takes over in the crawl (reload)": Nginx.reload,
    "nginx: stopped and started again in the crawl": lambda nginx: (nginx.stop(), nginx.start()),
    "nginx: its worker is killed (kill -9) in the middle of answers": Nginx.kill_worker,
}
"""Name of the case → what happens."""
CASES: list[Case] = [
    *NGINX,
    *(case for cases in PROGRAMS.values() for case in cases),
    Case("nginx: asked again for pages that have not changed", "all pages, and 304 for each the second time"),
    *(Case(name, ALL) for name in HAPPENINGS),
]

SETTINGS = {
    "CONCURRENT_REQUESTS": 64,
    "DOWNLOAD_TIMEOUT": 6,
    "GWC_LEASE_BATCH": 400,
    "GWC_RETRY_MAX_SECONDS": 1,
    "RETRY_TIMES": 6,
}
ZONES = """
    limit_req_zone $server_addr zone=few:1m rate=20r/s;
    limit_conn_zone $server_addr zone=connections:1m;
"""
LATER = 60
"""Pages of a crawl in which something happens."""


@dataclass(frozen=True)
class Crawled:
    """What the crawls left, and what the servers saw."""

    rows: Mapping[str, Row]
    origins: Mapping[str, str]
    """Case → the beginning of its URLs."""
    nginx: Nginx
    found: Mapping[str, str]
    """Case → what came of it, where that is known already."""


@contextmanager
def serving() -> Iterator[Crawled]:
    """Start all servers and crawl."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = _write_files(directory / "root")
        port, origins, entries = free_port(), {}, []
        raw = stack.enter_context(RawServer(CUT))
        certificates = _certificates(directory)
        blocks = [ZONES]
        for number, case in enumerate(NGINX, 1):
            address = f"127.0.2.{number}"
            blocks.append(_block(case.by, address, port, raw, certificates))
            scheme = case.by.scheme or ("https" if case.by.certificate else "http")
            origins[case.name] = f"{scheme}://{case.by.host or address}:{port}"
            entries += [origins[case.name] + path for path in case.by.entry]
        nginx = stack.enter_context(Nginx(directory / "nginx", root, "\n".join(blocks), ("127.0.2.1", port)))
        found: dict[str, str] = {}
        for address, cases in PROGRAMS.items():
            if address == NODE and not shutil.which("node"):
                found |= dict.fromkeys((case.name for case in cases), NO_NODE)
                continue
            origins |= {case.name: f"http://{address}:{port}" for case in cases}
            entries += [f"http://{address}:{port}{path}" for case in cases for path in case.by.entry]
        for process in _programs(root, port):
            stack.callback(kill, process)
        project = stack.enter_context(_project(directory / "all", entries))
        authorities = {"SSL_CERT_FILE": str(certificates["ca"])}
        _crawl(project, authorities)
        found |= _asked_again(directory, root) | _happenings(directory, root)
        yield Crawled(rows_of(project), origins, nginx, found)


def outcome(case: Case, env: Crawled) -> str:
    """Say what the database has of the case's pages, and the server of its requests."""
    if case.name in env.found:
        return env.found[case.name]
    site: Site = case.by
    origin = env.origins[case.name]
    asked = [env.rows[origin + path] for path in site.entry if origin + path in env.rows]
    pages = [row for url, row in env.rows.items() if url.startswith(f"{origin}/") and words(row) == PAGE_COMES]
    if case.expected == ALL:
        wanted = site.pages or len(site.entry)
        others = {f"{words(row)} ({row.reason})" for row in asked} - {f"{PAGE_COMES} (None)"}
        got = ALL if len(pages) >= wanted else f"{len(pages)} of {wanted} pages; {sorted(others)}"
    elif asked and asked[0].kind == "missing":
        got = "a page that says it doesn't exist"
    else:
        followed = pages if asked and asked[0].kind is None and asked[0].state == "C" else asked
        got = words(followed[0]) if followed else "nothing"
        said = f"{asked[0].reason or ''} {asked[0].exception or ''} {asked[0].title or ''}" if asked else ""
        got = got if site.reason in said else f"{got}, saying {said!r} without {site.reason!r}"
    return got + _unlike(site, env.nginx.log(origin.partition("://")[2].rpartition(":")[0]))


def _unlike(site: Site, log: list[list[str]]) -> str:
    """Say what the server has seen otherwise than the case demands."""
    if site.coding and site.coding not in {coding for _, _, coding, _ in log}:
        return f", not as {site.coding}"
    connections = len({connection for connection, *_ in log})
    if site.connections and not site.connections[0] <= connections <= site.connections[1]:
        return f", over {connections} connections"
    return ""


CUT = {
    "/stall": [Then.STALL],
    "/cut/length": [OK + b"Content-Length: 9999\r\n\r\n" + HALF, Then.CLOSE],
    "/cut/chunks": [CHUNKED + chunks(HALF, last=b""), Then.CLOSE],
    "/cut/gzip": [coded(b"gzip", gzip.compress(PAGE)[:-20])],
}


def _write_files(root: Path) -> Path:
    for name in ("page.html", "dir/index.html", *(f"p/{number}.html" for number in range(12))):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PAGE)
    (root / "page.html.gz").write_bytes(gzip.compress(PAGE))
    (root / "missing.html").write_text("<title>404 Not Found</title><h1>404 Not Found</h1>", encoding="utf-8")
    (root / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (root / "many").mkdir()
    for number in range(LATER):
        (root / "many" / f"{number}.html").write_bytes(PAGE)
    return root


def _certificates(directory: Path) -> dict[str, Path]:
    """Write what the servers have; all of nginx's addresses are in one."""
    names = [f"127.0.2.{number}" for number in range(1, len(NGINX) + 1)]
    return {
        "ca": authority(directory),
        "good": write_certificate(directory, *names, vouched=True),
        "ended": write_certificate(directory, *names, vouched=True, days=-1),
        "own": write_certificate(directory, *names),
        "localhost": write_certificate(directory, "localhost", vouched=True),
        "other.example": write_certificate(directory, "other.example", vouched=True),
    }


def _block(site: Site, address: str, port: int, raw: RawServer, certificates: Mapping[str, Path]) -> str:
    if site.host:
        address = "127.0.0.1"  # what the name means
    block = site.block.replace("<raw>", f"127.0.0.1:{raw.port}").replace("<dead>", "127.0.0.1:1")
    block = block.replace("<ca>", str(certificates["ca"]))
    tls = "ssl" if site.certificate else ""
    if site.certificate:
        file = certificates[site.certificate]
        block += f" ssl_certificate {file}; ssl_certificate_key {file};"
    robots = "location = /robots.txt { return 404; }"
    return f"server {{ listen {address}:{port} {tls} {site.listen}; {robots} {block} }}"


def _programs(root: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Start the servers that are no nginx."""
    command = [sys.executable, "-m", "tests.conformance.server_programs", str(root), str(port)]
    yield _started(command, next(iter(PROGRAMS)), port)
    if node := shutil.which("node"):
        yield _started([node, "-e", NODE_PROGRAM, str(root), str(port), NODE], NODE, port)


def _started(command: list[str], address: str, port: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: _listens(address, port), 30)
    return process


def _listens(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), 1).close()
    except OSError:
        return False
    return True


def _project(directory: Path, entries: list[str], **knowledge: Any) -> Project:
    directory.mkdir()
    project = Project(directory)
    project.write_site("graph", f'entry = {entries}\nkeywords = "treasure"\n')
    project.write_knowledge(targets=(".*",), directories=(), **knowledge)
    return project


def _crawl(project: Project, environment: Mapping[str, str] | None = None, *more: str, **settings: Any) -> None:
    with _environment(environment or {}):
        done = project.scrapy("crawl", "graph", *more, settings={**SETTINGS, **settings}, timeout=200)
    assert done.code == 0, done.err
    assert "Traceback" not in done.err, done.err


@contextmanager
def _environment(more: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(more)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _asked_again(directory: Path, root: Path) -> dict[str, str]:
    """Crawl twice, the second time to see what has changed."""
    name = "nginx: asked again for pages that have not changed"
    port = free_port()
    entries = [f"http://127.0.0.1:{port}/p/{number}.html" for number in range(12)]
    block = f"server {{ listen 127.0.0.1:{port}; gzip on; gzip_min_length 0; }}"
    with (
        Nginx(directory / "again", root, block, ("127.0.0.1", port)) as nginx,
        _project(directory / "twice", entries) as project,
    ):
        _crawl(project)
        _crawl(project, None, "-a", "recrawl=all")
        first = sum(words(row) == PAGE_COMES for row in rows_of(project).values())
        unchanged = sum(status == "304" for _, status, _, path in nginx.log() if path.startswith("/p/"))
    ok = (first, unchanged) == (12, 12)
    return {name: "all pages, and 304 for each the second time" if ok else f"{first} pages, {unchanged} times 304"}


def _happenings(directory: Path, root: Path) -> dict[str, str]:
    """Crawl three nginx at once; when each has answered ten times, something happens to it."""
    port = free_port()
    with ExitStack() as stack:
        servers = []
        for number in range(1, len(HAPPENINGS) + 1):
            address = f"127.0.4.{number}"
            block = f"server {{ listen {address}:{port}; limit_rate 20k; }}"
            servers.append(stack.enter_context(Nginx(directory / f"nginx{number}", root, block, (address, port))))
        entries = [f"http://{nginx.address[0]}:{port}/many/{page}.html" for nginx in servers for page in range(LATER)]
        project = stack.enter_context(_project(directory / "later", entries))
        threads = [
            threading.Thread(target=_let_happen, args=(nginx, happening))
            for nginx, happening in zip(servers, HAPPENINGS.values(), strict=True)
        ]
        for thread in threads:
            thread.start()
        _crawl(project, CONCURRENT_REQUESTS_PER_DOMAIN=4)
        for thread in threads:
            thread.join()
        rows = rows_of(project)
    found = {}
    for name, nginx in zip(HAPPENINGS, servers, strict=True):
        mine = [row for url, row in rows.items() if f"//{nginx.address[0]}:" in url]
        whole = sum(words(row) == PAGE_COMES for row in mine)
        others = sorted({f"{words(row)} ({row.reason})" for row in mine} - {f"{PAGE_COMES} (None)"})
        found[name] = ALL if whole == LATER else f"{whole} of {LATER} pages; {others}"
    return found


def _let_happen(nginx: Nginx, happening: Any) -> None:
    wait_until(lambda: len(nginx.log()) >= 10, 60)
    happening(nginx)
