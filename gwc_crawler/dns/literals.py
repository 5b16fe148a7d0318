"""Hosts that are addresses already, in every spelling in which a browser or a C library takes them for one."""

from __future__ import annotations

import re
import socket
from functools import lru_cache
from ipaddress import ip_address
from unicodedata import normalize
from urllib.parse import unquote

_NUMBER = r"(?:0[xX][0-9a-fA-F]*|[0-9]+)"
_C_ADDRESS = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,3}}")
_NAME = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_DOTS = str.maketrans("。．｡", "...")


@lru_cache(maxsize=4096)
def plain_host(host: str) -> str:
    """Return a host as names are compared: lower case, in ASCII where it can be, no brackets, no dot at the end.

    >>> plain_host("Shop.Example."), plain_host("１２７.0.0.1"), plain_host("[::1]"), plain_host("%31%30.0.0.1")
    ('shop.example', '127.0.0.1', '::1', '10.0.0.1')
    """
    text = normalize("NFKC", unquote(host.strip())).translate(_DOTS).lower()
    return text.removeprefix("[").removesuffix("]").removesuffix(".")


@lru_cache(maxsize=4096)
def literal_of(host: str) -> str | None:
    """Return the address that *host* is; None: it is a name.

    Beside the usual forms those that `inet_aton` takes, because resolvers do: one number, hexadecimal, octal, fewer
    than four parts (WHATWG URL, *IPv4 parser*).

    >>> [literal_of(one) for one in ("2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::1]", "fe80::1%25eth0")]
    ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1', '::1', 'fe80::1%eth0']
    >>> literal_of("a.example"), literal_of("1.2.3.example"), literal_of("1.2.3.4.5")
    (None, None, None)
    """
    text = plain_host(host)
    try:
        if _C_ADDRESS.fullmatch(text):
            return socket.inet_ntoa(socket.inet_aton(text))
        return str(ip_address(text.replace("%25", "%")))
    except (ValueError, OSError):
        return None


def is_name(host: str) -> bool:
    """Say whether *host*, a `plain_host`, can be asked for; its last part is no number (WHATWG URL).

    >>> [is_name(one) for one in ("a.example", "a_b.example", "a..example", "", "1.2.3.4.5", "x" * 64)]
    [True, True, False, False, False, False]
    """
    return _NAME.fullmatch(host) is not None and not host.rpartition(".")[2].isdigit()
