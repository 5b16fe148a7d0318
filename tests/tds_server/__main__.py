"""The server process: `python -m tests.tds_server DIRECTORY PORT PASSWORD`; orders come as lines of JSON on stdin."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.tds_server import wire
from tests.tds_server.engine import Locks, Session, SqlError
from tests.tds_server.hooks import Hook

SILENCE_SECONDS = 600.0


class Server:
    """Listens, and serves each connection in a thread of its own."""

    def __init__(self, directory: Path, port: int, password: str) -> None:
        self.directory = directory
        self.password = password
        self.locks = Locks()
        self.hooks: list[Hook] = []
        self.heard: list[str] = []
        self._guard = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]

    def listen(self) -> None:
        """Take connections until the process ends."""
        while True:
            client, _ = self._socket.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=Connection(self, client).serve, daemon=True).start()

    def hear(self, message: str) -> Hook | None:
        """Note a message; returns what is to go wrong with it, if anything is."""
        with self._guard:
            self.heard.append(message)
            return next((hook for hook in self.hooks if hook.hits(message)), None)

    def obey(self, order: dict[str, Any]) -> Any:
        """Do what the test wants."""
        with self._guard:
            if "hooks" in order:
                self.hooks = [Hook(**one) for one in order["hooks"]]
            heard = self.heard
            if order.get("forget"):
                self.heard = []
            return heard


class Connection:
    """One client."""

    def __init__(self, server: Server, client: socket.socket) -> None:
        self._server = server
        self._client = client
        self._session: Session | None = None

    def serve(self) -> None:
        """Answer until the client goes, or is made to go."""
        with suppress(wire.Gone, OSError), self._client:
            try:
                while True:
                    self._answer(*wire.receive(self._client))
            finally:
                if self._session is not None:
                    self._session.close()

    def _answer(self, kind: int, body: bytes) -> None:
        if kind == wire.PRELOGIN:
            wire.send(self._client, wire.prelogin())
        elif kind == wire.ATTENTION:
            if self._session is not None:
                self._session.abort()  # what is cancelled ends its transaction, as an error does
            wire.send(self._client, wire.done(status=wire.DONE_ATTENTION))
        else:
            hook = self._server.hear(named(kind, body))
            if hook is None:
                wire.send(self._client, self._done(kind, body))
            else:
                self._go_wrong(hook, kind, body)

    def _go_wrong(self, hook: Hook, kind: int, body: bytes) -> None:
        done = self._done(kind, body) if hook.after else b""
        if hook.do == "drop":
            raise wire.Gone
        if hook.do == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if hook.do == "silence":
            time.sleep(SILENCE_SECONDS)
        if hook.do == "error":
            if self._session is not None:
                self._session.abort()
            done = failed(SqlError(hook.number, f"error {hook.number} on request"))
        if hook.do == "delay":
            time.sleep(hook.seconds)
            done = done or self._done(kind, body)
        wire.send(self._client, done)

    def _done(self, kind: int, body: bytes) -> bytes:
        try:
            if kind == wire.LOGIN:
                return self._sign_in(wire.login(body))
            if self._session is None:
                raise wire.Gone
            if kind == wire.BATCH:
                return self._session.run(wire.batch_text(body))
            if kind == wire.BULK:
                return self._session.take_bulk(body)
            raise SqlError(40000, f"the responder does not know messages of kind {kind}")
        except SqlError as error:
            return failed(error)

    def _sign_in(self, who: dict[str, str]) -> bytes:
        if who["password"] != self._server.password:
            raise SqlError(18456, f"Login failed for user '{who['user']}'.")
        name = who["database"] or "master"
        self._session = Session(self._server.directory, name, self._server.locks)
        return wire.signed_in(name) + wire.done()


def named(kind: int, body: bytes) -> str:
    """Return what a message is called in hooks and in what was heard."""
    if kind == wire.BATCH:
        return wire.batch_text(body)
    return {wire.LOGIN: "login", wire.BULK: "bulk rows"}.get(kind, f"message {kind}")


def failed(error: SqlError) -> bytes:
    """Return an error as an answer."""
    return wire.error(error.number, str(error), 14 if error.number in (18456, 4060) else 16) + wire.done(
        status=wire.DONE_ERROR
    )


def main(directory: str, port: str, password: str) -> None:
    """Serve until stdin ends."""
    server = Server(Path(directory), int(port), password)
    threading.Thread(target=server.listen, daemon=True).start()
    print(server.port, flush=True)
    for line in sys.stdin:
        print(json.dumps(server.obey(json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
