"""Types of fields: the table of what `[types]` of a site file can say, and how each type reads a text."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.field_types.context import MAX_CHARS, NotOfType, ValueContext
    from gwc_crawler.field_types.notations import Notations, Vote, vote
    from gwc_crawler.field_types.numbers import chinese_number
    from gwc_crawler.field_types.table import (
        CURRENCY,
        FIELD_TYPES,
        FILE,
        RAW,
        FieldType,
        NoSuchType,
        checked_type,
        in_notation,
        type_of,
    )
else:
    __getattr__ = face(__name__)

__all__ = [
    "CURRENCY",
    "FIELD_TYPES",
    "FILE",
    "MAX_CHARS",
    "RAW",
    "FieldType",
    "NoSuchType",
    "NotOfType",
    "Notations",
    "ValueContext",
    "Vote",
    "checked_type",
    "chinese_number",
    "in_notation",
    "type_of",
    "vote",
]
