"""A helper of learning (see `extract.reading.serving`): pages in over a socket, their traits out.

Orders and answers are values in msgpack, no code.
"""

from __future__ import annotations

import sys

import msgspec

from gwc_crawler.extract.reading import answer_orders, framed
from gwc_crawler.learn.traits.page_traits import read_traits


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


_ENCODER = msgspec.msgpack.Encoder()


def traits_answer(order: Order) -> bytearray:
    """Return the traits of a page, framed."""
    try:
        traits = read_traits(order.html, order.charset)
        return framed(_ENCODER, Answer(order.number, True, list(traits.marks), list(traits.texts)))
    except Exception:  # noqa: BLE001  # the first process reads it, and says what is wrong
        return framed(_ENCODER, Answer(order.number))


if __name__ == "__main__":
    answer_orders(int(sys.argv[1]), Order, traits_answer)
