"""The BKDR hash: a text in, 32 bits out, the same on every machine. Queue assignment spreads one host's URLs by it."""

from __future__ import annotations


def bkdr_hash(text: str, *, multiplier: int = 131) -> int:
    """Hash *text* into 32 bits: h = h · multiplier + byte, over its UTF-8 bytes.

    Args:
        text: any string; "" hashes to 0.
        multiplier: odd; 31, 131 and 1313 are the usual choices.
    Returns:
        An int in 0 … 2³²−1, equal on every machine and in every process.
    Source:
        Kernighan & Ritchie, The C Programming Language, 2nd ed., §6.6 (there with 31).

    >>> bkdr_hash("abc")
    1677554
    """
    value = 0
    for byte in text.encode("utf-8", "surrogatepass"):
        value = (value * multiplier + byte) & 0xFFFFFFFF
    return value
