"""What a visit leaves in the tables: its record, if it has one, and each value as a column holds it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from gwc_crawler.items import Page, Record, Typed, Visit

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Revision:
    """What a stored page gives when it is read again: its kind and record; `page.url` is the one it is stored under."""

    page: Page
    record: Record | None
    fetched_at: float


def stored_record(visit: Visit | Revision) -> Record | None:
    """The visit's record, unless the page was rejected or goes on with another's."""
    record = visit.record
    return record if record is not None and record.rejected is None and record.parent is None else None


def column_value(value: Typed) -> str | int | float | None:
    """A field as it is stored: texts and numbers as they are, lists as JSON, None as NULL."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, int | float):
        return value
    return clean_text(json.dumps(value, ensure_ascii=False))


def clean_text(text: str) -> str:
    """SQLite keeps any text but lone surrogates; each becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text
