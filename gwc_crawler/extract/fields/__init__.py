"""What a value is: equal texts, texts of one kind, a record's typed fields."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.extract.fields.attributes import URL_ATTRIBUTES, holds_address, said_by
    from gwc_crawler.extract.fields.pictures import address_in, addresses_in, shown_meanwhile, without_copies
    from gwc_crawler.extract.fields.typed_fields import convert_fields
    from gwc_crawler.extract.fields.value_kinds import kind_of, value_key
    from gwc_crawler.extract.fields.values import (
        first_text,
        fold,
        is_empty,
        is_url,
        level,
        same_text,
        same_url,
        same_value,
        split_outside,
        squeeze,
    )
else:
    __getattr__ = face(__name__)

__all__ = [
    "URL_ATTRIBUTES",
    "address_in",
    "addresses_in",
    "convert_fields",
    "first_text",
    "fold",
    "holds_address",
    "is_empty",
    "is_url",
    "kind_of",
    "level",
    "said_by",
    "same_text",
    "same_url",
    "same_value",
    "shown_meanwhile",
    "split_outside",
    "squeeze",
    "value_key",
    "without_copies",
]
