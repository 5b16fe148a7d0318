"""What matters on a page, as one number: two fetches with the same number count as unchanged.

Called by the spiders for every page that is read; `frontier.revisits` compares.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from gwc_crawler.field_types import RAW
from gwc_crawler.items import Page, PageKind, Record

_ENCODER = json.JSONEncoder(sort_keys=True)
"""Kept: `json.dumps` with options makes one for each call, which takes longer than a record."""

_DIGITS = b"0123456789"

_OF_LINKS = frozenset({PageKind.DIRECTORY, PageKind.INDEX})


def content_signature(page: Page, record: Record | None = None) -> int:
    """Return 64 bits (signed) that stand for what a crawl wants of a page.

    - A page with a record: the values. Not its text, links or mark-up: an advert, a new layout, "seen by 5 others now"
      change nothing that is brought home. Of a typed value not the text it was read from: "3 days ago" is "4 days ago"
      tomorrow, the date is the same.
    - A page that leads on (directory, index): the set of admitted links. Their order, captions and what stands around
      them change by the minute on many sites; what is new for a crawl is a new link.
    - Any other page of HTML: its visible text without digits, which leaves dates, counters and clocks out.
    - What is not HTML: its bytes.

    Cost: 3 to 50 µs.
    """
    if record is not None and record.rejected is None:
        return _digest(_ENCODER.encode(_lasting(record.fields)))
    if page.kind in _OF_LINKS and page.admitted:
        return _digest("\n".join(sorted(page.admitted)))
    if page.kind in (PageKind.BINARY, PageKind.SITEMAP):
        return _digest(page.body)
    # digits go from the bytes: from a text that is not ASCII that takes two hundred times as long
    return _digest(page.text.encode("utf-8", "surrogatepass").translate(None, _DIGITS))


def _lasting(value: Any) -> Any:
    """Return a value without the raw texts beside typed values, at any depth."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {
            name: _lasting(part)
            for name, part in value.items()
            if not (name.endswith(RAW) and value.get(name.removesuffix(RAW)) is not None)
        }
    if isinstance(value, list):
        return [_lasting(part) for part in value]
    return value


def _digest(content: str | bytes) -> int:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)
