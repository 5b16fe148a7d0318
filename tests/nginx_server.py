"""A real nginx for a test: its own configuration in its own directory, reloaded, restarted, killed at will."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Self

from tests.processes import wait_until

BINARY = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin") or "nginx"

FRAME = """
{user}
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 512; }}
http {{
    log_format seen "$server_addr $connection $status $sent_http_content_encoding $request_uri";
    access_log {directory}/access.log seen;
    types {{ text/html html; image/png png; application/json json; }}
    charset utf-8;
    root {root};
    client_body_temp_path {directory}; proxy_temp_path {directory}; fastcgi_temp_path {directory};
    uwsgi_temp_path {directory}; scgi_temp_path {directory};
    {servers}
}}
"""


class Nginx:
    """One nginx with one worker. Use as a context manager.

    Args:
        servers: what stands inside `http { … }`: `server` blocks and zones.
        address: (host, port) that one of them listens at; asked until somebody is there.
    """

    def __init__(self, directory: Path, root: Path, servers: str, address: tuple[str, int]) -> None:
        self.directory = directory
        self.address = address
        directory.mkdir(parents=True)
        self._configuration = directory / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""  # else it could not read a test's directory
        text = FRAME.format(directory=directory, root=root, servers=servers, user=user)
        self._configuration.write_text(text, encoding="utf-8")
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        with (self.directory / "start.log").open("ab") as log:
            command = [BINARY, "-p", str(self.directory), "-c", str(self._configuration), "-g", "daemon off;"]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_until(self._answers)

    def stop(self) -> None:
        """End it at once, connections and all."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(10)

    def reload(self) -> None:
        """Have a new worker take over; the old one ends when its connections do."""
        assert self.process is not None
        self.process.send_signal(signal.SIGHUP)

    def kill_worker(self) -> None:
        """kill -9 the worker; the master starts another one."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text("ascii")
        for child in children.split():
            os.kill(int(child), signal.SIGKILL)

    def log(self, address: str = "") -> list[list[str]]:
        """Return what was asked at an address: [connection, status, content encoding, path] for each request."""
        path = self.directory / "access.log"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [line.split(" ", 4)[1:] for line in lines if line.startswith(f"{address} " if address else "")]

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.directory / "start.log").read_text("utf-8")
        try:
            socket.create_connection(self.address, 1).close()
        except OSError:
            return False
        return True
