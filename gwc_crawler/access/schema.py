"""What a site file says of how one gets in. Made by `sites`, used by the middlewares; no secret stands in it.

A `SecretText` holds what is written, `{env:NAME}`; what the environment says comes out of `reveal` alone, where it is
about to be sent.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from gwc_crawler.access.masking import hide
from gwc_crawler.errors import InputError

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
        """Return the text with the variables' values, which are masked in all logs from now on.

        Raises:
            InputError: a variable is not set, or empty.
        """
        return _VARIABLE.sub(lambda found: _value(found[1]), self.written)


def _value(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise InputError(missing_text(name))
    hide(value)
    return value


def missing_text(name: str) -> str:
    """Say that an environment variable is not there, and what helps."""
    what = "is empty" if name in os.environ else "is not set"
    return f"the environment variable {name} {what}; export {name}=… before you start the crawl"


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that the site file names at `line`."""

    name: str
    line: int | None

    @property
    def problem(self) -> str:
        """What is wrong with it now; "": nothing."""
        return "" if os.environ.get(self.name) else missing_text(self.name)


@dataclass(frozen=True, slots=True)
class Auth:
    """[auth]: HTTP basic authentication (RFC 7617)."""

    user: SecretText
    password: SecretText


@dataclass(frozen=True, slots=True)
class Success:
    """[login] success: by what a page is known to be one for who is logged in. All empty: by the form that is missing.

    `css` finds something there, `text` stands there, `url` is a regex that is found in the page's address.
    """

    css: str = ""
    text: str = ""
    url: str = ""

    @property
    def of_any_page(self) -> Success:
        """What of it can be asked of any page; an address is that of the page after the login alone."""
        return replace(self, url="")

    def __str__(self) -> str:
        """Return the test for a message."""
        named = (("css", self.css), ("text", self.text), ("url", self.url))
        return " and ".join(f"{name} {value!r}" for name, value in named if value)


@dataclass(frozen=True, slots=True)
class Login:
    """[login]: the page with the form, the form (CSS; "": the one that has all the fields), and what is put into it."""

    url: str
    fields: Mapping[str, SecretText]
    form: str = ""
    success: Success = field(default_factory=Success)
    attempts: int = 3


@dataclass(frozen=True, slots=True)
class Proxies:
    """[proxies]: through whom all pages of the site come; what holds for each of them.

    `concurrency`: so many requests at once (None: any number); `delay_seconds` between two; `rest_seconds`: how long
    one that fails rests, twice as long each time while another one works.
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
        """Return what of it holds for other sites than the one it was written for: nothing that is secret to it."""
        plain = {name: value for name, value in self.headers.items() if not value.variables}
        named = {one for proxy in (self.proxies.urls if self.proxies else ()) for one in proxy.variables}
        variables = tuple(one for one in self.variables if one.name in named)
        return AccessRules(headers=plain, proxies=self.proxies, variables=variables, lines=self.lines)

    @property
    def takes_cookies(self) -> bool:
        """Whether pages are fetched with cookies."""
        return self.cookies is not None or self.login is not None
