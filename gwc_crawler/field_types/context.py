"""What readers of every type take and raise: a text, what its meaning may depend on, and that it is not of the type."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

MAX_CHARS = 200
"""Longer texts are no number, price or date."""


class NotOfType(ValueError):
    """The text can't be read as the type; the message is the reason, for the exceptions table."""


@dataclass(frozen=True, slots=True)
class ValueContext:
    """What a value's meaning may depend on: the page's URL and when it was fetched (seconds since the epoch)."""

    url: str = ""
    fetched_at: float | None = None


def short(text: str, what: str) -> str:
    """Return a text with full-width signs and white space folded: ￥１２ → ¥12.

    Raises:
        NotOfType: it is empty, or longer than any value of *what*.
    """
    narrow = " ".join(unicodedata.normalize("NFKC", text[: 10 * MAX_CHARS]).split())
    if not narrow or len(narrow) > MAX_CHARS:
        raise NotOfType(f"no {what}: {'empty' if not narrow else f'{len(narrow)} characters long'}")
    return narrow
