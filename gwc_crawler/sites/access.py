"""The access tables of a site file: [headers], [auth], [cookies], [login], [proxies].

A secret is never written in one: `{env:NAME}` stands for it. Called by `validation`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gwc_crawler.network.access import AccessRules, Auth, Login, Proxies, Reach, SecretText, Success, Variable
from gwc_crawler.network.proxies import proxy_problem
from gwc_crawler.sites.keys import check_keys, read_url, take_number, take_table, take_texts
from gwc_crawler.sites.toml_text import KeyPath, Notes, describe

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, §5.6.2

_ELSEWHERE = {
    "user-agent": "set USER_AGENT in [settings], which robots.txt is read by, too",
    "cookie": "put cookies into a file and name it in [cookies]",
    "proxy-authorization": "write it into the proxy's URL in [proxies]",
    "accept-encoding": "it is the crawler's",
    **dict.fromkeys(("host", "connection", "content-length"), "it is the crawler's"),
    **dict.fromkeys(("transfer-encoding", "te", "upgrade"), "it is the crawler's"),
}
"""Header → the reason why it is not allowed in [headers]."""

_SECRET_NAME = re.compile(r"passw|passwd|pwd|secret|api.?key|^authorization$|^x-auth", re.IGNORECASE)

_BRACES = re.compile(r"\{env:[^}]*\}?")


class _Texts:
    """Takes texts that may name environment variables, and remembers which, each with its line."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self.variables: list[Variable] = []

    def take(self, path: KeyPath, value: Any, *, secret: bool = False) -> SecretText:
        """Return the text at *path*; note a value that is no text, and a *secret* that is written out."""
        name = path[-1]
        if not isinstance(value, str) or not value:
            what = "empty" if value == "" else "no text" if secret else describe(value)
            self._notes.mistake(path, f"{name} in [{path[0]}] is {what}; write a text in quotes")
            return SecretText("")
        text = SecretText(value)
        self.variables += (Variable(one, self._notes.line(path)) for one in text.variables)
        if len(_BRACES.findall(value)) > len(text.variables):
            self._notes.mistake(path, f'{name} in [{path[0]}]: a variable is written "{{env:NAME}}"')
        elif secret and not text.variables:
            told = f"{name} in [{path[0]}] is a secret, which does not belong in a site file"
            self._notes.mistake(path, f'{told}; put it into an environment variable and write {name} = "{{env:NAME}}"')
        return text


def read_access(data: Mapping[str, Any], path: Path, entry: tuple[str, ...], sites: Any, notes: Notes) -> AccessRules:
    """Read the tables; *path* is the site file, from which files are looked for, *sites* what is in scope."""
    texts = _Texts(notes)
    access = AccessRules(
        headers=_read_headers(data, texts, notes),
        auth=_read_auth(data, texts, notes),
        cookies=_read_cookies(data, path, notes),
        login=_read_login(data, Reach.of(sites, entry), texts, notes),
        proxies=_read_proxies(data, path, texts, notes),
        variables=tuple(texts.variables),
        lines={one: notes.line((one,)) for one in ("auth", "cookies", "headers", "login", "proxies") if one in data},
    )
    if access.auth and any(name.lower() == "authorization" for name in access.headers):
        notes.mistake(("headers",), "[headers] has Authorization, which [auth] makes; remove one of them")
    settings = data.get("settings")
    for name, value in settings.items() if isinstance(settings, dict) else ():
        if isinstance(value, str) and "{env:" in value:
            hint = "it is read in [headers], [auth], [login] and [proxies] alone; give this setting by -s or a profile"
            notes.mistake(("settings", name), f"{name} in [settings] names an environment variable; {hint}")
    return access


def _read_headers(data: Mapping[str, Any], texts: _Texts, notes: Notes) -> dict[str, SecretText]:
    headers = {}
    for name, value in take_table(data, "headers", notes).items():
        path = ("headers", name)
        if not _HEADER_NAME.fullmatch(name):
            notes.mistake(path, f"{name!r} in [headers] can't be a header's name; write it like 'X-Api-Key'")
        elif (why := _ELSEWHERE.get(name.lower())) is not None:
            notes.mistake(path, f"{name} does not belong in [headers]; {why}")
        else:
            headers[name] = texts.take(path, value, secret=bool(_SECRET_NAME.search(name)))
    return headers


