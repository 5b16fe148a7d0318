"""A real PostgreSQL for tests, on a free port, behind a proxy at which things go wrong on request.

It has the face of `TdsServer`, so one suite runs over both. What is said is heard by the proxy: a query is a message as
it is, the rows of a bulk copy are "bulk rows", a login is "login".
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg

from tests.processes import free_port, wait_until
from tests.tds_server.hooks import Hook

SSL_REQUESTS = (80877103, 80877104)
SILENCE_SECONDS = 600.0
OTHERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


def binary(name: str) -> str:
    """Return where a program of PostgreSQL is; Debian has them aside."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or str(found[-1] if found else name)


class PostgresServer:
    """One server with its proxy; a database for each test. Use as a context manager."""

    engine = "postgres"
    user = "crawler"
    password = "p4 ss'wörd"

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
        self.port = free_port()
        self.database = ""
        self.process: subprocess.Popen[bytes] | None = None
        self._numbers = iter(range(10_000))
        self.proxy = Proxy(self.port)

    def __enter__(self) -> PostgresServer:
        data, words = self.directory / "data", self.directory / "password"
        words.write_text(self.password, encoding="utf-8")
        self._owner = "postgres" if os.getuid() == 0 else None
        if self._owner:
            for one in (self.directory, words):
                shutil.chown(one, self._owner, self._owner)
        subprocess.run(
            [binary("initdb"), "-D", data, "-U", self.user, "--pwfile", words, "--auth-local=trust",
             "--auth-host=scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync"],
            check=True, capture_output=True, user=self._owner, cwd="/tmp",
        )  # fmt: skip
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.proxy.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self) -> None:
        """Start it, after a kill on the same port."""
        data = self.directory / "data"
        (data / "postmaster.pid").unlink(missing_ok=True)
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [binary("postgres"), "-D", data, "-p", str(self.port), "-k", self.directory, "-c", "fsync=off",
                 "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=40"],
                stdout=log, stderr=log, user=self._owner, cwd="/tmp",
            )  # fmt: skip
        wait_until(self._answers, 60)

    def _answers(self) -> bool:
        with suppress(psycopg.Error), self._connect("postgres"):
            return True
        return False

    def kill(self) -> None:
        """kill -9, the whole of it."""
        assert self.process is not None
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        subprocess.run(["kill", "-9", str(self.process.pid), *children], check=False)
        self.process.wait()

    def new_database(self) -> None:
        """Go on with an empty database: that of the test before, emptied, unless somebody is still in it."""
        if self.database and self._can_be_emptied():
            return
        self.database = f"crawls{next(self._numbers)}"
        with self._connect("postgres") as connection:
            connection.execute(f"CREATE DATABASE {self.database}")

    def _can_be_emptied(self) -> bool:
        with self._connect() as connection:
            if connection.execute(OTHERS).fetchall() != [(0,)]:
                return False
            connection.execute(
                "DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO public"
            )
        return True

    def hook(self, *hooks: Hook) -> None:
        """Have this go wrong from now on, and nothing else; what was heard is forgotten."""
        self.proxy.hooks, self.proxy.heard = list(hooks), []

    def heard(self) -> list[str]:
        """Return the messages since the last hook."""
        return list(self.proxy.heard)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a crawl that writes there."""
        return {
            "GWC_POSTGRES_URL": f"postgresql://{self.user}@127.0.0.1:{self.proxy.port}/{self.database}",
            "PGPASSWORD": self.password,
        }

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Look into the database; `dbo` is its public schema."""
        with self._connect() as connection:
            found = connection.execute(re.sub(r"\bdbo\.(\w+)", r"public.\1", query).encode()).fetchall()
        return [tuple(map(as_responder, row)) for row in found]

    def run(self, statement: str) -> None:
        """Run a statement as a person would."""
        with self._connect() as connection:
            connection.execute(statement.encode())

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        return int(self.rows(f"SELECT count(*) FROM dbo.{table}")[0][0])  # noqa: S608

    def _connect(self, database: str = "") -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(
            host=str(self.directory),
            port=self.port,
            user=self.user,
            dbname=database or self.database,
            autocommit=True,
        )


