"""Cookies that a browser has exported: cookies.txt (Netscape) or JSON → cookies for a jar. Called when a crawl opens.

JSON is a list of objects, or the `cookies` of one, with name, value, domain and, where they are known, path, secure,
httpOnly and the end in seconds of the epoch (`expires`, `expirationDate`): what Playwright, Puppeteer, EditThisCookie
and Cookie-Editor write.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookiejar import Cookie, LoadError, MozillaCookieJar
from pathlib import Path
from typing import Any

from gwc_crawler.access.masking import hide
from gwc_crawler.access.text_files import read_text
from gwc_crawler.errors import InputError


@dataclass(frozen=True, slots=True)
class CookieFile:
    """The cookies of one file that are for the site: those that still hold, and the names of those that don't."""

    cookies: tuple[Cookie, ...]
    expired: tuple[str, ...]


def read_cookies(path: Path, is_own: Callable[[str], bool], now: int | None = None) -> CookieFile:
    """Read the file; what is for other sites than one's own is left out.

    Args:
        is_own: whether a cookie's domain is the site's.
        now: seconds of the epoch.
    Raises:
        InputError: it can't be read, or has no cookie for the site that still holds.
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
    try:
        start = read_text(path).lstrip()[:1]
        found = _of_json(path) if start in ("[", "{") else _of_netscape(path)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"the cookies of {path} can't be read: {why}") from error
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
    for cookie in jar:
        if not cookie.expires:  # 0: until the browser is closed
            cookie.expires, cookie.discard = None, True
    return list(jar)


def _of_json(path: Path) -> list[Cookie]:
    try:
        data = json.loads(read_text(path))
    except ValueError as error:
        raise InputError(f"{path} is no JSON: line {getattr(error, 'lineno', 1)}") from None
    rows = data.get("cookies") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise InputError(f"{path} has no list of cookies, neither as a whole nor under 'cookies'")
    return [_cookie(row, number, path) for number, row in enumerate(rows, 1)]


def _cookie(row: Any, number: int, path: Path) -> Cookie:
    try:
        name, value, domain = (_text(row, key) for key in ("name", "value", "domain"))
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


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row[key]
    if not isinstance(value, str):
        raise TypeError(key)
    return value
