"""A shop for members: a web application with a login form, hidden tokens and sessions that end. Over real sockets.

with MembersSite(pages=20, uses=7) as site: … site.url, site.logins, site.views …
"""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast
from urllib.parse import parse_qs, quote, urlsplit

USER = "ann.reader"
PASSWORD = "Tr0ub4dor & 3/ü"

FORM = """<form method="get" action="/search"><input name="q"></form>
<form id="login" method="post" action="/session?from=form"><input type="hidden" name="token" value="{token}">
<input name="username" value="guest"><input type="password" name="password"><input type="checkbox" name="stay" checked>
<button name="do" value="login">Go</button><button name="do" value="forgot">Forgot</button></form>"""


class MembersSite(ThreadingHTTPServer):
    """`pages` products behind a login; an index that leads to all of them.

    Args:
        uses: a session is over after so many views; 0: never.
        denial: what those see who are not logged in: "redirect", "form" (a page with status 200), 401 or 403.
        leads_away: whether members that ask for the form are led to their account.
        onward: where a form that was sent is to be sent again (307).
        forbidden: paths that no member may see: 403.

    Attributes:
        logins: good and bad ones, counted.
        views: path → views of the page itself.
        denied: path → how often it was refused.
        heard: every request's method, path and headers.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, pages: int = 12, *, uses: int = 0, denial: str | int = "redirect", secure: str = PASSWORD
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = pages
        self.uses = uses
        self.denial = denial
        self.password = secure
        self.forbidden: set[str] = set()
        self.leads_away = False
        self.onward = ""
        self.logins: Counter[str] = Counter()
        self.views: Counter[str] = Counter()
        self.denied: Counter[str] = Counter()
        self.heard: list[tuple[str, str, dict[str, str]]] = []
        self.sessions: dict[str, int] = {}
        self.tokens: set[str] = set()
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def site_file(self, more: str = "") -> str:
        """The site file of a crawl that stores pages."""
        return (
            f'entry = ["{self.url}/"]\nkeywords = "treasure"\n[login]\nurl = "{self.url}/login"\n'
            'fields = { username = "{env:SHOP_USER}", password = "{env:SHOP_PASSWORD}" }\n' + more
        )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def site(self) -> MembersSite:
        return cast("MembersSite", self.server)

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        with self.site.lock:
            self.site.heard.append(("GET", path, {name.lower(): value for name, value in self.headers.items()}))
            if path == "/robots.txt":
                self._say("User-agent: *\nDisallow: /login\n", kind="text/plain")
            elif path == "/login" and self.site.leads_away and self._is_member():
                self._say("", 302, ("Location", "/account"))
            elif path == "/login":
                self._say(self._form())
            elif not self._is_member():
                self._deny(path)
            elif path in self.site.forbidden:
                self._say("not for you", 403)
            else:
                self.site.views[path] += 1
                self._say(self._page(path))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode("ascii")
        sent = parse_qs(body, keep_blank_values=True)
        site = self.site
        with site.lock:
            site.heard.append(("POST", self.path, {name.lower(): value for name, value in self.headers.items()}))
            if site.onward:
                self._say("", 307, ("Location", site.onward))
                return
            token = sent.pop("token", [""])[0]
            wanted = {"username": [USER], "password": [site.password], "stay": ["on"], "do": ["login"]}
            good = token in site.tokens and sent == wanted and self.path == "/session?from=form"
            site.tokens.discard(token)
            site.logins["good" if good else "bad"] += 1
            if not good:
                self._say(f"<p>Wrong name or password.</p>{self._form()}")
                return
            session = secrets.token_hex(16)
            site.sessions[session] = site.uses
            self._say("", 303, ("Location", "/account"), ("Set-Cookie", f"sid={session}; Path=/; HttpOnly"))

    def _is_member(self) -> bool:
        """Whether the session holds; each view uses it up."""
        cookies = SimpleCookie(self.headers.get("Cookie", ""))
        session = cookies["sid"].value if "sid" in cookies else ""
        sessions = self.site.sessions
        if session not in sessions:
            return False
        sessions[session] -= 1
        if sessions[session] == 0:
            del sessions[session]
        return True

    def _deny(self, path: str) -> None:
        self.site.denied[path] += 1
        match self.site.denial:
            case "redirect":
                self._say("", 302, ("Location", f"/login?next={quote(path, safe='')}"))
            case "form":
                self._say(f"<h1>Please log in</h1>{self._form()}")
            case status:
                self._say("log in first", int(status))

    def _form(self) -> str:
        token = secrets.token_hex(8)
        self.site.tokens.add(token)
        return f"<html><body>{FORM.format(token=token)}</body></html>"

    def _page(self, path: str) -> str:
        links = "".join(f'<a href="/item/{number}">item {number}</a> ' for number in range(self.site.pages))
        return f'<html><body><h1>{path}</h1><p class="hello">Sign out</p><p>treasure</p>{links}</body></html>'

    def _say(self, text: str, status: int = 200, *headers: tuple[str, str], kind: str = "text/html") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
