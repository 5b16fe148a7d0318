"""Access to the dashboard: only with its token, by a name of ours, and for a change only from a page of ours.

A page of another site can make a browser send requests here. It can't read the token's cookie, which goes along with
requests of our own pages alone (SameSite=Strict); a request for a change is refused unless browser (Sec-Fetch-Site,
Origin) and form (a token of its own) show that it comes from here. A host name that somebody else points at this
machine (DNS rebinding) is no name of ours. The pages run no script but ours, and load nothing from elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from aiohttp import web

COOKIE_SECONDS = 90 * 86_400
MOST_FORM_BYTES = 4 * 1024 * 1024

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HARMLESS_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
"""The policy of a foreign page in a frame of ours: its own style sheets may paint it; all else is forbidden."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with "no-referrer" a browser says of our own forms that they come from nowhere
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

OPEN = "/static/"
"""Files for everybody who knows the host: style sheet and script."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class VisitorCheck:
    """Who may enter: the holder of `token`, who asks by an address, localhost or one of `names`."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    names: frozenset[str] = frozenset()

    @property
    def form_token(self) -> str:
        """The token that each form of ours sends along."""
        return hmac.digest(self.token.encode(), b"form", hashlib.sha256).hex()

    def is_ours(self, host: str) -> bool:
        """Say whether a Host header names this dashboard: an address can't be pointed elsewhere, a name can.

        >>> [VisitorCheck().is_ours(one) for one in ("127.0.0.1:8", "[::1]:8", "localhost:8", "evil.example:8", "")]
        [True, True, True, False, False]
        """
        name = _name_in(host)
        return name == "localhost" or name in self.names or _is_address(name)

    def lets_in(self, token: str) -> bool:
        """Say whether this is the token; it takes as long for each wrong one."""
        return _same(token, self.token)

    def is_form_of_ours(self, token: str) -> bool:
        """Say whether a form was one of our pages."""
        return _same(token, self.form_token)


def guards(access: VisitorCheck, refuse: Callable[[web.Request, int, str], web.Response]) -> list[Any]:
    """Return the middlewares that keep others out; *refuse* makes the page that says why, by status and reason."""

    @web.middleware
    async def headers(request: web.Request, handler: Handler) -> web.StreamResponse:
        answer = await handler(request)
        for name, value in HEADERS.items():
            answer.headers.setdefault(name, value)
        answer.headers.setdefault("Content-Security-Policy", POLICY)
        if not request.path.startswith(OPEN):
            answer.headers["Cache-Control"] = "no-store"
        return answer

    @web.middleware
    async def names(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not access.is_ours(request.headers.get("Host", "")):
            return refuse(request, 421, "This is not the name of this dashboard.")
        return await handler(request)

    @web.middleware
    async def tokens(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path.startswith(OPEN):
            return await handler(request)
        if request.method in ("GET", "HEAD") and "token" in request.query:
            return _entered(request, access, refuse)
        kept = request.cookies.get(cookie_name(request), "")
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not (access.lets_in(kept) or (request.method in ("GET", "HEAD") and access.lets_in(bearer))):
            return refuse(request, 403, "Open the address that `scrapy dashboard` printed, or enter its token.")
        return await handler(request)

    @web.middleware
    async def forms(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method in ("GET", "HEAD"):
            return await handler(request)
        if request.method != "POST" or not _from_here(request):
            return refuse(request, 403, "What changes something has to come from a page of this dashboard.")
        try:
            form = await request.post()
            "".join((*form, *(one for one in form.values() if isinstance(one, str)))).encode()  # no half signs
        except (ValueError, LookupError):
            return refuse(request, 400, "This form can't be read.")
        except web.HTTPRequestEntityTooLarge:
            return refuse(request, 413, "This is too much for one form.")
        if not access.is_form_of_ours(str(form.get("form_token", ""))):
            return refuse(request, 403, "This form is of another run of the dashboard: load its page again.")
        return await handler(request)

    return [headers, names, tokens, forms]


def cookie_name(request: web.Request) -> str:
    """Return the name of the token's cookie: browsers don't tell the ports of a host apart."""
    return f"gwc_dashboard_{urlsplit('//' + request.host).port or 80}"


def _entered(
    request: web.Request, access: VisitorCheck, refuse: Callable[[web.Request, int, str], web.Response]
) -> web.Response:
    if not access.lets_in(request.query["token"]):
        return refuse(request, 403, "This token is not that of this dashboard: it has a new one each time it starts.")
    rest = [(name, value) for name, value in request.query.items() if name != "token"]
    answer = web.Response(
        status=303, headers={"Location": f"{request.path}?{urlencode(rest)}" if rest else request.path}
    )
    answer.set_cookie(
        cookie_name(request), access.token, max_age=COOKIE_SECONDS, httponly=True, samesite="Strict", path="/"
    )
    return answer


def _from_here(request: web.Request) -> bool:
    """Say whether the browser says that a page of ours has sent this; one that says nothing is refused."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None and site != "same-origin":
        return False
    if origin is not None:
        return origin.partition("://")[2] == request.headers.get("Host")
    return site is not None


def _same(given: str, secret: str) -> bool:
    """Compare in a time that does not depend on the number of equal characters; *given* may have odd bytes."""
    return hmac.compare_digest(given.encode(errors="surrogatepass"), secret.encode())


def _name_in(host: str) -> str:
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname or "", parts.port  # raises for a port that is none
    except ValueError:
        return ""
    return "" if set(host) & set("/?#@\\ ") else name


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ipaddress.ip_address(name))
    return False
