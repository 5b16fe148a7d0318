"""Who alerts are sent to, for real: a webhook (HTTP) and a mail server (SMTP, with a password) that keep what comes."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, TCPServer, ThreadingTCPServer

USER = "ann"
LOCAL = "127.0.0.1"


class Hook:
    """A webhook: `told` has the bodies of what came. `secret` stands in its address twice."""

    def __init__(self, secret: str) -> None:
        self.told: list[dict[str, str]] = []
        told = self.told

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer((LOCAL, 0), Handler)
        self.url = f"http://{USER}:{secret}@{LOCAL}:{self.server.server_address[1]}/hook/{secret}path"

    @property
    def events(self) -> list[str]:
        """What it was told of."""
        return [one["title"].removeprefix("GWC Crawler: ").partition(",")[0] for one in self.told]


class Mail:
    """A mail server that takes mail from who knows its `password`: `told` has subject and text of each."""

    def __init__(self, password: str) -> None:
        self.told: list[tuple[str, str]] = []
        told, plain = self.told, base64.b64encode(f"\0{USER}\0{password}".encode()).decode()

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                knows_it = False
                self.say(220, "ready")
                while line := self.rfile.readline().decode().strip():
                    word = line.split()[0].upper()
                    if word == "EHLO":
                        self.wfile.write(b"250-here\r\n250 AUTH PLAIN\r\n")
                    elif word == "AUTH":
                        knows_it = line.split()[-1] == plain
                        self.say(235 if knows_it else 535, "")
                    elif word == "DATA" and knows_it:
                        self.say(354, "go on")
                        self.keep()
                        self.say(250, "kept")
                    elif word == "QUIT":
                        return self.say(221, "bye")
                    else:
                        self.say(250 if knows_it else 530, "")
                return None

            def say(self, code: int, words: str) -> None:
                self.wfile.write(f"{code} {words}\r\n".encode())

            def keep(self) -> None:
                lines = []
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(line)
                message = message_from_bytes(b"".join(lines), policy=policy.default)
                body = message.get_body(("plain", "html"))
                told.append((str(message["Subject"]), body.get_content() if body else ""))

        self.server = ThreadingTCPServer((LOCAL, 0), Handler)
        self.server.daemon_threads = True
        port = self.server.server_address[1]
        self.url = f"mailto://{USER}:{password}@{LOCAL}:{port}?from=crawler@a.example&to=ann@a.example&mode=insecure"

    @property
    def events(self) -> list[str]:
        """What it was told of."""
        return [subject.removeprefix("GWC Crawler: ").partition(",")[0] for subject, _ in self.told]


@contextmanager
def hook_of(secret: str) -> Iterator[Hook]:
    """A webhook that listens."""
    hook = Hook(secret)
    with served(hook.server):
        yield hook


@contextmanager
def mail_of(password: str) -> Iterator[Mail]:
    """A mail server that listens."""
    mail = Mail(password)
    with served(mail.server):
        yield mail


@contextmanager
def served(server: TCPServer) -> Iterator[None]:
    """Answer until the end."""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
