"""The access settings of a site file: credentials, login, proxies. Made by `sites`, used by the middlewares. No secret
is stored here: only `SecretText.reveal` returns the value from the environment, right before it is sent."""

from __future__ import annotations

import json
import os
import re
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from errno import ENODEV
from http.cookiejar import Cookie, LoadError, MozillaCookieJar
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any
from urllib.parse import urlsplit

from w3lib.http import basic_auth_header

from gwc_crawler.errors import InputError
from gwc_crawler.network.masking import hide
from gwc_crawler.urls import same_site

_VARIABLE = re.compile(r"\{env:([A-Za-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class SecretText:
    """A text of a site file in which `{env:NAME}` stands for the value of an environment variable."""

    written: str

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables it names."""
        return tuple(_VARIABLE.findall(self.written))

    def reveal(self) -> str:
        """Return the text with its variables' values, masked in all logs from now on; InputError: one is not set."""
        return _VARIABLE.sub(lambda found: _value(found[1]), self.written)


def _value(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise InputError(missing_text(name))
    hide(value)
    return value


def missing_text(name: str) -> str:
    """Say that an environment variable is missing, and give the remedy."""
    what = "is empty" if name in os.environ else "is not set"
    return f"the environment variable {name} {what}; export {name}=… before you start the crawl"


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that the site file names at `line`."""

    name: str
    line: int | None

    @property
    def problem(self) -> str:
        """A sentence on a problem with it now; "": none."""
        return "" if os.environ.get(self.name) else missing_text(self.name)


@dataclass(frozen=True, slots=True)
class Auth:
    """[auth]: HTTP basic authentication (RFC 7617)."""

    user: SecretText
    password: SecretText


@dataclass(frozen=True, slots=True)
class Success:
    """[login] success: how a page shows that one is logged in; all empty: by the login form's absence. `css` selects
    something there, `text` stands there, `url` is a regex that is found in the page's address.
    """

    css: str = ""
    text: str = ""
    url: str = ""

    @property
    def of_any_page(self) -> Success:
        """The part of it that can be checked on any page; `url` is about the page after the login only."""
        return replace(self, url="")

    def __str__(self) -> str:
        """Return the test for a message."""
        named = (("css", self.css), ("text", self.text), ("url", self.url))
        return " and ".join(f"{name} {value!r}" for name, value in named if value)


@dataclass(frozen=True, slots=True)
class Login:
    """[login]: the page with the form, the form (CSS; "": the one with all fields), and the values for its fields."""

    url: str
    fields: Mapping[str, SecretText]
    form: str = ""
    success: Success = field(default_factory=Success)
    attempts: int = 3


@dataclass(frozen=True, slots=True)
class Proxies:
    """[proxies]: the proxies that all pages of the site come through. Of each: `concurrency`: most requests at once
    (None: any); `delay_seconds` between two; `rest_seconds` after a failure, twice as long each time while another one
    works.
    """

    urls: tuple[SecretText, ...] = ()
    file: Path | None = None
    concurrency: int | None = None
    delay_seconds: float = 0.0
    rest_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class AccessRules:
    """All of it. `lines` has table → its line in the site file."""

    headers: Mapping[str, SecretText] = field(default_factory=dict)
    auth: Auth | None = None
    cookies: Path | None = None
    login: Login | None = None
    proxies: Proxies | None = None
    variables: tuple[Variable, ...] = ()
    lines: Mapping[str, int | None] = field(default_factory=dict)

    def of_others(self) -> AccessRules:
        """Return the rules that also hold for other sites: without cookies, login, and headers with variables."""
        plain = {name: value for name, value in self.headers.items() if not value.variables}
        named = {one for proxy in (self.proxies.urls if self.proxies else ()) for one in proxy.variables}
        variables = tuple(one for one in self.variables if one.name in named)
        return AccessRules(headers=plain, proxies=self.proxies, variables=variables, lines=self.lines)

    @property
    def takes_cookies(self) -> bool:
        """Whether pages are fetched with cookies."""
        return self.cookies is not None or self.login is not None


# --- A file that a person has named → its text. Called for lists of cookies and of proxies ----------------------------
def read_text(path: Path, what: str) -> str:
    """Return the text of a file in UTF-8, without its byte order mark; InputError: *what* can't be read."""
    try:
        mode = path.stat().st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            raise OSError(ENODEV, "it is a pipe or a device, no file", str(path))
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"{what} {path} can't be read: {why}") from error


# --- The hosts to which a site's headers, credentials and cookies may be sent -----------------------------------------
@dataclass(frozen=True, slots=True)
class Reach:
    """The site's own hosts (`sites`, as `same_site` takes them); `in_clear`: also by http."""

    sites: Collection[str]
    in_clear: bool

    @classmethod
    def of(cls, sites: Collection[str], entry: Iterable[str]) -> Reach:
        """Return the reach of a site with these entries; where all are https, nothing is told in the clear."""
        return cls(sites, any(url.startswith("http://") for url in entry))

    def has(self, url: str) -> bool:
        """Say whether what is secret may be sent to *url*.

        >>> Reach.of({"shop.example"}, ["https://shop.example/"]).has("http://shop.example/")
        False
        """
        return same_site(url, self.sites) and (self.in_clear or url.startswith("https:"))

    def has_cookies_of(self, domain: str) -> bool:
        """Say whether a cookie of *domain* is the site's; cookies know no ports.

        >>> Reach({"127.0.0.1:8000", "shop.example"}, True).has_cookies_of(".www.shop.example")
        True
        >>> Reach({"127.0.0.1:8000", "shop.example"}, True).has_cookies_of("127.0.0.1")
        True
        """
        name = domain.lstrip(".").lower()
        hosts = {urlsplit(f"//{site}").hostname or site for site in self.sites}
        return same_site(f"http://{name}/", self.sites) or name in hosts


# --- [headers] and [auth] → the headers that are sent -----------------------------------------------------------------
def headers_of(access: AccessRules) -> dict[str, bytes]:
    """Return the site file's headers with their secrets; InputError: a variable is not set, or has a line break."""
    headers = {}
    for name, text in access.headers.items():
        value = text.reveal()
        if not value.isprintable():
            raise InputError(f"the header {name} would hold a line break or the like; look into the variables it names")
        headers[name] = value.encode()
    if (auth := access.auth) is not None:
        value = basic_auth_header(auth.user.reveal(), auth.password.reveal(), "utf-8").decode("ascii")
        hide(value.partition(" ")[2])
        headers["Authorization"] = value.encode()
    return headers


# --- Cookies that a browser has exported ------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class CookieFile:
    """The cookies of one file that are for the site: those that still hold, and the names of those that don't."""

    cookies: tuple[Cookie, ...]
    expired: tuple[str, ...]


def read_cookies(path: Path, is_own: Callable[[str], bool], now: int | None = None) -> CookieFile:
    """Read the file's cookies for the site (*is_own* asks of a domain); *now*: seconds of the epoch.

    Raises InputError: it can't be read, or has no unexpired cookie for the site.
    """
    now = int(time.time()) if now is None else now
    found = _read(path)
    hide(*(cookie.value for cookie in found if cookie.value and len(cookie.value) > 3))
    own = [cookie for cookie in found if is_own(cookie.domain)]
    expired = tuple(cookie.name for cookie in own if cookie.is_expired(now))
    kept = tuple(cookie for cookie in own if not cookie.is_expired(now))
    for cookie in kept:
        if "." not in cookie.domain:  # so does http.cookiejar name hosts without a dot
            cookie.domain += ".local"
    if not kept:
        seen = ", ".join(sorted({cookie.domain for cookie in found})[:5])
        why = f"all {len(expired)} of the site's have expired" if expired else f"none is for the site, but for {seen}"
        raise InputError(f"the cookies of {path} are of no use: {why}; export them anew from a browser that is let in")
    return CookieFile(kept, expired)


def _read(path: Path) -> list[Cookie]:
    text = read_text(path, "the cookies of")
    found = _of_json(text, path) if text.lstrip()[:1] in ("[", "{") else _of_netscape(path)
    if not found:
        raise InputError(f"{path} holds no cookies; export them from a browser as cookies.txt or JSON")
    return found


def _of_netscape(path: Path) -> list[Cookie]:
    jar = MozillaCookieJar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a line that it can't read, it warns before it says so
            jar.load(str(path), ignore_discard=True, ignore_expires=True)
    except LoadError:  # its text has the line, and so the cookie
        hint = "its first line has to be '# Netscape HTTP Cookie File', each other one seven fields with tabs between"
        raise InputError(f"{path} is no cookies.txt: {hint}") from None
    except (OSError, UnicodeDecodeError) as error:  # read again, in the locale's encoding
        raise InputError(f"the cookies of {path} can't be read: {error}") from error
    for cookie in jar:
        if not cookie.expires:  # 0: until the browser is closed
            cookie.expires, cookie.discard = None, True
    return list(jar)


def _of_json(text: str, path: Path) -> list[Cookie]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InputError(f"{path} is no JSON: line {getattr(error, 'lineno', 1)}") from None
    rows = data.get("cookies") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise InputError(f"{path} has no list of cookies, neither as a whole nor under 'cookies'")
    return [_cookie(row, number, path) for number, row in enumerate(rows, 1)]


def _cookie(row: Any, number: int, path: Path) -> Cookie:
    try:
        name, value, domain = (row[key] for key in ("name", "value", "domain"))
        if not all(isinstance(one, str) for one in (name, value, domain)):
            raise TypeError
        ends = row.get("expirationDate", row.get("expires"))
        expires = int(ends) if isinstance(ends, int | float) and ends > 0 else None
    except (AttributeError, KeyError, TypeError):
        raise InputError(f"cookie {number} of {path} needs name, value and domain, each a text") from None
    dotted = domain.startswith(".") or row.get("hostOnly") is False
    domain = f".{domain.lstrip('.')}" if dotted else domain
    return Cookie(
        version=0,
        name=name,
        value=value,
        port=None,
        port_specified=False,
        domain=domain,
        domain_specified=dotted,
        domain_initial_dot=dotted,
        path=str(row.get("path") or "/"),
        path_specified=True,
        secure=bool(row.get("secure")),
        expires=expires,
        discard=expires is None,
        comment=None,
        comment_url=None,
        rest={"HttpOnly": ""} if row.get("httpOnly") else {},
    )
