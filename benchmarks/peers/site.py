"""The catalogue as files served by nginx, with a port and a log for each contender: what was asked for is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from benchmarks.catalogue import ROBOTS, Catalogue
from tests.nginx_server import Nginx
from tests.processes import free_port

# An hour's patience: a contender that is stopped while others have their turn reads on afterwards.
FRAME = """
    log_format path "$status $request_uri";
    default_type "text/html";
    sendfile on; tcp_nopush on; keepalive_timeout 3600s; keepalive_requests 100000000; send_timeout 3600s;
"""
SERVER = """
    server {{ listen 127.0.0.1:{port}; access_log {directory}/{port}.log path; index home;
        location = /robots.txt {{ default_type text/plain; }} }}
"""


class Site:
    """Context manager: the pages of a catalogue at as many ports as there are contenders."""

    def __init__(self, catalogue: Catalogue, directory: Path, ports: int) -> None:
        self._read: dict[int, int] = {}
        while len(self._read) < ports:
            self._read[free_port()] = 0
        write_pages(catalogue, directory / "pages")
        self._logs = directory / "nginx"
        servers = "".join(SERVER.format(port=port, directory=self._logs) for port in self._read)
        address = "127.0.0.1", next(iter(self._read))
        self._nginx = Nginx(self._logs, directory / "pages", FRAME + servers, address)

    @property
    def urls(self) -> Sequence[str]:
        """One address for each contender."""
        return [f"http://127.0.0.1:{port}" for port in self._read]

    def __enter__(self) -> Self:
        self._nginx.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._nginx.stop()

    @property
    def pid(self) -> int:
        """The process of nginx; its workers are children of it."""
        assert self._nginx.process is not None
        return self._nginx.process.pid

    def take_hits(self, url: str) -> Counter[str]:
        """Requests at *url* by path since the last call; "/missing/" counts those that were answered by an error."""
        port = int(url.rpartition(":")[2])
        with (self._logs / f"{port}.log").open("rb") as log:
            log.seek(self._read[port])
            lines = log.read().decode("utf-8", "replace")
            self._read[port] = log.tell()
        pairs = (line.split(" ", 1) for line in lines.splitlines())
        return Counter(path if status == "200" else "/missing/" for status, path in pairs)


def write_pages(catalogue: Catalogue, folder: Path) -> None:
    """Write every page of *catalogue*, and robots.txt, as a file."""
    for part in ("list", "product"):
        (folder / part).mkdir(parents=True)
    for path in catalogue.paths():
        (folder / (path[1:] or "home")).write_bytes(catalogue.render(path) or b"")
    (folder / "robots.txt").write_bytes(ROBOTS)
