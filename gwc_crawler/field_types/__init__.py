"""Types of fields: the table of what `[types]` of a site file can say, and how each type reads a text."""

from gwc_crawler.field_types.context import MAX_CHARS, NotOfType, ValueContext
from gwc_crawler.field_types.numbers import chinese_number
from gwc_crawler.field_types.table import (
    FIELD_TYPES,
    FILE,
    RAW,
    FieldType,
    NoSuchType,
    checked_type,
    in_notation,
    type_of,
    vote,
)
