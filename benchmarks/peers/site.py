"""The catalogue as files served by nginx, with a port and a log for each contender: what was asked for is counted."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from benchmarks.catalogue import Catalogue
from tests.processes import free_port

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin") or "nginx"
START_SECONDS = 30

# An hour's patience: a contender that is stopped while others have their turn reads on afterwards.
FRAME = """
{user}
worker_processes 1;
daemon off;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 4096; }}
http {{
    log_format path "$status $request_uri";
    types {{ text/plain txt; }}
    default_type "text/html; charset=utf-8";
    sendfile on; tcp_nopush on; keepalive_timeout 3600s; keepalive_requests 100000000; send_timeout 3600s;
    client_body_temp_path {directory}; proxy_temp_path {directory}; fastcgi_temp_path {directory};
    uwsgi_temp_path {directory}; scgi_temp_path {directory};
    root {directory}/pages;
    {servers}
}}
"""
SERVER = "server {{ listen 127.0.0.1:{port}{tls}; access_log {directory}/{port}.log path; index home; }}\n"
TLS = " ssl; ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_session_cache shared:tls:1m"


class Site:
    """Context manager: the pages of a catalogue at as many ports as there are contenders.

    Args:
        certificate: certificate and key (PEM) where https is wanted.
    """

    def __init__(
        self, catalogue: Catalogue, directory: Path, ports: int, certificate: tuple[Path, Path] | None = None
    ) -> None:
        self.directory = directory
        self._ports: list[int] = []
        while len(self._ports) < ports:
            port = free_port()
            if port not in self._ports:
                self._ports.append(port)
        self._certificate = certificate
        write_pages(catalogue, directory / "pages")
        self._read = dict.fromkeys(self._ports, 0)

    @property
    def urls(self) -> Sequence[str]:
        """One address for each contender."""
        scheme = "https" if self._certificate else "http"
        return [f"{scheme}://127.0.0.1:{port}" for port in self._ports]

    def __enter__(self) -> Self:
        configuration = self.directory / "nginx.conf"
        configuration.write_text(self._configuration(), encoding="utf-8")
        command = [NGINX, "-p", str(self.directory), "-c", str(configuration)]
        with (self.directory / "nginx.log").open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        begun = self.directory / "nginx.pid"  # written when all ports are listened at
        while not (begun.exists() and begun.stat().st_size):
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = (self.directory / "nginx.log").read_text(encoding="utf-8")
                raise RuntimeError(f"nginx does not start: {said[-1000:]}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)

    @property
    def pid(self) -> int:
        """The process of nginx; its workers are children of it."""
        return self._process.pid

    def take_hits(self, url: str) -> Counter[str]:
        """Requests at *url* by path since the last call; "/missing/" counts those that were answered by an error."""
        port = int(url.rpartition(":")[2])
        with (self.directory / f"{port}.log").open("rb") as log:
            log.seek(self._read[port])
            lines = log.read().decode("utf-8", "replace")
            self._read[port] = log.tell()
        pairs = (line.split(" ", 1) for line in lines.splitlines())
        return Counter(path if status == "200" else "/missing/" for status, path in pairs)

    def _configuration(self) -> str:
        tls = ""
        if self._certificate:
            tls = TLS.format(certificate=self._certificate[0], key=self._certificate[1])
        listen, _, more = tls.partition(";")
        server = SERVER.replace("{tls}", listen + (";" + more if more else ""))
        servers = "    ".join(server.format(port=port, directory=self.directory) for port in self._ports)
        user = "user root;" if os.geteuid() == 0 else ""  # else it could not read the directory of the benchmark
        return FRAME.format(directory=self.directory, servers=servers, user=user)


def write_pages(catalogue: Catalogue, folder: Path) -> None:
    """Write every page of *catalogue*, and robots.txt, as a file."""
    for part in ("list", "product"):
        (folder / part).mkdir(parents=True)
    for path in catalogue.paths():
        body = catalogue.render(path)
        assert body is not None
        (folder / (path[1:] or "home")).write_bytes(body)
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /private/\n")
