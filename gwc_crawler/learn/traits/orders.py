"""What goes between the process that learns and those that help it to read: values in msgpack, no code."""

from __future__ import annotations

import msgspec


class Order(msgspec.Struct, frozen=True, array_like=True):
    """A page whose traits are wanted."""

    number: int
    charset: str
    html: bytes


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """Its traits; not `is_read`: the process can't say, so whoever asked has to read the page."""

    number: int
    is_read: bool = False
    marks: list[str] = []  # msgspec copies it
    texts: list[str] = []
