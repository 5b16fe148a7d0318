"""Real proxies for tests, as Debian packages them: tinyproxy (HTTP) and microsocks (SOCKS 5), on loopback.

with Tinyproxy(tmp_path, "ann:secret") as proxy: … proxy.url … proxy.stop()
"""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path
from typing import Self

from tests.processes import kill, wait_until

TINYPROXY = shutil.which("tinyproxy") or shutil.which("tinyproxy", path="/usr/sbin:/usr/bin") or "tinyproxy"
MICROSOCKS = shutil.which("microsocks") or "microsocks"


class DebianProxy:
    """One proxy process. `credentials`: "NAME:PASSWORD" that it wants; "": none."""

    scheme = "http"

    def __init__(self, directory: Path, credentials: str = "") -> None:
        self.directory = directory
        self.credentials = credentials
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"{self.scheme}://{credentials + '@' if credentials else ''}{self.address}"

    def command(self) -> list[str]:
        """What starts it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self._listens)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Kill it; who asks now is refused."""
        kill(self.process)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


class Tinyproxy(DebianProxy):
    """HTTP and CONNECT."""

    def command(self) -> list[str]:
        """What starts it."""
        config = self.directory / f"tinyproxy-{self.port}.conf"
        name, _, password = self.credentials.partition(":")
        auth = f"BasicAuth {name} {password}\n" if name else ""
        self.log = config.with_suffix(".log")
        config.write_text(
            f'Port {self.port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 100\nLogFile "{self.log}"\nLogLevel Connect\n'
            f"Allow 127.0.0.1\n{auth}",
            encoding="utf-8",
        )
        return [TINYPROXY, "-d", "-c", str(config)]

    @property
    def requests(self) -> int:
        """How many requests it has taken, those it refused among them."""
        return self.log.read_text(encoding="utf-8").count("Request (file descriptor")


class Microsocks(DebianProxy):
    """SOCKS 5."""

    scheme = "socks5"

    def command(self) -> list[str]:
        """What starts it."""
        name, _, password = self.credentials.partition(":")
        auth = ["-u", name, "-P", password] if name else []
        return [MICROSOCKS, "-i", "127.0.0.1", "-p", str(self.port), *auth]
