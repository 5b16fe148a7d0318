"""How the mall misbehaves on request, and the text form of it: "slow=0.2,cut=7,429=1,loop,only=/item/"."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache

from gwc_crawler.errors import InputError

BOMB_MEGABYTES = 300
_KEYS = {
    "slow": "slow_seconds",
    "cut": "cut_every",
    "charset": "wrong_charset_every",
    "429": "too_many_first",
    "429every": "too_many_every",
    "retry_after": "retry_after_seconds",
    "503": "unavailable_seconds",
    "503first": "unavailable_first",
    "reset": "reset_every",
    "loop": "loop",
    "bomb": "bomb",
    "only": "only",
}


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong. Counting "every k-th" goes over all requests that `only` covers, "first n" over each path.

    Attributes:
        slow_seconds: delay of every answer.
        cut_every: every k-th body ends in the middle.
        wrong_charset_every: every k-th Content-Type names a charset that the page is not written in.
        too_many_first: the first n requests of each path get 429. too_many_every: every k-th request does.
        retry_after_seconds: the Retry-After of 429 and 503.
        unavailable_seconds: 503 for so long after the server's start (or after the faults were set).
        unavailable_first: the first n requests of each path get 503.
        reset_every: every k-th connection is reset instead of answered.
        loop: the home page links to two items that redirect to each other. /loop/a and /loop/b always do.
        bomb: the home page links to an item whose 300 KB of gzip inflate to 300 MB. /bomb always does.
        only: a regex; paths that it is not found in behave. Without it all but /robots.txt misbehave.
    """

    slow_seconds: float = 0.0
    cut_every: int = 0
    wrong_charset_every: int = 0
    too_many_first: int = 0
    too_many_every: int = 0
    retry_after_seconds: int = 1
    unavailable_seconds: float = 0.0
    unavailable_first: int = 0
    reset_every: int = 0
    loop: bool = False
    bomb: bool = False
    only: str = ""

    def covers(self, path: str) -> bool:
        """Say whether *path* misbehaves."""
        return re.search(self.only, path) is not None if self.only else path != "/robots.txt"


def parse_faults(text: str) -> Faults:
    """Read "key=value,key,…" (the command's `--help` lists the keys); InputError names the wrong part."""
    chosen: dict[str, object] = {}
    types = {spec.name: spec.type for spec in fields(Faults)}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = part.partition("=")
        name = _KEYS.get(key)
        if name is None:
            raise InputError(f"--misbehave: unknown fault {key!r}; known are {', '.join(_KEYS)}")
        try:
            chosen[name] = _read_value(str(types[name]), value)
        except re.error as error:
            raise InputError(f"--misbehave: {part!r}: not a regex: {error}") from error
        except ValueError as error:
            raise InputError(f"--misbehave: {part!r}: {key} needs a number, e.g. {key}=2") from error
    return Faults(**chosen)  # type: ignore[arg-type]


def _read_value(type_name: str, value: str) -> object:
    if type_name == "bool":
        return True
    if type_name == "str":
        re.compile(value)
        return value
    number = float(value) if type_name == "float" else int(value)
    if number < 0:
        raise ValueError(value)
    return number


@lru_cache(maxsize=1)
def gzip_bomb(megabytes: int = BOMB_MEGABYTES) -> bytes:
    """A gzip body of about 1 KB per megabyte of zeros; made in a stream, never held inflated."""
    return b"".join(_bomb_parts(megabytes))


def _bomb_parts(megabytes: int) -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    megabyte = bytes(1 << 20)
    yield packer.compress(b"<html><body>")
    for _ in range(megabytes):
        yield packer.compress(megabyte)
    yield packer.flush()