def _read_auth(data: Mapping[str, Any], texts: _Texts, notes: Notes) -> Auth | None:
    if "auth" not in data:
        return None
    table = take_table(data, "auth", notes)
    if not {"user", "password"} <= table.keys():
        notes.mistake(("auth",), '[auth] needs user = "…" and password = "{env:NAME}"')
        return None
    user = texts.take(("auth", "user"), table["user"])
    return Auth(user, texts.take(("auth", "password"), table["password"], secret=True))


def _read_cookies(data: Mapping[str, Any], path: Path, notes: Notes) -> Path | None:
    if "cookies" not in data:
        return None
    file = take_table(data, "cookies", notes).get("file")
    if not isinstance(file, str) or not file:
        notes.mistake(("cookies",), '[cookies] needs file = "cookies.txt": what a browser has exported')
        return None
    return path.parent / file


def _read_login(data: Mapping[str, Any], reach: Reach, texts: _Texts, notes: Notes) -> Login | None:
    if "login" not in data:
        return None
    table = take_table(data, "login", notes)
    written = table.get("url", "")
    url = read_url(("login", "url"), written if isinstance(written, str) else "", "url in [login]", notes) or ""
    if url.startswith("http://") and not reach.in_clear:
        notes.mistake(("login", "url"), "the password would go in the clear: url in [login] is http, the entries https")
    fields = table.get("fields")
    if not isinstance(fields, dict) or not fields:
        hint = 'fields = { username = "{env:SHOP_USER}", password = "{env:SHOP_PASSWORD}" }'
        notes.mistake(("login", "fields"), f"[login] needs {hint}, with the names of the form's inputs")
        fields = {}
    attempts = take_number(table, ("login", "attempts"), 1, notes)
    taken = {
        name: texts.take(("login", "fields", name), value, secret=bool(_SECRET_NAME.search(name)))
        for name, value in fields.items()
    }
    form = _read_css(table.get("form", ""), ("login", "form"), notes)
    success = _read_success(table.get("success", {}), notes)
    return Login(url, taken, form, success, Login("", {}).attempts if attempts is None else attempts)


def _read_success(told: Any, notes: Notes) -> Success:
    path = ("login", "success")
    if not isinstance(told, dict) or not all(isinstance(value, str) and value for value in told.values()):
        notes.mistake(path, f'success in [login] is {describe(told)}; write success = {{ css = ".logout" }}')
        return Success()
    check_keys(path, told, "[login] success", notes)
    regex = told.get("url", "")
    try:
        re.compile(regex)
    except re.error as error:
        notes.mistake((*path, "url"), f"success url {regex!r} in [login] is no regular expression ({error})")
        regex = ""
    return Success(_read_css(told.get("css", ""), (*path, "css"), notes), told.get("text", ""), regex)


def _read_css(value: Any, path: KeyPath, notes: Notes) -> str:
    from cssselect import SelectorError
    from cssselect.parser import parse

    try:
        if isinstance(value, str):
            parse(value or "*")
            return value
        notes.mistake(path, f"{path[-1]} in [login] is {describe(value)}; write a CSS selector in quotes")
    except SelectorError as error:
        notes.mistake(path, f"{path[-1]} {value!r} in [login] is no CSS selector ({error})")
    return ""


def _read_proxies(data: Mapping[str, Any], path: Path, texts: _Texts, notes: Notes) -> Proxies | None:
    if "proxies" not in data:
        return None
    table = take_table(data, "proxies", notes)
    urls = []
    for place, text in take_texts({"urls": table.get("urls", [])}, "urls", notes, ("proxies", "urls")):
        proxy = texts.take(place, text)
        if problem := proxy_problem(proxy):
            notes.mistake(place, f"urls in [proxies]: {problem}")
        urls.append(proxy)
    file = table.get("file")
    if (file is None) == (not urls) or not isinstance(file, str | None):
        notes.mistake(("proxies",), '[proxies] needs either urls = ["http://HOST:PORT"] or file = "proxies.txt"')
        file = None
    concurrency = take_number(table, ("proxies", "concurrency"), 1, notes)
    default, delay, rest = Proxies(), _read_seconds(table, "delay", notes), _read_seconds(table, "rest", notes)
    return Proxies(
        tuple(urls),
        path.parent / file if file else None,
        concurrency,
        default.delay_seconds if delay is None else delay,
        default.rest_seconds if rest is None else rest,
    )


def _read_seconds(table: Mapping[str, Any], key: str, notes: Notes) -> float | None:
    value = table.get(key)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value >= 0):
        return value
    told = f"{key} in [proxies] is {describe(value)}; write a number of seconds without quotes"
    notes.mistake(("proxies", key), told)
    return None
