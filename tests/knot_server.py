"""A name server of Debian's, knot, that serves one zone from a directory of the test's."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

from tests.processes import wait_until

PROGRAM = shutil.which("knotd") or "/usr/sbin/knotd"


def free_port() -> int:
    """Return a port that nobody has, of UDP and of TCP."""
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        tcp.bind(("127.0.0.1", 0))
        port: int = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        return port


class KnotServer:
    """Serves the zone "test." until it is left; `text` is where, as GWC_DNS_SERVERS wants it."""

    def __init__(self, directory: Path, zone: str) -> None:
        self._directory = directory
        self._port = free_port()
        (directory / "test.zone").write_text(zone)
        (directory / "knot.conf").write_text(
            f"""server:
  rundir: "{directory}"
  listen: 127.0.0.1@{self._port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
database:
  storage: "{directory}"
log:
- target: stderr
  any: warning
zone:
- domain: test.
  storage: "{directory}"
  file: test.zone
  zonefile-sync: -1
  zonefile-load: whole
  journal-content: none
"""
        )

    @property
    def text(self) -> str:
        """Where it is."""
        return f"127.0.0.1:{self._port}"

    def __enter__(self) -> KnotServer:
        self._log = (self._directory / "log").open("wb")
        self._process = subprocess.Popen([PROGRAM, "-c", self._directory / "knot.conf"], stderr=self._log)
        wait_until(self._answers)
        return self

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    def __exit__(self, *_: Any) -> None:
        self._process.terminate()
        self._process.wait()
        self._log.close()
