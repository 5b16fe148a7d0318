"""What goes through the strip engine, and what a place has to do that pages are read from or written to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class PageKey:
    """A page that waits, without its content.

    Attributes:
        place: where it stands in its source, which reads on behind it.
        url: names the page in the target.
        version: a text that is greater for what is newer; "" where a source does not tell.
    """

    place: Any
    url: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """A page as it came; *content_type* is what the server said, "" where nobody knows."""

    url: str
    version: str
    content: bytes
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class StrippedPage:
    """A page without its tags' noise; *problem* says why there is nothing of it, "" where there is."""

    url: str
    version: str
    content: str
    problem: str = ""


class PageSource(Protocol):
    """Where pages wait: read in the order of their places, never by counting rows (OFFSET)."""

    def count(self) -> int | None:
        """Return how many pages there are; None where nobody knows before the end."""

    def keys(self, after: PageKey | None, limit: int) -> Sequence[PageKey]:
        """Return the next pages behind *after* (None: the first); none at the end.

        A source that can only be read forwards is asked so.
        """

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Return the pages of those *keys* that are still there; they are of the last call of `keys`, in order."""

    def close(self) -> None:
        """Let go of what is open."""


class PageTarget(Protocol):
    """Where stripped pages go; what is done is known here alone."""

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Return the URLs of those *keys* whose page is here, in that version or a newer one."""

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Store pages, all of them or none; each URL once: a page takes the place of one that is not newer.

        Raises:
            StoreError: none is stored.
        """

    def close(self) -> None:
        """Let go of what is open."""
