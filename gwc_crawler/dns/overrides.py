"""Addresses that need no name server: `/etc/hosts`, and what a person has written into a site file or a setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gwc_crawler.dns.literals import is_name, literal_of, plain_host

HOSTS_FILE = Path("/etc/hosts")


def read_hosts_file(path: Path = HOSTS_FILE) -> dict[str, tuple[str, ...]]:
    """Return names → addresses as hosts(5) has them; {} where there is no such file.

    What can't be read in it is left out, as the system does.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        address, *names = line.partition("#")[0].split() or [""]
        literal = literal_of(address)
        for name in map(plain_host, names):
            if literal is not None and literal not in found.get(name, ()):
                found[name] = (*found.get(name, ()), literal)
    return found


def read_overrides(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return names → addresses of what a person wrote: {"x.example": "10.0.0.1"}, or a list of addresses.

    Raises:
        ValueError: which name or address is none.

    >>> read_overrides({"X.example": "10.0.0.1", "y.example": ["::1", "127.0.0.1"]})
    {'x.example': ('10.0.0.1',), 'y.example': ('::1', '127.0.0.1')}
    """
    read = {}
    for name, value in table.items():
        written = [value] if isinstance(value, str) else value
        if not is_name(plain_host(name)):
            raise ValueError(f"{name!r} is no host name")
        if not isinstance(written, Iterable) or not (texts := list(written)):
            raise ValueError(f"{name} has {value!r}, which is no address; write one like '10.0.0.1'")
        read[plain_host(name)] = tuple(_address(name, text) for text in texts)
    return read


def _address(name: str, text: Any) -> str:
    if not isinstance(text, str) or (address := literal_of(text)) is None:
        raise ValueError(f"{name} has {text!r}, which is no address; write one like '10.0.0.1'")
    return address