def as_responder(value: Any) -> Any:
    """Return a value as the responder's SQLite file has it."""
    if isinstance(value, Decimal):
        return str(value)
    return value.isoformat(" ", "microseconds") if isinstance(value, datetime) else value


class Proxy:
    """Hands messages on between clients and the server at *to*, and does what hooks say."""

    def __init__(self, to: int) -> None:
        self.hooks: list[Hook] = []
        self.heard: list[str] = []
        self._to = to
        self._guard = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def hear(self, message: str) -> Hook | None:
        """Note a message; returns what is to go wrong with it, if anything is."""
        with self._guard:
            self.heard.append(message)
            return next((hook for hook in self.hooks if hook.hits(message)), None)

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), closing(client):
            server = socket.create_connection(("127.0.0.1", self._to))
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with closing(server):
                try:
                    Conversation(self, client, server).go_on()
                finally:
                    for one in (client, server):
                        with suppress(OSError):
                            one.shutdown(socket.SHUT_RDWR)


class Conversation:
    """One client and the server."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._is_last = False
        self._ended = threading.Event()

    def go_on(self) -> None:
        """Hand on until one side goes, or is made to go."""
        self._begin()
        threading.Thread(target=self._answers, daemon=True).start()
        query = ""
        for kind, body in messages(self._client):
            if kind == b"P":
                query = body.split(b"\0")[1].decode()
            named = {b"Q": body[:-1].decode("utf-8", "replace"), b"S": query, b"c": "bulk rows"}.get(kind)
            hook = self._proxy.hear(named) if named is not None else None
            if hook is not None and self._goes_wrong(hook, kind, body):
                return
            self._server.sendall(kind + struct.pack(">I", len(body) + 4) + body)

    def _begin(self) -> None:
        while True:
            head = exactly(self._client, 8)
            length, code = struct.unpack(">II", head)
            if code not in SSL_REQUESTS:
                break
            self._client.sendall(b"N")
        hook = self._proxy.hear("login")
        if hook is not None and hook.do == "drop":
            raise OSError
        self._server.sendall(head + exactly(self._client, length - 8))

    def _goes_wrong(self, hook: Hook, kind: bytes, body: bytes) -> bool:
        if hook.do == "delay":
            time.sleep(hook.seconds)
            return False
        if hook.do == "silence":
            time.sleep(SILENCE_SECONDS)
        if hook.do == "error":
            told = b"SERROR\0C%05d\0Merror %d on request\0\0" % (hook.number, hook.number)
            self._client.sendall(b"E" + struct.pack(">I", len(told) + 4) + told + b"Z\0\0\0\5E")
            time.sleep(0.2)
        elif hook.after:
            self._is_last = True
            self._server.sendall(kind + struct.pack(">I", len(body) + 4) + body)
            self._ended.wait(10)
        return True

    def _answers(self) -> None:
        with suppress(OSError):
            for kind, body in messages(self._server):
                if self._is_last:
                    if kind == b"Z":
                        self._ended.set()
                        return
                    continue
                self._client.sendall(kind + struct.pack(">I", len(body) + 4) + body)
        for one in (self._client, self._server):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def messages(of: socket.socket) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and body of each message."""
    while True:
        kind, length = struct.unpack(">cI", exactly(of, 5))
        yield kind, exactly(of, length - 4)


def exactly(of: socket.socket, size: int) -> bytes:
    """Return so many bytes.

    Raises:
        OSError: the other side has gone.
    """
    data = bytearray()
    while len(data) < size:
        some = of.recv(size - len(data))
        if not some:
            raise OSError("gone")
        data += some
    return bytes(data)
